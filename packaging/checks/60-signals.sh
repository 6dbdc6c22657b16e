#!/usr/bin/env bash
# TERM and INT stop within a second; HUP takes a good configuration and refuses a bad one, visibly.
source "$(dirname "$0")/common.sh"

listen=127.0.0.1:19760 url=http://127.0.0.1:19760
config() { printf '[schedule]\nhours = "%s"\ndays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]\ninterval = "1s"\n' "$1" >"$work/weekline.toml"; }
status() { "$weekline" status "$@" --listen $listen --config "$work/weekline.good" --history "$work/history.db" 2>/dev/null; }
config 00:00-24:00
cp "$work/weekline.toml" "$work/weekline.good"
run=("$weekline" run --config "$work/weekline.toml" --listen "$listen" --history "$work/history.db")

for signal in TERM INT; do
    # A job of a shell without job control ignores INT, and so would the agent.
    start "$signal" env --default-signal=INT "${run[@]}"
    wait_for $url/-/healthy
    sleep 1.5
    begun=$(date +%s%N)
    stop "$pid" "$signal"
    took=$((($(date +%s%N) - begun) / 1000000))
    [ "$code" = 0 ] || fail "$signal: exit code $code"
    ((took < 1000)) || fail "$signal: stopped after $took ms"
    ! grep -qE 'WARN|ERROR' "$work/$signal.log" || fail "$signal: $(grep -E 'WARN|ERROR' "$work/$signal.log")"
    say "$signal: stopped after $took ms"
done

start reload "${run[@]}"
wait_for $url/-/healthy
reloaded() { true_for "$(metric $url weekline_config_reload_timestamp_seconds) > $first"; }
refused() { [ "$(metric $url weekline_config_reload_success)" = 0 ]; }
taken() { [ "$(metric $url weekline_config_reload_success)" = 1 ]; }
first=$(metric $url weekline_config_reload_timestamp_seconds)
taken || fail "no success before the first reload"
sleep 1.1

config 00:00-24:00
kill -HUP "$pid"
within 3 reloaded || fail "HUP: the timestamp does not grow"
taken || fail "HUP: a good configuration is not taken"

first=$(metric $url weekline_config_reload_timestamp_seconds)
printf 'intervall = "1s"\n' >>"$work/weekline.toml"
kill -HUP "$pid"
within 3 refused || fail "HUP: a bad configuration does not show in the metrics"
reloaded && fail "HUP: the timestamp of the configuration in force grows with a bad one"
status | has '^config .*refused.*intervall' || fail "HUP: status does not tell why: $(status)"
[ "$(metric $url weekline_business_open)" = 1 ] || fail "HUP: the old configuration is not in force"
before=$(metric $url 'weekline_ticks_total{outcome="on_time"}')
sleep 3
true_for "$(metric $url 'weekline_ticks_total{outcome="on_time"}') >= $before + 2" || fail "HUP: sampling stopped with a bad configuration"

# Hours in which it is closed now: the good one that follows is in force at once.
hour=$(date +%-H)
config "$(printf '%02d:00-%02d:00' $(((hour + 11) % 24)) $(((hour + 12) % 24 == 0 ? 24 : (hour + 12) % 24)))"
kill -HUP "$pid"
within 3 taken || fail "HUP: the mended configuration is not taken"
closed() { [ "$(metric $url weekline_business_open)" = 0 ]; }
within 3 closed || fail "HUP: the new hours are not in force"
status --json | jq -e '.config.error == null and .schedule.open == false' >/dev/null || fail "HUP: status does not follow"
stop "$pid"
[ "$code" = 0 ] || fail "stopped with exit code $code"
say "HUP: a good configuration is taken, a bad one refused and told"

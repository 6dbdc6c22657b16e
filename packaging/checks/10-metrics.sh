#!/usr/bin/env bash
# /metrics as promtool judges it, and every route with the methods it answers.
source "$(dirname "$0")/common.sh"

url=http://127.0.0.1:19710
start weekline "$weekline" run --always --interval 1s --listen 127.0.0.1:19710 --history "$work/history.db"
wait_for $url/metrics
has_ratio() { [ -n "$(metric $url host_cpu_busy_ratio)" ]; }
within 5 has_ratio || fail "no host_cpu_busy_ratio after two samples"

curl -fsS $url/metrics >"$work/metrics"
promtool check metrics <"$work/metrics" || fail "promtool finds fault"
say "promtool is content with $(grep -vc '^#' "$work/metrics") series of $(grep -c '^# TYPE' "$work/metrics") families"
grep -q '^weekline_source_up{[^}]*} 0' "$work/metrics" && fail "a source is down: $(grep '^weekline_source_up' "$work/metrics")"

for path in / /metrics /-/healthy /-/ready /-/status; do
    [ "$(status_of $url$path)" = 200 ] || fail "GET $path is not answered with 200"
    [ "$(status_of -I $url$path)" = 200 ] || fail "HEAD $path is not answered with 200"
    for method in POST PUT DELETE; do
        [ "$(status_of -X $method $url$path)" = 405 ] || fail "$method $path is not answered with 405"
    done
done
[ "$(status_of $url/nothing)" = 404 ] || fail "an unknown path is not answered with 404"
curl -fsSI $url/metrics | has -i '^content-type: text/plain; version=0.0.4' || fail "/metrics has another content type"

stop "$pid"
[ "$code" = 0 ] || fail "stopped with exit code $code"
say "every route answers as it should"

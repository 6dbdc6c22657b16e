#!/usr/bin/env bash
# Domino by all six ways in at once, and every fault of a server and its files: told, counted, nothing wrong kept, over when it is over.
source "$(dirname "$0")/common.sh"

shared=${WEEKLINE_SHARED:-$repo/../shared}
if [ ! -x "$shared/checks/domino-sim" ]; then
    echo "SKIPPED $check: no stand-in server at $shared/checks/domino-sim; WEEKLINE_SHARED names the folder" >&2
    exit 0
fi

# Rights mean nothing to root, so the agent and its servers are somebody else's, who sees this Python.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
user=()
[ "$(id -u)" != 0 ] || user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
"${user[@]}" python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "no python3 of 3.11 or later for everybody"
mkdir "$work/bin" "$work/server" "$work/www" "$work/own" "$work/data" "$work/log"
cp "$weekline" "$work/bin/weekline"
cp -r "$shared/checks/domino-sim" "$shared/checks/domino_sim" "$work/bin/"
ln -s "$work/bin/domino-sim" "$work/server/server"
# What the system shows of a server is a process of this name at work in its data directory.
installed=$work/opt/hcl/domino/notes/12000200/linux
mkdir -p "$installed" "$work"/data/{one,two,found}
cp /bin/sleep "$installed/server"
[ "$(id -u)" != 0 ] || chown -R 65534:65534 "$work/server" "$work/www" "$work/own" "$work/data"
sim() { "${user[@]}" python3 -B "$work/bin/domino-sim" "$@"; }

# serve PARTITION: the process that stands for its server; its number is in $pid.
serve() { start "server-$1" env -C "$work/data/$1" "${user[@]}" "$installed/server" 600; }

# make PARTITION LOCALE [OPTIONS...]: some three transactions a second by night and two hundred by day.
make() {
    local name=$1 locale=$2
    shift 2
    sim init "$work/data/$name" --name "CN=$name/O=Acme" --locale "$locale" --tz UTC --tx-per-day 8000000 --redirect-delay 50 "$@"
}
declare -A server
for name in one two found; do
    serve $name
    server[$name]=$pid
done
make one de --pid "${server[one]}" && make two us --pid "${server[two]}" && make found us --pid "${server[found]}"
make file fr && make calm ch && make log us && make push de && make prom us && make url in

# Each way is fed by a loop; the fault that is asked for is set by the loop itself, because both write the partition's state.
feed() {
    while sleep 1; do
        [ ! -e "$work/own/$1.mode" ] || sim fault "$work/data/$1" --mode "$(cat "$work/own/$1.mode")"
        rm -f "$work/own/$1.mode"
        [ -e "$work/own/$1.hold" ] || "feed_$1" || true
    done
}
feed_file() { sim show-stat "$work/data/file" >"$work/own/file.txt"; } # in place, as a server does
feed_calm() { sim show-stat "$work/data/calm" >"$work/own/calm.txt"; }
feed_log() { sim server -c "show stat" --data "$work/data/log"; }
feed_push() {
    sim push "$work/data/push" --url http://127.0.0.1:19745/push/push --headers "Authorization: Bearer $token" \
        --metric-format '$Name$ $Value$' --delta-metric-format 'Rate.$Name$ $Value$' --metric-delimiter '$Newline$'
}
feed_prom() { sim prom "$work/data/prom" --out "$work/own/domino.prom"; }
feed_url() { sim prom "$work/data/url" --out "$work/www/metrics"; }
publish() { start www "${user[@]}" python3 -m http.server 19746 --bind 127.0.0.1 --directory "$work/www"; }

token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
echo "$token" >"$work/own/token"
cat >"$work/weekline.toml" <<T
[schedule]
zone = "UTC"
days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
hours = "00:00-24:00"
[web]
listen = "127.0.0.1:19745"
push_token_file = "$work/own/token"
[[partition]]
name = "one"
source = "console"
program = "$work/server/server"
data = "$work/data/one"
registered_users = 2120
timeout = "1s"
[[partition]]
name = "two"
source = "console"
program = "$work/server/server"
data = "$work/data/two"
timeout = "1s"
[[partition]]
name = "strange"
source = "console"
program = "$work/server/server"
data = "$work/data/two"
user = "daemon"
[[partition]]
name = "later"
source = "console_log"
path = "$work/own/later.log"
[[partition]]
name = "file"
source = "file"
path = "$work/own/file.txt"
every = "1s"
[[partition]]
name = "calm"
source = "file"
path = "$work/own/calm.txt"
every = "1s"
[[partition]]
name = "log"
source = "console_log"
path = "$work/data/log/IBM_TECHNICAL_SUPPORT/console.log"
[[partition]]
name = "push"
source = "push"
[[partition]]
name = "prom"
source = "prom_file"
path = "$work/own/domino.prom"
every = "1s"
[[partition]]
name = "url"
source = "url"
url = "http://127.0.0.1:19746/metrics"
timeout = "1s"
T
"$weekline" config check --config "$work/weekline.toml" >"$work/checked" || fail "the configuration: $(cat "$work/checked")"

url=http://127.0.0.1:19745
declare -A way=([one]=console [two]=console [file]=file [calm]=file [log]=console_log [push]=push [prom]=prom_file [url]=url)
cd "$work/own"
publish
www=$pid
for name in file calm log push prom url; do start "feed-$name" feed $name; done
sleep 2 # everything is there before it is looked for
start weekline "${user[@]}" "$work/bin/weekline" run --config "$work/weekline.toml" --interval 2s --history "$work/own/history.db"
agent=$pid
wait_for $url/metrics

about() { "${user[@]}" "$work/bin/weekline" "$@" --config "$work/weekline.toml" --history "$work/own/history.db"; }
up() { metric $url "weekline_source_up{source=\"$2\",partition=\"$1\"}"; }
age() { metric $url "weekline_source_age_seconds{source=\"$2\",partition=\"$1\"}"; }
refused() { metric $url "weekline_source_refused_total{source=\"${way[$1]}\",partition=\"$1\"}"; }
spoil() { # PARTITION MODE
    if [ "${way[$1]}" = console ]; then sim fault "$work/data/$1" --mode "$2"; else echo "$2" >"$work/own/$1.mode"; fi
}
is_well() { [ "$(up "$1" "$2")" = 1 ] && true_for "$(age "$1" "$2") < 7"; }
well() { within 20 is_well "$1" "${2:-${way[$1]}}" || fail "$1 by ${2:-${way[$1]}} is not well: $(about status | grep -E "^(source|FAULT) +$1 ")"; }
is_told() { # the first word is FAULT, the reason and the next step stand in one line
    [ "$(up "$1" "$2")" = 0 ] && about status | has -E "^FAULT +$1 $2 .*: .*$3"
}
told() { # PARTITION SOURCE REASON; NEXT STEP
    within 20 is_told "$1" "$2" "$3" || fail "$1 by $2 does not tell /$3/: $(about status | grep -E "^(source|FAULT) +$1 ")"
    cases=$((cases + 1))
}
cases=0
over() { # all faults are over, and so it is shown
    for name in "${!way[@]}"; do
        rm -f "$work/own/$name.hold"
        spoil "$name" none
    done
    for name in "${!way[@]}"; do well "$name"; done
}

# All is well.
for name in "${!way[@]}"; do well "$name"; done
for name in one two; do well $name tasks && well $name notes_ini; done
is_found() { about status --json | jq -e '[.partitions[] | select(.name == "found")] == [{name: "found", data: "'"$work/data/found"'", release: "12.0.2", source: null}]'; }
within 10 is_found || fail "the server that runs is not found: $(about status --json | jq -c .partitions)"
well found tasks
told strange console 'must be given by user daemon, and the agent runs as another; run the agent as daemon'
told later console_log 'later.log` is not there; see that `path`'
is_up() { [ "$(up "$1" "$2")" = 1 ]; }
touch later.log
within 5 is_up later console_log || fail "a log that is there at last is not read"
all_up() { # of the host and of our partitions but `strange`; servers of others on this machine are no matter
    curl -fsS $url/metrics >"$work/metrics"
    ! grep -E '^weekline_source_up\{.*partition="(|calm|file|found|later|log|one|prom|push|two|url)"\} 0' "$work/metrics" |
        grep -v 'source="discovery"'
}
within 20 all_up || fail "a source is down: $(all_up)"
promtool check metrics <"$work/metrics" || fail "promtool finds fault"
for name in "${!way[@]}"; do
    total=$(awk -v s="domino_transactions_total{partition=\"$name\"}" 'index($0, s " ") == 1 { print $NF }' "$work/metrics")
    truth=$(sim show-stat "$work/data/$name" --stat Server.Trans.Total | tr -cd '0-9=\n' | sed -n 's/.*=//p')
    # Later it is more, by what ten seconds of a busy day bring at most.
    true_for "$total <= $truth && $total > $truth - 4000" || fail "$name: $total transactions, the server says $truth"
    # It takes two readings.
    counted() { curl -fsS $url/metrics >"$work/metrics" && grep -q "^domino_business_transactions{period=\"today\",partition=\"$name\"} " "$work/metrics"; }
    within 30 counted || fail "$name has no activity"
done
grep -q '^domino_business_transactions_per_user{per="registered",period="today",partition="one"} ' "$work/metrics" || fail "no figure per user"
about status --json | jq -e '[.partitions[] | select(.release == "Release 12.0.2") | .name + " " + .source] | sort
    == ["calm file", "file file", "log console_log", "one console", "two console"]' >/dev/null ||
    fail "not every partition has its release and its way: $(about status --json | jq -c .partitions)"
about activity --json | jq -e '[.days[].partition] | unique | contains(["calm", "file", "log", "one", "prom", "push", "two", "url"])' \
    >/dev/null || fail "activity lacks partitions: $(about activity --json | jq -c '[.days[].partition]')"
about metrics --unknown >"$work/unknown" || fail "metrics --unknown failed"
say "six ways at once: $(grep -c '^domino_' "$work/metrics") series, $(grep -c '^domino_transactions_total' "$work/metrics") counters as the servers say"

# Halves. A push is not seen to be cut, but nothing wrong is kept of it; the truth is compared below.
for name in one file log push prom url; do spoil $name truncate; done
spoil two missing-trailer
told one console 'the listing is incomplete after 1.0 s; see whether the disk of'
told two console 'the listing is incomplete after 1.0 s; see whether the disk of'
told file file 'lacks its end, the line with the number of statistics; see whether what writes it'
told log console_log '(has no end|without an end).*; .*cut'
told prom prom_file 'ends in the middle of a line; see whether what writes it'
told url url 'ends in the middle of a line; see whether what writes it'
well calm
for name in one two file log prom url; do true_for "$(refused $name) > 0" || fail "$name: what was refused is not counted"; done
true_for "$(refused calm) == 0" || fail "calm: a file in the midst of being written counts as refused"
over
say "halves are refused, told and counted"

# Servers that do not answer, two listings in one, and what does not come.
spoil one hang
spoil two password
spoil file wrap
spoil log binary-junk
touch prom.hold
kill -STOP $www
sleep 1.2 && rm -f domino.prom
before=$(refused file)
told one console 'no answer after 1.0 s, and the command has not ended, .*; see whether the server hangs: try `cd'
told two console 'the command asks for a password; try `cd'
told file file 'a listing says [0-9]+ statistics and has [0-9]+; it was not kept'
told log console_log 'a listing says [0-9]+ statistics and has [0-9]+; it was not kept'
told prom prom_file '`.*/domino.prom` is not there; see that `path`'
told url url 'no whole answer from `http://127.0.0.1:19746/metrics` within 1 s; see whether its host'
well calm && well push
true_for "$(refused file) > $before" || fail "file: what was refused is not counted"
kill -CONT $www
over
say "a server that hangs costs only its own partition"

# Nothing at all, numbers for texts, files from long ago.
spoil one silent
for name in two file log; do spoil $name numbers-only; done
touch prom.hold calm.hold
stop $www
sleep 1.2 && touch -d '10 minutes ago' domino.prom calm.txt
told one console 'no answer after 1.0 s; the command has ended, it says nothing; see whether the server answers'
told two console 'message numbers instead of texts; install Domino.s language files'
told file file 'message numbers in place of texts: .*; set LANG'
told log console_log 'message numbers instead of texts; install Domino.s language files'
told prom prom_file 'domino.prom` is 10 min old and should be written every 1 s; '
told calm file 'calm.txt` is 10 min old and should be written every 1 s; '
told url url 'nothing listens at `http://127.0.0.1:19746/metrics`; start what should'
well push
publish
www=$pid
over

# Bytes that are no text, and paths that lead nowhere.
for name in one push prom; do spoil $name binary-junk; done
touch file.hold url.hold
mv "$work/server/server" "$work/server/away"
sleep 1.2 && chmod 000 file.txt && rm -f "$work/www/metrics"
told two console '`.*/server/server` does not exist; give the partition.s `program`'
told file file 'file.txt` may not be read by the user `.*`; let that user read it'
told url url 'does not exist \(404\); see that the path of `url`'
well calm && well push && well prom
mv "$work/server/away" "$work/server/server"
chmod 644 file.txt
told one console 'the listing says [0-9]+ statistics and has [0-9]+; where this does not pass'
over

# A directory that is closed, a server that ended, and a clock that stands still: nothing new is no fault until three minutes.
chmod 000 "$work/data/one"
stop "${server[two]}" KILL
spoil file interleave
spoil log wrap
for name in push prom url; do spoil $name stale; done
told one console 'data/one` may not be read: .*; run the agent as'
told two tasks '(no process of this partition runs|no server is seen) in `.*data/two`.*; (start the server|if another user)'
is_old() { [ "$(up "$1" "${way[$1]}")" = 1 ] && true_for "$(age "$1" "${way[$1]}") > 5"; }
for name in push prom url; do within 15 is_old $name || fail "$name: what stands still counts as new"; done
well two && well file && well log && well calm && well found tasks
chmod 755 "$work/data/one"
serve two
server[two]=$pid
"${user[@]}" sed -i "s/[0-9]* 1 server/$pid 1 server/" "$work/data/two/pid.nbf"
over
well one notes_ini && well two tasks
say "$cases faults, each told with the next step, each over when it was"

# As root the agent asks each server as its own user, and as nobody who may not.
if [ "$(id -u)" = 0 ]; then
    printf '[[partition]]\nname = "%s"\nsource = "console"\nprogram = "%s"\ndata = "%s"\nuser = "%s"\ntimeout = "1s"\n' \
        owned "$work/server/server" "$work/data/one" "" wrong "$work/server/server" "$work/data/one" daemon >"$work/root.toml"
    start root "$work/bin/weekline" run --config "$work/root.toml" --always --interval 2s --listen 127.0.0.1:19747 --history "$work/root.db"
    of_root() { [ "$(metric http://127.0.0.1:19747 "weekline_source_up{source=\"console\",partition=\"$1\"}")" = "$2" ]; }
    wait_for http://127.0.0.1:19747/metrics
    within 10 of_root owned 1 || fail "root does not ask as the owner: $(tail -n 3 "$work/root.log")"
    within 10 of_root wrong 0 || fail "a wrong user is no fault"
    "$weekline" status --listen 127.0.0.1:19747 --history "$work/root.db" | has '^FAULT *wrong console .*no answer.*as user daemon' ||
        fail "a wrong user is not told: $(tail -n 3 "$work/root.log")"
    stop "$pid"
    [ -z "$(find "$work/data" ! -user 65534)" ] || fail "root left in the data: $(find "$work/data" ! -user 65534)"
fi

# The end: nothing is left behind, and every point is what the server said at that time.
# An answer may come after its deadline; then the next reading takes it away.
left=$(find "$work/data" -name 'weekline-*' ! -newermt '-10 seconds')
[ -z "$left" ] || fail "answers are left: $left"
stop $agent
[ "$code" = 0 ] || fail "stopped with exit code $code"
! grep -h panicked "$work"/*.log || fail "a panic"
! pgrep -f "$work/server/server" >/dev/null || fail "commands are left: $(pgrep -af "$work/server/server")"
about export --format csv --metric domino_transactions_total >"$work/points.csv"
python3 -B - "$work" <<'P' >"$work/compared" || fail "points that no server said: $(cat "$work/compared")"
import csv, datetime, re, sys
sys.path.insert(0, sys.argv[1] + "/bin")
from domino_sim.server import Partition
points = {}
for row in csv.DictReader(open(sys.argv[1] + "/points.csv")):
    name = re.search(r'partition="?([^",}]+)', row["labels"])[1]
    at = datetime.datetime.fromisoformat(row["time"].replace("Z", "+00:00")).timestamp()
    points.setdefault(name, []).append((at, float(row["value"])))
wrong = [name for name in ("one", "two", "file", "calm", "log", "push", "prom", "url") if len(points.get(name, [])) < 10]
for name, read in points.items():
    said = Partition.open(f"{sys.argv[1]}/data/{name}")
    # A listing is read up to some seconds after it was made, and never before.
    wrong += [(name, at, value) for at, value in read if not said.total(int(at) - 6)[0] <= value <= said.total(int(at) + 2)[0]]
    wrong += [(name, b) for a, b in zip(read, read[1:]) if not (a[0] < b[0] and a[1] <= b[1])]
print(wrong or f"{sum(map(len, points.values()))} points of {len(points)} partitions")
sys.exit(bool(wrong))
P
say "$(cat "$work/compared"), each as its server said"

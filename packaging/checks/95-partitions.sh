#!/usr/bin/env bash
# What Domino partitions cost, in short: numbers to look at, no pass or fail.
# 95-partitions.sh [SECONDS]: two agents side by side, one of them with twenty partitions, whose listings are new at every sample.
source "$(dirname "$0")/common.sh"
seconds=${1:-60} count=20

shared=${WEEKLINE_SHARED:-$repo/../shared}
if [ ! -x "$shared/checks/domino-sim" ]; then
    echo "SKIPPED $check: no stand-in server at $shared/checks/domino-sim; WEEKLINE_SHARED names the folder" >&2
    exit 0
fi

# A server is a process of this name at work in its data directory, and so are its tasks.
installed=$work/opt/hcl/domino/notes/12000200/linux
mkdir -p "$installed" "$work/data"
for ((n = 1; n <= count; n++)); do
    data=$work/data/mail$n
    mkdir "$data"
    locales=(us de ch fr in)
    python3 -B "$shared/checks/domino-sim" init "$data" --name "CN=mail$n/O=Acme" --locale "${locales[n % 5]}" --seed $n --tz UTC
    mapfile -t tasks < <(echo server && sed -n 's/^ServerTasks=//p' "$data/notes.ini" | tr -d '\r' | tr ', ' '\n\n' | tr '[:upper:]' '[:lower:]')
    : >"$data/pid.nbf"
    for task in "${tasks[@]}"; do
        [ -e "$installed/$task" ] || cp /bin/sleep "$installed/$task"
        start sleep env -C "$data" "$installed/$task" 3600
        echo "1 $pid 1 $task" >>"$data/pid.nbf"
    done
    printf '[[partition]]\nname = "mail%d"\nsource = "file"\npath = "%s/stat.txt"\ndata = "%s"\n' $n "$data" "$data" >>"$work/with.toml"
done
touch "$work/without.toml"

# What the servers write, in place of twenty programs a second.
cat >"$work/servers.py" <<'P'
import os, sys, time
shared, work, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.path.insert(0, shared + "/checks")
from domino_sim.server import Partition
servers = [Partition.open(f"{work}/data/mail{n + 1}") for n in range(count)]
while True:
    now = int(time.time())
    for server in servers:
        path = server.directory + "/stat.txt"
        with open(path + ".new", "wb") as file:
            file.write(server.emit(now, server.listing(now)))
        os.rename(path + ".new", path)
    time.sleep(now + 1 - time.time() if time.time() < now + 1 else 0)
P
start servers python3 -B "$work/servers.py" "$shared" "$work" $count
written() { [ -s "$work/data/mail$count/stat.txt" ]; }
within 10 written || fail "no listing is written"

declare -A agent
for which in with without; do
    port=$([ $which = with ] && echo 19795 || echo 19796)
    start $which "$weekline" run --config "$work/$which.toml" --always --interval 1s --listen 127.0.0.1:$port --history "$work/$which.db"
    agent[$which]=$pid
    wait_for http://127.0.0.1:$port/metrics
done
sleep 5

look() { # before and after: what each says of itself
    curl -fsS http://127.0.0.1:19795/metrics >"$work/with.$1"
    curl -fsS http://127.0.0.1:19796/metrics >"$work/without.$1"
}
of() { awk -v s="$2" 'index($0, s " ") == 1 { print $NF; exit }' "$work/$1"; }
ticks() { awk '/^weekline_ticks_total\{outcome="(on_time|late)"\}/ { n += $2 } END { print n + 0 }' "$work/$1"; }
points() { of "$1" weekline_history_points; }
memory() { awk -v f="$2:" '$1 == f { printf "%.1f", $2 / 1024 }' "/proc/${agent[$1]}/status"; }
look before
sleep "$seconds"
look after
memory=()
for which in with without; do memory[${#memory[@]}]="$(memory $which VmRSS) / $(memory $which VmHWM)"; done
down=$(grep -c '^weekline_source_up{.*partition="mail.*} 0' "$work/with.after" || true)

cpu() { awk "BEGIN { print 1e3 * ($(of "$1.after" weekline_sample_cpu_seconds_total) - $(of "$1.before" weekline_sample_cpu_seconds_total)) }"; }
samples() { echo $(($(ticks "$1.after") - $(ticks "$1.before"))); }
awk -v count=$count -v with="$(cpu with)" -v without="$(cpu without)" -v n_with="$(samples with)" -v n_without="$(samples without)" \
    -v m_with="${memory[0]}" -v m_without="${memory[1]}" -v p_with="$(($(points with.after) - $(points with.before)))" \
    -v p_without="$(($(points without.after) - $(points without.before)))" -v down="$down" 'BEGIN {
    row = "  %-34s %16s %16s\n"
    a = with / n_with; b = without / n_without
    printf "  %d samples, listings of 439 statistics, %d sources of partitions down\n", n_with, down
    printf row, "", count " partitions", "none"
    printf row, "CPU per sample, ms", sprintf("%.2f", a), sprintf("%.2f", b)
    printf row, "values per sample", sprintf("%.0f", p_with / n_with), sprintf("%.0f", p_without / n_without)
    printf row, "memory now / most, MiB", m_with, m_without
    printf "  a partition costs %.2f ms a sample; the bar is 1 ms\n", (a - b) / count
}'

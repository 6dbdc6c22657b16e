#!/usr/bin/env bash
# What the agent costs, beside node_exporter with the same collectors and sadc, all in the same run.
# bench.sh [SECONDS]: one sample and one scrape a second; longer is better for the bytes (default 600, a full chunk).
source "$(dirname "$0")/checks/common.sh"
seconds=${1:-600}

url=http://127.0.0.1:19790 node=http://127.0.0.1:19791
start weekline "$weekline" run --always --interval 1s --listen 127.0.0.1:19790 --history "$work/history.db"
agent=$pid
wait_for $url/metrics
start node prometheus-node-exporter --web.listen-address=127.0.0.1:19791 --collector.disable-defaults --collector.cpu \
    --collector.stat --collector.loadavg --collector.meminfo --collector.vmstat --collector.diskstats \
    --collector.filesystem --collector.netdev --collector.pressure --collector.uname
exporter=$pid
wait_for $node/metrics
start sadc /usr/lib/sysstat/sadc -F -S XDISK 1 $((seconds + 60)) "$work/sa"
sadc=$pid
sleep 5

ticks() { awk '/^weekline_ticks_total\{outcome="(on_time|late)"\}/ { n += $2 } END { print n + 0 }' "$work/$1"; }
of() { awk -v s="$2" 'index($0, s " ") == 1 { print $NF; exit }' "$work/$1"; }
memory() { awk -v f="$2:" '$1 == f { printf "%.1f", $2 / 1024 }' "/proc/$1/status"; }
look() { # before and after: what each says of itself, and the kernel of sadc (nanoseconds on a CPU)
    curl -fsS $url/metrics >"$work/agent.$1"
    curl -fsS $node/metrics >"$work/node.$1"
    cut -d' ' -f1 "/proc/$sadc/schedstat" >"$work/sadc.$1"
}
look before
begun=$SECONDS
for ((scrapes = 0; scrapes < seconds; scrapes++)); do
    curl -fsS -o /dev/null $url/metrics
    curl -fsS -o /dev/null $node/metrics
    sleep 0.97
done
look after
passed=$((SECONDS - begun))
memory_agent="$(memory $agent VmRSS) / $(memory $agent VmHWM)"
memory_node="$(memory $exporter VmRSS) / $(memory $exporter VmHWM)"
memory_sadc="$(memory $sadc VmRSS) / $(memory $sadc VmHWM)"
stop $sadc INT
stop $agent # folds what is left

samples=$(($(ticks agent.after) - $(ticks agent.before)))
sampling=$(awk "BEGIN { print 1e3 * ($(of agent.after weekline_sample_cpu_seconds_total) - $(of agent.before weekline_sample_cpu_seconds_total)) }")
whole=$(awk "BEGIN { print 1e3 * ($(of agent.after weekline_cpu_seconds_total) - $(of agent.before weekline_cpu_seconds_total)) }")
node_cpu=$(awk "BEGIN { print 1e3 * ($(of node.after process_cpu_seconds_total) - $(of node.before process_cpu_seconds_total)) }")
sadc_cpu=$(awk "BEGIN { print ($(cat "$work/sadc.after") - $(cat "$work/sadc.before")) / 1e6 }")
bytes=$(stat -c %s "$work/history.db") points=$(sqlite3 "$work/history.db" 'SELECT points FROM total')
# A file begins with its tables and series, and keeps the room that the last hours took unpressed: neither grows with time.
used=$(sqlite3 "$work/history.db" \
    'SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size')
columns=$(sqlite3 "$work/history.db" 'SELECT sum(length(blob)) FROM chunk')
sadc_bytes=$(stat -c %s "$work/sa") sadc_values=$(sadf -p "$work/sa" -- -A | wc -l)
series() { grep -vc '^#' "$work/$1.after"; }

awk -v samples="$samples" -v sampling="$sampling" -v whole="$whole" -v scrapes="$scrapes" -v node="$node_cpu" -v sadc="$sadc_cpu" \
    -v passed="$passed" -v m_a="$memory_agent" -v m_n="$memory_node" -v m_s="$memory_sadc" -v bytes="$bytes" -v points="$points" \
    -v used="$used" -v columns="$columns" -v s_bytes="$sadc_bytes" -v s_values="$sadc_values" -v n_a="$(series agent)" -v n_n="$(series node)" 'BEGIN {
    row = "  %-34s %16s %16s %16s\n"
    sample = sampling / samples; scrape = (whole - sampling) / scrapes; theirs = node / scrapes; recorded = sadc / passed
    printf "  %d samples and %d scrapes in %d s\n", samples, scrapes, passed
    printf row, "", "weekline", "node_exporter", "sadc"
    printf row, "CPU per sample, ms", sprintf("%.2f", sample), "", sprintf("%.2f", recorded)
    printf row, "CPU per scrape, ms", sprintf("%.2f", scrape), sprintf("%.2f", theirs), ""
    printf row, "series per scrape", n_a, n_n, ""
    printf row, "memory now / most, MiB", m_a, m_n, m_s
    printf row, "bytes per stored value, whole file", sprintf("%.2f", bytes / points), "", sprintf("%.2f", s_bytes / s_values)
    printf row, "bytes per stored value, pages used", sprintf("%.2f", used / points), "", ""
    printf row, "bytes per stored value, columns", sprintf("%.2f", columns / points), "", ""
    printf row, "stored values", points, "", s_values
    printf "  a sample costs %.2f of a scrape of node_exporter, a scrape %.2f; a sample costs %.2f of one of sadc\n", \
        sample / theirs, scrape / theirs, sample / recorded
}'

#!/usr/bin/env bash
# Prometheus scrapes the agent and node_exporter side by side: never a gap, and the same CPU use.
source "$(dirname "$0")/common.sh"

seconds=65
start weekline "$weekline" run --always --interval 1s --listen 127.0.0.1:19720 --history "$work/history.db"
wait_for http://127.0.0.1:19720/metrics
start node prometheus-node-exporter --web.listen-address=127.0.0.1:19721 --no-collector.systemd
cat >"$work/prometheus.yml" <<'Y'
global: { scrape_interval: 1s, scrape_timeout: 1s }
scrape_configs:
  - { job_name: weekline, static_configs: [{ targets: ["127.0.0.1:19720"] }] }
  - { job_name: node, static_configs: [{ targets: ["127.0.0.1:19721"] }] }
Y
wait_for http://127.0.0.1:19721/metrics
sleep 2 # the second sample brings what follows from two
start prometheus prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" \
    --web.listen-address=127.0.0.1:19722
wait_for http://127.0.0.1:19722/-/ready 30

# Load in the midst, so that there is something to agree on; none at the edges, where the two read at different moments.
start load bash -c 'sleep 25; timeout 20 bash -c "while :; do :; done"'
sleep "$seconds"
at=$(date +%s)

query() { curl -fsS -G http://127.0.0.1:19722/api/v1/query --data-urlencode "query=$1" --data-urlencode "time=$at"; }
ask() { query "$1" | jq -r '.data.result[0].value[1] // "nothing"'; }

up=$(ask 'min_over_time(up{job="weekline"}[60s])')
[ "$up" = 1 ] || fail "up was $up at its least"
for series in 'up{job="weekline"}' host_load1 host_cpu_busy_ratio 'host_cpu_seconds_total{mode="user"}'; do
    # How many points, and the longest time between two of them.
    read -r points gap < <(query "${series}[60s]" |
        jq -r '[.data.result[0].values[][0]] | "\(length) \([.[1:], .[:-1]] | transpose | map(.[0] - .[1]) | max)"')
    say "$series: $points points in 60 s, at most $gap s apart"
    true_for "$points >= 59 && $gap < 1.5" || fail "$series has a gap"
done

# Sixty readings span 59 seconds, which 59 ratios cover.
busy() { echo "1 - sum(rate($1{mode=~\"idle|iowait|steal\"}[60s])) / sum(rate($1[60s]))"; }
ratio=$(ask 'avg_over_time(host_cpu_busy_ratio[59s])')
ours=$(ask "$(busy host_cpu_seconds_total)")
theirs=$(ask "$(busy node_cpu_seconds_total)")
say "CPU busy: $ratio as host_cpu_busy_ratio, $ours from host_cpu_seconds_total, $theirs from node_cpu_seconds_total"
for each in "$ratio" "$ours"; do
    true_for "$each - ($theirs) < 0.02 && $each - ($theirs) > -0.02" || fail "CPU use is more than 2 points apart"
done

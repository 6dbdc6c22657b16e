#!/usr/bin/env bash
# kill -9 at any moment, 50 times: every start is clean, at most the sample in flight is lost, and the file stays whole.
source "$(dirname "$0")/common.sh"

lanes=5 rounds=10 # lives of one history after another, several histories side by side

# begin N: starts the agent on the N-th history; its process number is in $me. Not `start`: a lane is a shell of its own.
begin() {
    "$weekline" run --always --interval 1s --listen "$address" --history "$history" >"$work/lane-$1.log" 2>&1 &
    me=$!
    within 10 answers "http://$address/-/healthy" || echo "start $1 failed"
    grep -E 'ERROR|panicked' "$work/lane-$1.log" || true
}

snapshots() { "$weekline" status --json --listen "$address" --history "$history" 2>/dev/null | jq .history.snapshots; }

# One history; prints whatever goes wrong.
lane() {
    local address=127.0.0.1:$((19730 + $1)) history=$work/history-$1.db round me ticks seen=0 kept=0 before=0
    for ((round = 1; round <= rounds; round++)); do
        begin "$1-$round"
        sleep "$(awk -v seed="$RANDOM" 'BEGIN { srand(seed); print 1 + 1.5 * rand() }')"
        # The agent counts a tick when it is kept; one between this question and the kill is not asked for.
        ticks=$(curl -fsS -m 2 "http://$address/metrics" |
            awk '/^weekline_ticks_total\{outcome="(on_time|late)"\}/ { n += $2 } END { print n + 0 }')
        kill -9 $me
        wait $me 2>/dev/null || true
        kept=$(snapshots)
        ((kept - before >= ticks)) || echo "life $round: $ticks ticks were counted, $((kept - before)) kept"
        seen=$((seen + ticks)) before=$kept
    done
    [ "$(sqlite3 "$history" 'PRAGMA integrity_check')" = ok ] || echo "the file is damaged"
    begin "$1-last"
    grep -q 'did not stop cleanly' "$work/lane-$1-last.log" || echo "the run after a kill does not say so"
    kill $me
    wait $me || echo "the last run ended with exit code $?"
    [ "$(snapshots)" -ge "$kept" ] || echo "folding lost snapshots: $kept before, $(snapshots) after"
    echo "$seen $kept" >"$work/sum-$1"
}

for ((n = 1; n <= lanes; n++)); do
    lane "$n" >"$work/wrong-$n" 2>&1 &
    pids+=($!)
done
for each in "${pids[@]}"; do wait "$each" || true; done
! grep -h . "$work"/wrong-* >&2 || fail "the lines above"
[ "$(cat "$work"/sum-* | wc -l)" = $lanes ] || fail "not every history came to its end"
say "$((lanes * rounds)) kills: $(awk '{ seen += $1; kept += $2 } END { print seen " samples counted before them, " kept " kept" }' "$work"/sum-*)"

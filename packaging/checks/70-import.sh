#!/usr/bin/env bash
# Recordings of sysstat and vmstat into the history: once however often, listed, taken out again, and on the weekly line.
source "$(dirname "$0")/common.sh"

# A machine's quarter of an hour from 14:15 in New York on a Monday, which is 19:15 UTC.
{
    echo '# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle'
    for ((minute = 15; minute < 30; minute++)); do
        echo "mail1;60;2026-11-30 19:$minute:00 UTC;-1;20.00;0.00;5.00;0.00;0.00;75.00"
    done
} >"$work/sadf-monday.out"
# This machine, recorded now.
/usr/lib/sysstat/sadc 1 4 "$work/sa"
sadf -d "$work/sa" -- -u >"$work/sadf-now.out"
vmstat -t 1 4 >"$work/vmstat-now.out"
files=("$work/sadf-monday.out" "$work/sadf-now.out" "$work/vmstat-now.out")
shared=${WEEKLINE_SHARED:-$repo/../shared}/data/os
if [ -d "$shared" ]; then
    files+=("$shared"/sadf/sadf-d-u-*.out "$shared/vmstat/vmstat-t-1-3.out")
else
    echo "SKIPPED $check: no recordings of other machines in $shared" >&2
fi

export WEEKLINE_HISTORY=$work/history.db
printf '' >"$work/utc.toml"
printf '[schedule]\nzone = "America/New_York"\n' >"$work/ny.toml"
export WEEKLINE_CONFIG=$work/utc.toml
points() { sqlite3 "$WEEKLINE_HISTORY" 'SELECT points FROM total'; }

"$weekline" import --json --zone UTC --dry-run "${files[@]}" >"$work/dry.json"
[ ! -e "$WEEKLINE_HISTORY" ] || fail "--dry-run made a history"
"$weekline" import --json --zone UTC "${files[@]}" >"$work/first.json" || fail "$(jq -r '.files[].error // empty' "$work/first.json")"
jq -e 'all(.files[]; .snapshots > 0)' "$work/first.json" >/dev/null || fail "a file without a snapshot"
kept=$(points)
"$weekline" import --json --zone UTC "${files[@]}" >"$work/again.json"
[ "$(points)" = "$kept" ] || fail "importing twice made $kept points $(points)"
jq -e 'all(.files[]; .stored == 0)' "$work/again.json" >/dev/null || fail "importing twice stored something"
say "${#files[@]} files, $kept points, none of them twice"

"$weekline" import --list --json >"$work/list.json"
jq -e --arg p "$work/sadf-monday.out" '.batches[] | select(.path == $p) | .host == "mail1" and .snapshots == 15' "$work/list.json" >/dev/null ||
    fail "--list does not know the recording of Monday: $(cat "$work/list.json")"

mean() { jq -r '[.] | flatten | .[] | select(.labels.host == "mail1" or .host == "mail1") | .weeks[0].mean'; }
"$weekline" weeks --always --json --host mail1 >"$work/always.json"
true_for "$(jq -r '[.] | flatten | .[0].weeks[0].mean' "$work/always.json") == 0.25" || fail "weeks --always: $(cat "$work/always.json")"
"$weekline" weeks --host mail1 2>"$work/err" >"$work/out"
grep -q 'nothing in business hours.*lie outside' "$work/err" || fail "weeks does not say that 19:15 lies outside: $(cat "$work/err")"
WEEKLINE_CONFIG=$work/ny.toml "$weekline" weeks --json --host mail1 >"$work/ny.json"
jq -e '[.] | flatten | .[0] | .zone == "America/New_York" and .weeks[0].week == "2026-W49" and .weeks[0].slots[0].time[:3] == "14:"' \
    "$work/ny.json" >/dev/null || fail "weeks in New York: $(cat "$work/ny.json")"
WEEKLINE_CONFIG=$work/ny.toml "$weekline" weeks --host mail1 | has 2026-W49 || fail "the week is not on the chart"
say "a Monday's 19:15 UTC is 14:15 in New York and on its weekly line"

"$weekline" export --format csv --from 2026-11-30T19:15:00Z --to 2026-11-30T19:30:00Z >"$work/export.csv"
[ "$(head -n 1 "$work/export.csv")" = time,metric,labels,value ] || fail "export has another head"
[ "$(grep -c '^2026-11-30T19:[12][0-9]:00.000Z,[a-z_]*,.*host=""mail1""' "$work/export.csv")" -ge 75 ] || fail "export lacks points: $(head "$work/export.csv")"

batch=$(jq --arg p "$work/sadf-monday.out" '.batches[] | select(.path == $p) | .batch' "$work/list.json")
"$weekline" import --undo "$batch" 2>"$work/err"
[ "$(points)" -lt "$kept" ] || fail "--undo took nothing out"
code=0
"$weekline" import --undo "$batch" 2>/dev/null || code=$?
[ "$code" = 1 ] || fail "--undo twice ended with exit code $code"
"$weekline" import --json --zone UTC "$work/sadf-monday.out" >/dev/null
[ "$(points)" = "$kept" ] || fail "after --undo and a new import there are $(points) points, not $kept"
say "--list, --undo and export agree"

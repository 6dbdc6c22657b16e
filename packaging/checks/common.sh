# shellcheck shell=bash disable=SC2034 # names that those who source this use
# What the checks share; each of them sources it first.
# A check works in a folder of its own, listens on loopback alone, and at its end stops the processes it started and no other.
set -euo pipefail
export LC_ALL=C TZ=UTC

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
weekline=${WEEKLINE:-$repo/target/dist/weekline} # the very binary that is packaged
check=$(basename "$0" .sh)
work=$(mktemp -d)
chmod 755 "$work"
pids=()
pid=

say() { echo "  $check: $*"; }

fail() {
    echo "FAILED $check: $*" >&2
    tail -n 5 "$work"/*.log >&2 2>/dev/null || true
    exit 1
}

# A check that cannot run here; on the build server it must.
skip() {
    [ "${CI:-}" != true ] || fail "cannot be left out where CI=true: $*"
    echo "SKIPPED $check: $*" >&2
    exit 0
}

# start NAME COMMAND...: in the background, its output to $work/NAME.log, its process number in $pid.
start() {
    local name=$1
    shift
    "$@" >"$work/$name.log" 2>&1 &
    pid=$!
    pids+=("$pid")
}

# stop PID [SIGNAL]: and waits for its end, with force after ten seconds; its exit code is in $code.
stop() {
    local deadline=$((SECONDS + 10))
    kill -"${2:-TERM}" "$1" 2>/dev/null || true
    while kill -0 "$1" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.02; done
    kill -KILL "$1" 2>/dev/null || true
    code=0
    wait "$1" 2>/dev/null || code=$?
}

finish() {
    local result=$? n
    for ((n = ${#pids[@]} - 1; n >= 0; n--)); do stop "${pids[n]}"; done # the last first: some live within others
    if declare -F clean_up >/dev/null; then clean_up || true; fi
    rm -rf "$work"
    exit "$result"
}
trap finish EXIT
trap 'exit 130' INT TERM

# within SECONDS COMMAND...: until the command succeeds.
within() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.1
    done
}

answers() { curl -fsS -m 2 -o /dev/null "$1"; }
# wait_for URL [SECONDS]: of the process that was started last.
wait_for() {
    within "${2:-10}" answers "$1" || fail "no answer from $1"
    kill -0 "$pid" || fail "somebody else answers at $1"
}
status_of() { curl -s -m 5 -o /dev/null -w '%{http_code}' "$@"; }

# metric URL SERIES: the value of the series whose text begins so; nothing where there is none.
metric() { curl -fsS -m 2 "$1/metrics" | awk -v s="$2" 'index($0, s " ") == 1 { print $NF }'; }

# has PATTERN: grep that reads to the end, so that the writer of the pipe is not cut off.
has() { grep "$@" >/dev/null; }

# true_for EXPRESSION: awk decides, so that fractions compare.
true_for() { awk "BEGIN { exit !($1) }"; }

#!/usr/bin/env bash
# Bad input of every sort: one line that names the thing and the next step, the documented exit code, and nothing changed.
source "$(dirname "$0")/common.sh"

# Rights mean nothing to root, so everything is done as somebody else.
cp "$weekline" "$work/weekline"
mkdir "$work/own" # what the user may write
if [ "$(id -u)" = 0 ]; then
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chown 65534:65534 "$work/own"
else
    user=()
fi
cd "$work/own"
cases=0

# expect CODE PATTERN ARGUMENTS...: exit code, and a single line on stderr that matches.
expect() {
    local want=$1 pattern=$2 code=0
    shift 2
    timeout 10 "${user[@]}" "$work/weekline" "$@" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = "$want" ] || fail "\`weekline $*\` ended with $code, not $want: $(cat "$work/err")"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "\`weekline $*\` says more or less than one line: $(cat "$work/err")"
    grep -qE "$pattern" "$work/err" || fail "\`weekline $*\` does not say /$pattern/: $(cat "$work/err")"
    cases=$((cases + 1))
}

# setting PATTERN TOML: a bad configuration is refused by check (4) and by run (1) with the same words.
setting() {
    printf '%b' "$2" >"$work/own/bad.toml"
    expect 4 "$1" config check --config "$work/own/bad.toml"
    expect 1 "$1" run --config "$work/own/bad.toml" --history "$work/own/none.db"
    expect 1 "$1" weeks --config "$work/own/bad.toml" --history "$work/own/none.db"
    [ ! -e "$work/own/none.db" ] || fail "a history was made for a bad configuration"
}

setting 'line 2: unknown setting `intervall`.*`interval`' '[schedule]\nintervall = "60s"\n'
setting 'line 1: unknown section `shedule`.*`schedule`' '[shedule]\ninterval = "60s"\n'
setting 'line 2: `interval` in \[schedule\]' '[schedule]\ninterval = 60\n'
setting 'line 2: `interval` in \[schedule\]' '[schedule]\ninterval = "0s"\n'
setting 'line 2: `hours` in \[schedule\]' '[schedule]\nhours = "25:00-26:00"\n'
setting 'line 2: `days` in \[schedule\]' '[schedule]\ndays = ["monday?"]\n'
setting 'line 2: `zone` in \[schedule\]' '[schedule]\nzone = "Europe/Berlim"\n'
setting 'line 2: `listen` in \[web\]' '[web]\nlisten = "localhost"\n'
setting 'line 2: `keep_bytes` in \[history\]' '[history]\nkeep_bytes = "1 cup"\n'
setting 'line 2: ' '[schedule]\nzone = \n'
setting "\`holidays\` in \[schedule\].*$work/own/none" "[schedule]\nholidays = \"$work/own/none\"\n"
touch "$work/secret"
chmod 600 "$work/secret"
setting "\`holidays\` in \[schedule\].*$work/secret.*[Pp]ermission" "[schedule]\nholidays = \"$work/secret\"\n"
printf '[schedule]\nintervall = "60s"\nhours = "25:00-26:00"\n[web]\nlisten = ""\n' >bad.toml
"${user[@]}" "$work/weekline" config check --config bad.toml 2>"$work/err" && fail "three problems pass"
[ "$(grep -c "^\`bad.toml\`: line [235]: " "$work/err")" = 3 ] || fail "not every problem is told: $(cat "$work/err")"

none="$work/own/none.toml"
expect 4 "$none" config check --config "$none"
expect 1 "$none" run --config "$none"
expect 1 "cannot read.*$work/secret" run --config "$work/secret"
expect 1 'no metric `host_cpu_bussy_ratio`, did you mean `host_cpu_busy_ratio`' weeks host_cpu_bussy_ratio
expect 1 "no history at \`$work/own/none.db\`.*weekline run" weeks --history "$work/own/none.db"
expect 1 "no history at \`$work/own/none.db\`.*weekline run" export --format csv --history "$work/own/none.db"
expect 1 "no history at \`$work/own/none.db\`.*weekline run" import --undo 1 --history "$work/own/none.db"
[ ! -e "$work/own/none.db" ] || fail "a reader made a history"

# Usage: clap says more than a line, so only the code counts.
for arguments in "" "runn" "run --interval 0s" "run --listen nowhere" "import" "weeks --last 0" "export" "config"; do
    code=0
    # shellcheck disable=SC2086 # words are meant
    "${user[@]}" "$work/weekline" $arguments >/dev/null 2>&1 || code=$?
    [ "$code" = 2 ] || fail "\`weekline $arguments\` ended with $code, not 2"
done

# Histories. A good one first, to be spoiled in copies.
listen=127.0.0.1:19750
start good "${user[@]}" "$work/weekline" run --always --interval 1s --listen $listen --history good.db
wait_for http://$listen/metrics
sleep 3
expect 1 'another `weekline run` keeps the history.*good.db.*--history' run --always --listen 127.0.0.1:19751 --history good.db
expect 1 "cannot listen on $listen.*--listen" run --always --listen $listen --history other.db
[ ! -e other.db ] || fail "a history was made although nothing could be served"
answers http://$listen/metrics || fail "the first run suffered from the second"
stop "$pid"
[ "$code" = 0 ] || fail "the good run ended with exit code $code"

# spoiled NAME CODE PATTERN: run refuses $NAME and so do the readers, and the file stays byte for byte.
spoiled() {
    local name=$1 pattern=$2 sum
    chmod 666 "$name"
    sum=$(sha256sum "$name")
    expect 1 "$pattern" run --always --listen $listen --history "$name"
    expect 1 "$pattern" weeks --history "$name"
    [ "$(sha256sum "$name")" = "$sum" ] || fail "$name was changed"
    expect 1 "$pattern" import --list --history "$name"
}
cp good.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 99' >/dev/null
spoiled newer.db 'newer.db` has version 99.*newer weekline'
echo 'Dear diary, nothing happened in business hours.' >text.db
spoiled text.db 'text.db` is no Weekline history.*--history'
sqlite3 foreign.db 'CREATE TABLE t (x)'
spoiled foreign.db 'foreign.db` is no Weekline history.*--history'
cp good.db header.db
printf 'garbage!' | dd of=header.db conv=notrunc status=none
spoiled header.db 'header.db` is no Weekline history.*--history'

# Garbage in the middle: whoever meets it says so, and nobody mends it by leaving something out.
cp good.db middle.db
chmod 666 middle.db
size=$(stat -c %s middle.db)
dd if=/dev/urandom of=middle.db bs=1024 seek=4 count=$((size / 1024 - 8)) conv=notrunc status=none
sum=$(sha256sum middle.db)
expect 1 'middle.db` is damaged and was left as it is.*recover' weeks --history middle.db
expect 1 'middle.db` is damaged and was left as it is.*recover' run --always --listen $listen --history middle.db
[ "$(sha256sum middle.db)" = "$sum" ] || fail "the damaged history was changed"

mkdir folder.db
expect 1 'folder.db' weeks --history folder.db
expect 1 'folder.db' run --always --listen $listen --history folder.db
mkdir "$work/closed"
cp good.db "$work/closed/history.db"
sum=$(sha256sum "$work/closed/history.db")
expect 1 "history \`$work/closed/history.db\` cannot be.*rights" run --always --listen $listen --history "$work/closed/history.db"
expect 1 "$work/closed" run --always --listen $listen --history "$work/closed/new.db"
expect 1 "$work/closed/deeper" run --always --listen $listen --history "$work/closed/deeper/history.db"
[ "$(sha256sum "$work/closed/history.db")" = "$sum" ] || fail "the history in the closed folder was changed"

# Files to import: told on stdout beside those that were read, exit code 1, nothing kept.
echo 'no recording' >text.txt
code=0
"${user[@]}" "$work/weekline" import text.txt none.txt folder.db --history import.db >"$work/out" 2>"$work/err" || code=$?
[ "$code" = 1 ] && [ "$(grep -c refused "$work/out")" = 3 ] || fail "bad files are not refused: $(cat "$work/out" "$work/err")"

grep -rq panicked "$work"/*.log "$work/err" && fail "a panic"
say "$cases cases, each in one line"

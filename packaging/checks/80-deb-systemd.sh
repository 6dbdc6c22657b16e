#!/usr/bin/env bash
# The package on a machine of its own: built, linted, installed under a real systemd, killed, reloaded, upgraded, purged.
source "$(dirname "$0")/common.sh"

"$repo/packaging/build-deb.sh" >"$work/build.log" 2>&1 || fail "no package"
deb=$(ls -t "$repo"/target/debian/weekline_*.deb | head -n 1)
say "$(basename "$deb"): $(stat -c %s "$deb") bytes, lintian finds no error"
grep '^W: ' "$work/build.log" || true

[ "$(id -u)" = 0 ] || skip "only root may boot a machine of its own"

# The smallest system of this machine's own release, kept for the next time.
cache=$repo/target/checks/root
if [ ! -d "$cache" ]; then
    rm -rf "$cache.part"
    mkdir -p "$(dirname "$cache")"
    # shellcheck disable=SC1091 # the system's
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC2016 # apt's own variables
    mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' | awk -v s="$suite" '$1 == s { print $2; exit }')
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus "$suite" "$cache.part" "$mirror" >"$work/debootstrap.log" 2>&1 ||
        fail "debootstrap of $suite"
    mv "$cache.part" "$cache"
fi
root=$work/root
cp -a --reflink=auto "$cache" "$root"

# A file system at /home, if this machine has loop devices: what the unit hides would be reported wrongly or not at all.
home=
truncate -s 8M "$work/home.img"
mkfs.ext4 -q "$work/home.img"
if mount -o loop "$work/home.img" "$root/home" 2>/dev/null; then home=/home; else say "no loop device: nothing is mounted at /home"; fi
machine=
clean_up() {
    if [ -n "$home" ]; then umount "$root$home"; fi
}

start machine systemd-nspawn --quiet -D "$root" --boot --register=no --keep-unit --private-network --console=pipe -M "weekline-$$" </dev/null
machine=$pid
leader=
booted() {
    leader=$(pgrep -P "$machine") && [[ $(inside systemctl is-system-running) =~ running|degraded ]]
}
inside() { nsenter -t "$leader" -a "$@"; }
within 10 kill -0 "$machine" && within 40 booted || skip "systemd-nspawn does not boot: $(tail -n 3 "$work/machine.log")"

cp "$deb" "$root/weekline.deb"
inside dpkg -i /weekline.deb >"$work/dpkg.log" 2>&1 || fail "dpkg -i"
active() { inside systemctl is-active -q weekline; }
within 10 active || fail "not active after the installation: $(inside journalctl -u weekline --no-pager)"
inside systemctl is-enabled -q weekline || fail "not enabled after the installation"
inside systemd-analyze verify --man=no weekline.service || fail "systemd-analyze finds fault"
inside systemd-analyze security --offline=yes --threshold=20 weekline.service >"$work/security" ||
    fail "too exposed: $(tail -n 1 "$work/security")"
say "$(tail -n 1 "$work/security" | sed 's/^[^O]*//')"

url=http://127.0.0.1:9717
scrape() { nsenter -t "$leader" -n curl -fsS -m 2 "${1:-$url}/metrics"; }
value() { scrape | awk -v s="$1" 'index($0, s " ") == 1 { print $NF }'; }
cat >"$root/etc/weekline/weekline.toml" <<'T'
[schedule]
days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
hours = "00:00-24:00"
interval = "1s"
T
inside systemctl reload weekline || fail "reload"
sampling() { [ -n "$(value host_cpu_busy_ratio)" ]; }
within 10 sampling || fail "no sample after the reload"
scrape | grep '^weekline_source_up{[^}]*} 0' && fail "a source is down under systemd"

# Nothing of the unit's hardening may cost a series: the same program without it sees as much.
inside weekline run --always --interval 1s --listen 127.0.0.1:9718 --history /run/plain.db >"$work/plain.log" 2>&1 &
pids+=($!)
plain=$!
plainly() { scrape http://127.0.0.1:9718 | has ^host_cpu_busy_ratio; }
within 10 plainly || fail "the agent does not run outside of the unit"
scrape | grep -E '^host_' | sed 's/ [^ ]*$//' | sort >"$work/in-unit"
scrape http://127.0.0.1:9718 | grep -E '^host_' | sed 's/ [^ ]*$//' | sort >"$work/outside"
diff "$work/outside" "$work/in-unit" >&2 || fail "the unit changes what is seen (< outside, > in the unit)"
[ -z "$home" ] || has 'mountpoint="/home"' "$work/in-unit" || fail "the file system at /home is not seen"
kill "$(pgrep -P "$plain")"
say "$(wc -l <"$work/in-unit") series of the host, the same inside and outside of the unit"

inside weekline status | has '^history .* snapshots' || fail "root cannot read the history: $(inside weekline status)"
[ "$(stat -c '%a' "$root/var/lib/weekline")" = 750 ] || fail "the folder of the history is open to all"
[ "$(inside stat -c '%U:%G:%a' /var/lib/weekline/history.db)" = weekline:weekline:640 ] || fail "the history's rights: $(inside stat -c '%U:%G:%a' /var/lib/weekline/history.db)"
! inside journalctl -u weekline --no-pager | grep -E 'WARN|ERROR|panicked|Failed' || fail "the journal has complaints"

main() { inside systemctl show -P MainPID weekline; }
first=$(main)
inside sh -c "kill -9 $first"
again() { active && [ "$(main)" != "$first" ] && [ "$(main)" != 0 ] && sampling; }
within 20 again || fail "not restarted after kill -9: $(inside systemctl status weekline)"
inside journalctl -u weekline --no-pager | has 'did not stop cleanly' || fail "the journal does not tell of the kill"
say "restarted after kill -9"

first=$(main)
inside dpkg -i /weekline.deb >>"$work/dpkg.log" 2>&1 || fail "dpkg -i over itself"
within 20 again || fail "not running after an upgrade"
cmp -s "$root/etc/weekline/weekline.toml" "$repo/packaging/weekline.toml" && fail "the upgrade overwrote the configuration"

begun=$(date +%s%N)
inside systemctl stop weekline
took=$((($(date +%s%N) - begun) / 1000000))
((took < 2000)) || fail "stopping took $took ms"
[ "$(inside systemctl show -P Result weekline)" = success ] || fail "stopped with $(inside systemctl show -P Result weekline)"
inside systemctl start weekline || fail "start after stop"
say "stopped after $took ms"

# The drop-ins of docs/domino.md. A server stands in that answers as one listing says, for partitions of users of their own.
cp "$repo/agent/tests/fixtures/show_stat.txt" "$root/opt/listing"
printf '#!/bin/sh\nexec cat /opt/listing >"${2#*>}"\n' >"$root/opt/answer"
chmod 755 "$root/opt/answer"
mkdir -p "$root/opt/notes/latest/linux" "$root/local"
cp "$root/bin/sleep" "$root/opt/notes/latest/linux/server"
for user in notes notes1 notes2; do
    inside useradd "$user"
    data=/local/notesdata${user#notes}
    inside install -d -o "$user" -g "$user" -m 770 "$data"
    printf '[Notes]\nServerTasks=\n' >"$root$data/notes.ini"
done
memory() { inside ipcs -m | awk '$3 == "notes"' | wc -l; }
inside runuser -u notes -- ipcmk -M 4096 >/dev/null
# under DROP-IN SETTINGS USER...: a partition with these settings for each user, and the agent anew under that drop-in.
under() {
    local drop_in=$1 settings=$2 user
    shift 2
    printf '[schedule]\ndays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]\nhours = "00:00-24:00"\ninterval = "1s"\n' >"$root/etc/weekline/weekline.toml"
    for user in "$@"; do
        printf '[[partition]]\nname = "%s"\ndata = "/local/notesdata%s"\n%s\n' "$user" "${user#notes}" "$settings" >>"$root/etc/weekline/weekline.toml"
    done
    rm -rf "$root/etc/systemd/system/weekline.service.d"
    install -D -m 644 "$repo/systemd/examples/$drop_in.conf" "$root/etc/systemd/system/weekline.service.d/$drop_in.conf"
    inside systemctl daemon-reload
    inside systemctl restart weekline || fail "does not start with $drop_in.conf"
    inside systemd-analyze verify --man=no weekline.service || fail "systemd-analyze finds fault with $drop_in.conf"
}
up() { [ "$(value "weekline_source_up{source=\"$1\",partition=\"$2\"}")" = 1 ]; }
console='source = "console"
program = "/opt/answer"'
under console "$console" notes
within 10 up console notes || fail "console.conf: $(inside weekline status)"
inside systemctl stop weekline
[ "$(memory)" = 1 ] || fail "the agent removed the shared memory of a server whose user it ran as"
under several-users "$console" notes1 notes2
for user in notes1 notes2; do within 10 up console "$user" || fail "several-users.conf: $(inside weekline status)"; done
inside systemd-run -q --unit=domino -p User=notes -p WorkingDirectory=/local/notesdata /opt/notes/latest/linux/server 600
under tasks "" notes
within 10 up tasks notes || fail "tasks.conf: $(inside weekline status)"
[ -z "$(find "$root/local" -name '*.txt')" ] || fail "answers were left in the data folder"
inside systemctl stop weekline domino
rm -r "$root/etc/systemd/system/weekline.service.d"
say "a partition's console and tasks are read with the drop-ins, and its shared memory stays"

inside dpkg --purge weekline >>"$work/dpkg.log" 2>&1 || fail "dpkg --purge"
left=$(cd "$root" && find etc usr var/lib -path var/lib/dpkg -prune -o -name '*weekline*' -print)
[ -z "$left" ] || fail "left behind by --purge: $left"
[ -z "$(inside systemctl --failed --no-legend)" ] || fail "failed units: $(inside systemctl --failed --no-legend)"
say "purged without a trace"
inside systemctl poweroff
wait "$machine" || true

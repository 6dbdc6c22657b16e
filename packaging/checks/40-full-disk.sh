#!/usr/bin/env bash
# A disk that fills up: /metrics goes on, every loss is counted with its reason, and writing resumes by itself.
source "$(dirname "$0")/common.sh"

[ "$(id -u)" = 0 ] || skip "only root may mount a small disk"
if [ -z "${OWN_MOUNTS:-}" ]; then
    unshare --mount true 2>/dev/null || skip "no mount namespace to be had"
    rm -rf "$work"
    exec env OWN_MOUNTS=1 unshare --mount "$0"
fi

url=http://127.0.0.1:19740 disk=$work/disk history=$work/disk/history.db
mkdir "$disk"
mount -t tmpfs -o size=2m tmpfs "$disk"
clean_up() { umount "$disk"; }

ticks() { curl -fsS -m 2 $url/metrics | awk '/^weekline_ticks_total\{outcome="(on_time|late)"\}/ { n += $2 } END { print n + 0 }'; }
lost() { metric $url 'weekline_points_lost_total{why="no_room"}'; }
snapshots() { "$weekline" status --json --listen 127.0.0.1:19740 --history "$history" 2>/dev/null | jq .history.snapshots; }
is_losing() { [ "$(lost)" -gt 0 ]; }

start weekline "$weekline" run --always --interval 1s --listen 127.0.0.1:19740 --history "$history"
wait_for $url/metrics
sleep 3
[ "$(lost)" = 0 ] || fail "points are lost before the disk is full"

dd if=/dev/zero of="$disk/filler" bs=4k status=none 2>/dev/null || true # until there is no room
within 60 is_losing || fail "no loss counted: $(df "$disk" | tail -n 1)"
before_ticks=$(ticks) before_lost=$(lost)
sleep 4
true_for "$(lost) > $before_lost" || fail "the loss does not grow while the disk is full"
(($(ticks) >= before_ticks + 3)) || fail "sampling stopped with the disk full"
"$weekline" status --listen 127.0.0.1:19740 --history "$history" 2>/dev/null | has '^LOST .*no_room' || fail "status does not tell"
say "disk full: sampling and /metrics go on, $(lost) points counted as lost"

rm "$disk/filler"
sleep 2
kept=$(snapshots) after_lost=$(lost)
sleep 4
(($(snapshots) >= kept + 3)) || fail "writing did not resume"
[ "$(lost)" = "$after_lost" ] || fail "points are still lost with room again"

stop "$pid"
[ "$code" = 0 ] || fail "stopped with exit code $code"
[ "$(grep -c ERROR "$work/weekline.log")" = 1 ] || fail "the loss is not logged once: $(grep -c ERROR "$work/weekline.log") lines"
grep -q 'the history is written again' "$work/weekline.log" || fail "the log does not tell that writing resumed"
[ "$(sqlite3 "$history" 'PRAGMA integrity_check')" = ok ] || fail "the file is damaged"
say "room again: $(snapshots) snapshots kept, the file is whole"

# No room from the start: the service starts all the same, counts the loss, and keeps what it reads once there is room.
dd if=/dev/zero of="$disk/filler" bs=4k status=none 2>/dev/null || true
start late "$weekline" run --always --interval 1s --listen 127.0.0.1:19740 --history "$disk/other.db"
wait_for $url/metrics
within 20 is_losing || fail "no loss counted by a service that started on a full disk"
rm "$disk/filler"
sleep 3
resumed() { [ "$("$weekline" status --json --listen 127.0.0.1:19740 --history "$disk/other.db" 2>/dev/null | jq .history.snapshots)" -ge 2 ]; }
within 20 resumed || fail "a service that started on a full disk does not write once there is room"
stop "$pid"
[ "$code" = 0 ] || fail "stopped with exit code $code"
say "started on a full disk: it serves, and writes once there is room"

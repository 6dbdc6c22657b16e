#!/usr/bin/env bash
# Everything that is checked, in one go: .ci/run calls this and nothing else.
# Wants Debian or Ubuntu with Rust, root or sudo; installs the rest. `packaging/check.sh 30 40`: only those checks of packaging/checks.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s (after %d s)\n' "$*" $SECONDS; }

step "install"
packages=(g++ libc6-dev curl jq sqlite3 procps e2fsprogs prometheus prometheus-node-exporter sysstat
    lintian debootstrap systemd-container shellcheck)
if ! dpkg-query -W "${packages[@]}" >/dev/null 2>&1; then
    root=(env DEBIAN_FRONTEND=noninteractive)
    [ "$(id -u)" = 0 ] || root=(sudo "${root[@]}")
    "${root[@]}" apt-get update -q
    "${root[@]}" apt-get install -q -y --no-install-recommends "${packages[@]}"
fi
command -v cargo-deb >/dev/null || cargo install --quiet --locked cargo-deb
command -v cargo-deny >/dev/null || cargo install --quiet --locked cargo-deny

if [ $# = 0 ]; then
    step "fmt"
    cargo fmt --all --check
    cargo fmt --manifest-path fuzz/Cargo.toml --check
    step "shellcheck"
    shellcheck -x -S warning packaging/*.sh packaging/checks/*.sh packaging/deb/* .ci/run
    step "clippy"
    cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
    step "test"
    cargo test --quiet --locked --workspace
    step "doc"
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --workspace --no-deps
    step "deny"
    cargo deny --config packaging/deny.toml check licenses bans sources
    step "fuzz targets compile"
    cargo check --quiet --locked --manifest-path fuzz/Cargo.toml --target-dir target
fi

step "build"
cargo build --quiet --locked --profile dist --bin weekline
for check in packaging/checks/[0-9]*.sh; do
    number=$(basename "$check" | cut -d- -f1)
    [ $# = 0 ] || [[ " $* " == *" $number "* ]] || continue
    step "$(sed -n 's/^# //p' "$check" | head -n 1)"
    "$check"
done
step "all is well"

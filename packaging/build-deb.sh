#!/usr/bin/env bash
# Builds target/debian/weekline_*.deb out of the profile `dist`, and has lintian look at it.
set -euo pipefail
cd "$(dirname "$0")/.."
out=packaging/out

cargo build --locked --profile dist --bin weekline
rm -rf "$out"
target/dist/weekline man "$out"

# CHANGELOG.md as Debian writes it: every version with its lines, and the date of the last commit.
date=$(git log -1 --format=%cD 2>/dev/null || date -R)
fold -s -w 74 CHANGELOG.md | awk -v date="$date" -v by="The Weekline developers <weekline@weekline.invalid>" '
    function end() { if (open) printf "\n -- %s  %s\n\n", by, date }
    { sub(/ +$/, "") }
    /^## / { end(); open = 1; printf "weekline (%s-1) unstable; urgency=medium\n\n", $2; next }
    open && NF { print (/^\* / ? "  " : "    ") $0 }
    END { end() }' >"$out/changelog"

cargo deb --quiet --locked --no-build --no-strip --profile dist -p weekline
if command -v lintian >/dev/null; then
    lintian --fail-on error "$(ls -t target/debian/weekline_*.deb | head -n 1)"
else
    echo "lintian is not installed, so the package was not linted" >&2
fi

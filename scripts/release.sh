#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the single file that is installed on a server, and prints its path. The file is stripped and contains Swift's own
# libraries.
#
#   scripts/release.sh        builds the gateway
#   scripts/release.sh lab    also builds opencode-simulator in the same way, because the lab's containers have no Swift
set -eu
cd "$(dirname "$0")/.."

# The limit detects a large library by mistake: Foundation alone would add at least 6 MB.
largest=$((20 * 1000 * 1000))
# Use a separate scratch directory, because a switch between static and shared libraries would rebuild everything.
scratch=.build/static
program=.build/dist/viberemote-gateway

fail() { echo "release: $*" >&2; exit 1; }

swift build -c release --static-swift-stdlib --product viberemote-gateway --scratch-path "$scratch"
mkdir -p "$(dirname "$program")"
strip -o "$program" "$scratch/release/viberemote-gateway"

libraries=$(ldd "$program") || fail "ldd cannot read $program"
if wrong=$(printf '%s\n' "$libraries" | grep -E 'libswift|libFoundation|libicu|_FoundationICU'); then
    fail "$program needs shared libraries that must be linked statically: $wrong"
fi
size=$(stat -c %s "$program")
[ "$size" -le "$largest" ] ||
    fail "$program has $size bytes, more than $largest. Find what the last change has added (nm -S --size-sort $scratch/release/viberemote-gateway)"
[ "${1-}" != lab ] || {
    swift build -c release --static-swift-stdlib --product opencode-simulator --scratch-path "$scratch"
    strip -o .build/dist/opencode-simulator "$scratch/release/opencode-simulator"
}
echo "release: $program, $size bytes, $(printf '%s\n' "$libraries" | grep -c '=>') shared libraries"

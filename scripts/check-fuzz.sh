#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Type-checks each fuzz target against the modules that `swift build --build-tests` has built. scripts/fuzz.sh builds and runs
# the targets, which would take too long for each test run.
set -eu
cd "$(dirname "$0")/.."

# SwiftPM derives the package name for `package` declarations from the name of the checkout's directory.
package=$(basename "$PWD" | tr 'A-Z' 'a-z' | tr -c 'a-z0-9\n' '_')
libraries=""
for folder in Sources/CLibraries/*; do
    [ ! -f "$folder/module.modulemap" ] || libraries="$libraries -I $folder"
done
for map in .build/debug/C*.build/module.modulemap; do
    libraries="$libraries -Xcc -fmodule-map-file=$map"
done
# check FILE: type-checks a target.
check() {
    # shellcheck disable=SC2086  # a list of flags
    swiftc -typecheck -suppress-warnings -parse-as-library -swift-version 6 -package-name "$package" \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature InternalImportsByDefault -I .build/debug/Modules $libraries \
        "$1" Fuzz/Support/*.swift || {
        echo "check-fuzz: $1 does not compile against the modules that it tests: adapt it to their current interfaces" >&2
        return 1
    }
}

# As many targets at a time as there are processors.
status=0
running=""
for source in Fuzz/*.swift; do
    check "$source" &
    running="$running $!"
    # shellcheck disable=SC2086  # a list of process ids
    set -- $running
    if [ $# -ge "$(nproc)" ]; then
        wait "$1" || status=1
        shift
        running="$*"
    fi
done
for process in $running; do wait "$process" || status=1; done
[ "$status" -ne 0 ] || echo "check-fuzz: all $(find Fuzz -maxdepth 1 -name '*.swift' | wc -l) targets compile"
exit "$status"

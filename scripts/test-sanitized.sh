#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs all tests except the lab's with a sanitizer: scripts/test-sanitized.sh thread|address.
#
# The gateway that the tests start is also built with the sanitizer. The sanitizer writes its reports to files, so that this
# script finds a report even if the gateway continues and the test passes.
set -eu
cd "$(dirname "$0")/.."

sanitizer=${1-}
case $sanitizer in thread | address) ;; *)
    echo "usage: scripts/test-sanitized.sh thread|address" >&2
    exit 2 ;;
esac
scratch=.build/$sanitizer
reports=$PWD/$scratch/reports
mkdir -p "$reports"
rm -f "$reports"/report.*

swift build --build-tests --sanitize="$sanitizer" --scratch-path "$scratch"

# Swift's crash reporter hangs under a sanitizer, so disable it.
export SWIFT_BACKTRACE=enable=no
options="log_path=$reports/report:exitcode=66"
export TSAN_OPTIONS="$options:halt_on_error=0" ASAN_OPTIONS="$options:halt_on_error=1"

# Leak Sanitizer reports these false leaks:
# - The Swift runtime stores the address of an object's weak references in a form that Leak Sanitizer cannot read. If an object
#   really leaks, Leak Sanitizer reports the object itself.
# - Foundation's Process, which only tests use, never frees some of its memory.
# - Tests store JSON values of the simulator in static constants. The address of an enum case's payload contains bits of the
#   case, so Leak Sanitizer does not recognise the address.
cat >"$scratch/leaks" <<'END'
leak:formWeakReference
leak:Foundation7ProcessC
leak:opencode_simulator10JSONParser
END
export LSAN_OPTIONS="suppressions=$PWD/$scratch/leaks:print_suppressions=0"
status=0
scripts/run-tests.sh --sanitize="$sanitizer" --scratch-path "$scratch" || status=$?

found=0
for report in "$reports"/report.*; do
    [ -s "$report" ] || continue
    found=1
    printf '\n%s:\n' "$report" >&2
    head -n 100 "$report" >&2
done
if [ "$found" -ne 0 ]; then
    echo "test-$sanitizer: the $sanitizer sanitizer found errors: see the reports above" >&2
    exit 1
fi
[ "$status" -eq 0 ] && echo "test-$sanitizer: the $sanitizer sanitizer found no errors"
exit "$status"

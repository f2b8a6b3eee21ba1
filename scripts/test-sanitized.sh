#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs all tests under a sanitizer: scripts/test-sanitized.sh thread|address.
#
# The gateway that the tests start is also built with the sanitizer. It writes its reports to files, so that a report is
# found even if the gateway continues and its test passes.
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

# Swift's own crash report hangs under a sanitizer.
export SWIFT_BACKTRACE=enable=no
options="log_path=$reports/report:exitcode=66"
export TSAN_OPTIONS="$options:halt_on_error=0" ASAN_OPTIONS="$options:halt_on_error=1"

# The Swift runtime stores the address of an object's weak references in a form that Leak Sanitizer cannot read; an
# object that leaks is itself reported. Foundation's Process, which only tests use, never frees some of its memory. The
# simulator's JSON values in static constants of the tests are also affected, because the payload of an enum case has bits of
# the case in its address.
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

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Repeatedly runs tests that are already built, to find tests that fail rarely. Excludes the tests in the lab.
#
#   MODULES    the number of runs of the module tests (100)
#   EVENTS     the number of runs of the event tests (MODULES)
#   BLACKBOX   the number of runs of the black-box tests (20)
#   OUTSIDE    the number of runs of the independent clients: schemathesis.sh, test-sdks.sh, test-stream-clients.sh and
#              test-chat-clients.sh (10)
#
# During every second run, a busy loop runs for each core. The black-box tests run in four concurrent processes, which takes half
# the time and reveals races that do not occur in a single process.
#
# The script prints one line for each run. All runs together take three hours or more. After an interruption (Ctrl-C), the
# script resumes at the same point if the tests, the programs and the scripts have not changed. At the end and after an
# interruption, the script summarises the failures. The exit code is 0 if every run passed. The output of failed runs remains in
# .build/test-repeat. To start from the beginning, remove this directory.
set -eu
cd "$(dirname "$0")/.."
modules=${MODULES:-100}
events=${EVENTS:-$modules}
blackbox=${BLACKBOX:-20}
outside=${OUTSIDE:-10}
logs=.build/test-repeat

# The file contains a checksum of the built programs and the scripts, and a line for each run with the group's name and
# "passed" or "failed".
runs=$logs/runs
built=$({
    (cd .build/debug && cksum viberemote-gatewayPackageTests.xctest viberemote-gateway opencode-simulator)
    find scripts -type f ! -name '*.pyc' -exec cksum {} + | sort
} | cksum)
if [ "$(sed -n 1p "$runs" 2>/dev/null)" != "$built" ]; then
    rm -rf "$logs"
    mkdir -p "$logs"
    echo "$built" >"$runs"
fi

loops=""
stop_loops() {
    # shellcheck disable=SC2086  # a list of process ids
    [ -z "$loops" ] || kill $loops 2>/dev/null || :
    loops=""
}

# count PATTERN: prints the number of runs whose line matches the pattern.
count() { grep -c "$1" "$runs" || :; }

summary() {
    stop_loops
    failed=$(count " failed$")
    echo
    echo "test-repeat: $(count " [a-z]*ed$") runs ($(count "^modules ") modules, $(count "^events ") events," \
        "$(count "^black-box ") black-box, $(count "^outside ") outside), $(count " passed$") passed, $failed failed"
    if [ "$failed" -gt 0 ]; then
        echo "failed tests, with the number of failed runs:"
        for log in "$logs"/*.log; do
            # Swift Testing marks a failure with a cross, and the independent clients with FAILED. If the output of a failed
            # run contains neither, the run has crashed or could not start.
            names=$(sed -n -e '/^✘ Test run with /d' -e 's/^✘ Test \(.*\) failed after .*/\1/p' \
                -e 's/^FAILED: //p' "$log" | cut -c 1-150 | sort -u)
            echo "${names:-the run itself, without a failed test}"
        done | sort | uniq -c | sort -rn
        echo "output of the failed runs: $logs"
    fi
}
log=
# Remove the output of an interrupted run, because the run has no result.
trap 'rm -f "$log"; summary; exit 130' INT
trap 'rm -f "$log"; stop_loops; exit 143' TERM

# once GROUP: runs the tests of the group once.
once() {
    if [ "$1" != outside ]; then
        TEST_GROUPS=$1 scripts/run-tests.sh
        return
    fi
    for program in schemathesis test-sdks test-stream-clients test-chat-clients; do
        "scripts/$program.sh" || return
    done
}

# repeat GROUP COUNT: runs the tests of the group until they have run COUNT times, every second time with busy loops.
repeat() {
    name=$1
    wanted=$2
    run=$(($(count "^$name ") + 1))
    while [ "$run" -le "$wanted" ]; do
        beside="alone"
        if [ $((run % 2)) -eq 0 ]; then
            beside="beside busy loops"
            core=0
            while [ "$core" -lt "$(nproc)" ]; do
                sh -c 'while :; do :; done' &
                loops="$loops $!"
                core=$((core + 1))
            done
        fi
        log=$logs/$name-$run.log
        begin=$(date +%s)
        status=0
        once "$name" >"$log" 2>&1 || status=$?
        stop_loops
        took="$(($(date +%s) - begin)) s"
        if [ "$status" -eq 0 ]; then
            echo "$name passed" >>"$runs"
            rm "$log"
            echo "$name $run of $wanted, $beside: passed in $took"
        else
            echo "$name failed" >>"$runs"
            echo "$name $run of $wanted, $beside: FAILED in $took (exit code $status), $log"
        fi
        log=
        run=$((run + 1))
    done
}

repeat modules "$modules"
repeat events "$events"
repeat black-box "$blackbox"
repeat outside "$outside"
summary
[ "$failed" -eq 0 ]

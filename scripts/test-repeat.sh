#!/bin/sh
# Runs tests that are built already again and again, to find those that fail once in many runs: MODULES runs of the module tests
# (100), EVENTS of those of events (as many), BLACKBOX runs of the black-box tests (20), then OUTSIDE runs of what drives the gateway
# by programs of others (10): schemathesis.sh, clients.sh, readers.sh and talkers.sh. Every second run is beside a busy loop on each
# core. Not those in the lab. The black-box tests run in four processes at once: that takes half the time, and meets races that one
# does not.
#
# Each run's outcome is one line. It can be interrupted (Ctrl-C) and goes on the next time where it was, as long as the tests and
# the programs are the same: all runs together take three hours or more. What failed is summed up at the end, or when it is
# interrupted; the output of failing runs stays in .build/test-repeat. The exit code says whether every run passed. Remove that
# folder to begin again.
set -eu
cd "$(dirname "$0")/.."
modules=${MODULES:-100}
events=${EVENTS:-$modules}
blackbox=${BLACKBOX:-20}
outside=${OUTSIDE:-10}
logs=.build/test-repeat

# What was built, and the scripts, then a line for each run: the group's name and "passed" or "failed".
runs=$logs/runs
built=$({
    (cd .build/debug && cksum viberemote-gatewayPackageTests.xctest viberemote-gateway opencode-twin)
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

# count WHAT: how many runs are of that kind.
count() { grep -c "$1" "$runs" || :; }

summary() {
    stop_loops
    failed=$(count " failed$")
    echo
    echo "test-repeat: $(count " [a-z]*ed$") runs ($(count "^modules ") modules, $(count "^events ") events," \
        "$(count "^black-box ") black-box, $(count "^outside ") outside), $(count " passed$") passed, $failed failed"
    if [ "$failed" -gt 0 ]; then
        echo "what failed, and in how many runs:"
        for log in "$logs"/*.log; do
            # Swift Testing marks a failure with a cross, the programs of others with that word; a run that has neither and failed
            # has crashed or could not begin.
            names=$(sed -n -e '/^✘ Test run with /d' -e 's/^✘ Test \(.*\) failed after .*/\1/p' \
                -e 's/^FAILED: //p' "$log" | cut -c 1-150 | sort -u)
            echo "${names:-the run itself, without a failed test}"
        done | sort | uniq -c | sort -rn
        echo "see $logs"
    fi
}
log=
# What was interrupted has no outcome.
trap 'rm -f "$log"; summary; exit 130' INT
trap 'rm -f "$log"; stop_loops; exit 143' TERM

# once GROUP
once() {
    if [ "$1" != outside ]; then
        TEST_GROUPS=$1 PROCESSES=4 scripts/run-tests.sh
        return
    fi
    for program in schemathesis clients readers talkers; do
        "scripts/$program.sh" || return
    done
}

# repeat GROUP COUNT: of COUNT runs every second one has busy neighbours.
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

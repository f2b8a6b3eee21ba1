#!/bin/sh
# Runs tests that are built already again and again, to find those that fail once in many runs: MODULES runs of the module tests
# (100), then BLACKBOX runs of the black-box tests (20), every second one beside a busy loop on each core. Not those in the lab.
#
# Each run's outcome is one line. What failed is summed up at the end, or when it is interrupted (Ctrl-C); the output of
# failing runs stays in .build/test-repeat. The exit code says whether every run passed.
set -eu
cd "$(dirname "$0")/.."
modules=${MODULES:-100}
blackbox=${BLACKBOX:-20}
logs=.build/test-repeat
blocking='^(GatewayTests|OpenCodeTwinTests|TestKitTests)\.'
working='^(EventHubTests|DialectsTests|ConversationsTests|MappedFilesTests)\.'
lab='^LabTests\.'
rm -rf "$logs"
mkdir -p "$logs"

loops=""
stop_loops() {
    # shellcheck disable=SC2086  # a list of process ids
    [ -z "$loops" ] || kill $loops 2>/dev/null || :
    loops=""
}

passed=0
failed=0
summary() {
    stop_loops
    echo
    echo "test-repeat: $((passed + failed)) runs, $passed passed, $failed failed"
    if [ "$failed" -gt 0 ]; then
        echo "what failed, and in how many runs:"
        for log in "$logs"/*.log; do
            # Swift Testing marks a failure with a cross; a run that has none and failed has crashed or could not begin.
            names=$(sed -n -e '/^✘ Test run with /d' -e 's/^✘ Test \(.*\) failed after .*/\1/p' "$log" | sort -u)
            echo "${names:-the run itself, without a failed test}"
        done | sort | uniq -c | sort -rn
        echo "see $logs"
    fi
}
log=
# What was interrupted has no outcome.
trap 'rm -f "$log"; summary; exit 130' INT
trap 'stop_loops; exit 143' TERM

# repeat NAME COUNT OPTIONS...: of COUNT runs every second one has busy neighbours.
repeat() {
    name=$1
    count=$2
    shift 2
    run=1
    while [ "$run" -le "$count" ]; do
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
        swift test --skip-build --disable-xctest "$@" >"$log" 2>&1 || status=$?
        stop_loops
        took="$(($(date +%s) - begin)) s"
        if [ "$status" -eq 0 ]; then
            passed=$((passed + 1))
            rm "$log"
            echo "$name $run of $count, $beside: passed in $took"
        else
            failed=$((failed + 1))
            echo "$name $run of $count, $beside: FAILED in $took (exit code $status), $log"
        fi
        run=$((run + 1))
    done
}

repeat modules "$modules" --skip "$blocking" --skip "$working" --skip "$lab"
repeat events "$modules" --filter "$working"
repeat black-box "$blackbox" --filter "$blocking"
summary
[ "$failed" -eq 0 ]

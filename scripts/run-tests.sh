#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs tests that are already built, in three consecutive groups. Further options are passed to `swift test`. Excludes
# the tests in the lab, which test released programs and need machines (make test-lab).
#
#   TEST_GROUPS   the groups to run, separated by spaces (modules events black-box)
#   PROCESSES     the number of concurrent processes for the black-box tests (4): each process runs as many tests at a
#                 time as there are processors, and most of these only wait
#
# The black-box tests wait on sockets and thereby block the few threads on which Swift runs asynchronous code. If they
# ran at the same time, the asynchronous tests of the control plane would starve and miss their deadlines. The same
# applies to the tests that read every recorded event and generate thousands of events, which use all processors.
set -eu
cd "$(dirname "$0")/.."
PROCESSES=${PROCESSES:-4}
blocking='^(GatewayTests|OpenCodeSimulatorTests|TestKitTests)\.'
working='^(EventHubTests|DialectsTests|ConversationsTests|MappedFilesTests)\.'
lab='^LabTests\.'

# run OPTIONS...: runs tests without XCTest, which has no tests here, leaks at its start, and prints a summary of 0
# tests.
status=0
run() { swift test --skip-build --disable-xctest "$@" || status=$?; }

# beside_each_other OPTIONS...: runs each suite of black-box tests in one of the processes and prints their output
# consecutively.
beside_each_other() {
    outputs=$(mktemp -d)
    trap 'rm -rf "$outputs"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    swift test list --skip-build "$@" | grep -E "$blocking" >"$outputs/tests"
    sed 's:/.*::' "$outputs/tests" | sort -u >"$outputs/suites"
    running=""
    number=0
    while [ "$number" -lt "$PROCESSES" ]; do
        suites=$(awk -v all="$PROCESSES" -v mine="$number" 'NR % all == mine { gsub(/[^A-Za-z0-9_]/, "[&]"); print }' \
            "$outputs/suites" | paste -s -d '|')
        # Nothing is built, so no lock is needed. Background commands of a shell do not receive Ctrl-C (sh(1posix),
        # 2.11).
        env --default-signal=INT swift test --skip-build --ignore-lock --disable-xctest "$@" --filter "^($suites)/" >"$outputs/$number" 2>&1 &
        running="$running $!"
        number=$((number + 1))
    done
    for process in $running; do wait "$process" || status=$?; done
    number=0
    while [ "$number" -lt "$PROCESSES" ]; do
        cat "$outputs/$number"
        number=$((number + 1))
    done
    # Fail if no process has run a suite, which would otherwise go unnoticed.
    listed=$(wc -l <"$outputs/tests")
    ran=$(sed -n 's/.*Test run with \([0-9]*\) tests .*/\1/p' "$outputs"/[0-9]* | awk '{ sum += $1 } END { print sum + 0 }')
    if [ "$ran" -ne "$listed" ]; then
        echo "run-tests: only $ran of $listed black-box tests have run: look for a process that ended early" >&2
        status=1
    fi
}

for group in ${TEST_GROUPS:-modules events black-box}; do
    case $group in
    modules)
        # All asynchronous tests at once would exceed a user's limit of 128 inotify instances (inotify(7)), and each
        # would get too little processor time for its deadlines. Sixteen at a time also finish sooner.
        export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16
        run "$@" --skip "$blocking" --skip "$working" --skip "$lab"
        unset SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ;;
    events) run "$@" --filter "$working" ;;
    black-box)
        if [ "$PROCESSES" -gt 1 ]; then beside_each_other "$@"; else run "$@" --filter "$blocking"; fi ;;
    *)
        echo "run-tests: unknown group $group in TEST_GROUPS: use modules, events or black-box" >&2
        exit 2 ;;
    esac
done
exit "$status"

#!/bin/sh
# Runs tests that are built already, in three groups one after the other; further options go to `swift test`. Not those in the
# lab, which try released programs and take machines (make test-lab).
#
#   TEST_GROUPS   only some groups, separated by spaces (modules events black-box)
#   PROCESSES     in how many processes the black-box tests run beside each other (1): each runs as many tests at a time as there
#                 are processors, and most of these only wait
#
# The black-box tests wait on sockets and so occupy the few threads on which Swift runs asynchronous code: beside them the
# asynchronous tests of the control plane would starve and miss their deadlines. So would they beside those that read every
# recorded event and make thousands up, which take all the processor there is.
set -eu
cd "$(dirname "$0")/.."
blocking='^(GatewayTests|OpenCodeTwinTests|TestKitTests)\.'
working='^(EventHubTests|DialectsTests|ConversationsTests|MappedFilesTests)\.'
lab='^LabTests\.'

# run OPTIONS...: without XCTest, which has no tests here, leaks in its own start, and prints a summary of 0 tests.
status=0
run() { swift test --skip-build --disable-xctest "$@" || status=$?; }

# beside_each_other OPTIONS...: every suite of black-box tests in one of the processes; what they print comes one after the other.
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
        # Nothing is built: there is nothing to be locked. What a shell runs aside would not hear of Ctrl-C (sh(1posix), 2.11).
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
    # What no process has run would pass unnoticed.
    listed=$(wc -l <"$outputs/tests")
    ran=$(sed -n 's/.*Test run with \([0-9]*\) tests .*/\1/p' "$outputs"/[0-9]* | awk '{ sum += $1 } END { print sum + 0 }')
    if [ "$ran" -ne "$listed" ]; then
        echo "run-tests: of $listed black-box tests $ran have run: look for a process that ended early" >&2
        status=1
    fi
}

for group in ${TEST_GROUPS:-modules events black-box}; do
    case $group in
    modules)
        # All asynchronous tests at once would have more than the 128 inotify instances of a user (inotify(7)), and each would have
        # too little of the processor for its deadlines: sixteen at a time are done sooner, too.
        export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16
        run "$@" --skip "$blocking" --skip "$working" --skip "$lab"
        unset SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ;;
    events) run "$@" --filter "$working" ;;
    black-box)
        if [ "${PROCESSES:-1}" -gt 1 ]; then beside_each_other "$@"; else run "$@" --filter "$blocking"; fi ;;
    *)
        echo "run-tests: there is no group $group in TEST_GROUPS: write modules, events or black-box" >&2
        exit 2 ;;
    esac
done
exit "$status"

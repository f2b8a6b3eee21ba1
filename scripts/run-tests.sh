#!/bin/sh
# Runs tests that are built already, in three groups one after the other; further options go to `swift test`. Not those in the
# lab, which try released programs and take machines (make test-lab).
#
#   TEST_GROUPS   only some groups, separated by spaces (modules events black-box)
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

for group in ${TEST_GROUPS:-modules events black-box}; do
    case $group in
    modules)
        # All asynchronous tests at once would have more than the 128 inotify instances of a user (inotify(7)), and each would have
        # too little of the processor for its deadlines: sixteen at a time are done sooner, too.
        export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16
        run "$@" --skip "$blocking" --skip "$working" --skip "$lab"
        unset SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ;;
    events) run "$@" --filter "$working" ;;
    black-box) run "$@" --filter "$blocking" ;;
    *)
        echo "run-tests: there is no group $group in TEST_GROUPS: write modules, events or black-box" >&2
        exit 2 ;;
    esac
done
exit "$status"

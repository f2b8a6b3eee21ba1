#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs tests that are already built, in three groups. Further options are passed to `swift test`. Excludes the tests in the
# lab, which test released programs and need machines (make test-lab).
#
#   TEST_GROUPS   the groups to run one after the other, separated by spaces (modules events black-box)
#   WIDTH         the number of tests that run at the same time (16): most tests wait for sockets and processes
#
# Each group is one process. The tests in `black-box` block while they wait. They run on threads of their own
# (Tests/TestThreads), so that they do not block the few threads on which Swift runs asynchronous code. They also start
# hundreds of processes. Swift Testing's exit tests, which are in the other groups, wait for any child of the process, and
# use a whole processor while another test's child is not reaped yet. The tests in `events` use the processors without a
# pause, because they read every recorded event.
set -eu
cd "$(dirname "$0")/.."
blocking='^(GatewayTests|OpenCodeSimulatorTests|TestKitTests)\.'
working='^(EventHubTests|DialectsTests|ConversationsTests|MappedFilesTests)\.'
lab='^LabTests\.'
# All tests at once would exceed a user's limit of 128 inotify instances (inotify(7)), and each would get too little
# processor time for its deadlines.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${WIDTH:-16}"

# run OPTIONS...: runs tests without XCTest. The package has no XCTest tests, and XCTest leaks memory at its start and prints a
# summary of 0 tests.
status=0
run() { swift test --skip-build --disable-xctest "$@" || status=$?; }

for group in ${TEST_GROUPS:-modules events black-box}; do
    case $group in
    modules) run "$@" --skip "$blocking" --skip "$working" --skip "$lab" ;;
    events) run "$@" --filter "$working" ;;
    black-box) run "$@" --filter "$blocking" ;;
    *)
        echo "run-tests: unknown group $group in TEST_GROUPS: use modules, events or black-box" >&2
        exit 2 ;;
    esac
done
exit "$status"

#!/bin/sh
# Runs tests that are built already, in three groups one after the other; further options go to `swift test`. Not those in the
# lab, which try released programs and take machines (make test-lab).
#
# The black-box tests wait on sockets and so occupy the few threads on which Swift runs asynchronous code: beside them the
# asynchronous tests of the control plane would starve and miss their deadlines. So would they beside those that read every
# recorded event and make thousands up, which take all the processor there is.
set -eu
cd "$(dirname "$0")/.."
blocking='^(GatewayTests|OpenCodeTwinTests|TestKitTests)\.'
working='^(EventHubTests|DialectsTests|ConversationsTests|MappedFilesTests)\.'
lab='^LabTests\.'

# Without XCTest, which has no tests here, leaks in its own start, and prints a summary of 0 tests.
status=0
# All asynchronous tests at once would have more than the 128 inotify instances of a user (inotify(7)), and each would have
# too little of the processor for its deadlines: sixteen at a time are done sooner, too.
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16 \
    swift test --skip-build --disable-xctest "$@" --skip "$blocking" --skip "$working" --skip "$lab" || status=$?
swift test --skip-build --disable-xctest "$@" --filter "$working" || status=$?
swift test --skip-build --disable-xctest "$@" --filter "$blocking" || status=$?
exit "$status"

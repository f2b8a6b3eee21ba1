#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tests a running gateway's chat and conversations protocols with independent clients: `websockets` for the chat and
# `httpx-sse` for the conversations (both from PyPI). The tests cover both protocols completely. The projects' instances are the
# simulator as OpenCode 1 and 2. The gateway and the simulator must already be built.
#
# The script installs the packages once from PyPI into .build/chat-clients. If PyPI is unreachable, the script fails with exit
# code 75. With CHAT_CLIENTS_OPTIONAL=1, it then prints a message and succeeds.
#
#   CHAT_CLIENTS_SECONDS   the time limit for each of the two parts (60)
set -eu
cd "$(dirname "$0")/.."

name=test-chat-clients
packages="websockets==17.4 httpx==0.28.1 httpx-sse==0.4.3"
seconds=${CHAT_CLIENTS_SECONDS:-60}
tool=$PWD/.build/chat-clients
work=$PWD/.build/chat-clients-run

# shellcheck source=scripts/running-gateway.sh
. scripts/running-gateway.sh

# shellcheck disable=SC2086  # a list of packages
if ! install_tools $packages; then
    echo "test-chat-clients: cannot install $packages: PyPI is unreachable or has no build for this machine." >&2
    if [ "${CHAT_CLIENTS_OPTIONAL-}" != 1 ]; then exit 75; fi
    echo "test-chat-clients: SKIPPED. Chat and conversations were not tested with independent clients." >&2
    exit 0
fi

rm -rf "$work"
mkdir -p "$work/home" "$work/user"
start_simulators one=1.18.33 two=2.0.15
start_gateway --chat-listen 127.0.0.1:0 --conversations-listen 127.0.0.1:0 --chat-open on

# listener WHAT: prints the address on which the gateway listens for WHAT, from the gateway's standard output.
listener() {
    waited=0
    until place=$(sed -n "s/.* $1 listening on //p" "$work/output") && [ -n "$place" ]; do
        [ "$waited" -lt 100 ] || { echo "test-chat-clients: the gateway did not print its address for $1 within 10 s" >&2; exit 1; }
        waited=$((waited + 1))
        sleep 0.1
    done
    echo "$place"
}

run() {
    status=0
    timeout --kill-after 5 "$seconds" "$tool/bin/python" "$@" || status=$?
    [ "$status" -ne 124 ] || echo "test-chat-clients: not finished within $seconds s (CHAT_CLIENTS_SECONDS)" >&2
    if [ "$status" -ne 0 ]; then
        echo "test-chat-clients: $1 failed. See the gateway's log: $work/log" >&2
        exit "$status"
    fi
}

CHAT=$(listener chat)
CONVERSATIONS=$(listener conversations)
export CHAT CONVERSATIONS GATEWAY="$address" GATEWAY_KEY="$VIBE_AUTH_SECRET"
run scripts/chat-clients/chat.py
run scripts/chat-clients/conversations.py

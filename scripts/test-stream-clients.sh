#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tests a running gateway's event streams with independent clients, and interrupts connections in the middle of a turn. The
# clients are httpx-sse, sseclient-py and the SDK opencode-ai (from PyPI), and Chromium (from Debian). The projects' instances are
# the simulator as OpenCode 1 and 2. The gateway and the simulator must already be built.
#
# The script installs the packages once from PyPI into .build/stream-clients. The script fails with exit code 75 if PyPI is unreachable,
# or if Chromium is missing and cannot be installed. With STREAM_CLIENTS_OPTIONAL=1, it prints which clients it skips, and tests
# the other clients.
#
#   STREAM_CLIENTS_SECONDS   the time limit for each of the three parts (60)
set -eu
cd "$(dirname "$0")/.."

name=test-stream-clients
packages="httpx-sse==0.4.3 sseclient-py==1.9.0 requests==2.34.2 opencode-ai==0.1.0a36"
seconds=${STREAM_CLIENTS_SECONDS:-60}
tool=$PWD/.build/stream-clients
work=$PWD/.build/stream-clients-run

# shellcheck source=scripts/running-gateway.sh
. scripts/running-gateway.sh

left_out() {
    echo "test-stream-clients: $1" >&2
    if [ "${STREAM_CLIENTS_OPTIONAL-}" != 1 ]; then exit 75; fi
    echo "test-stream-clients: SKIPPED. $2" >&2
}

has_packages=1
# shellcheck disable=SC2086  # a list of packages
if ! install_tools $packages; then
    left_out "cannot install the clients from PyPI, which is unreachable or has no build for this machine." \
        "httpx-sse, sseclient-py and opencode-ai were not tested against the running gateway."
    has_packages=0
fi
has_chromium=1
if ! command -v chromium >/dev/null && ! scripts/setup.sh chromium; then
    left_out "cannot install Chromium." "A browser's EventSource was not tested against the running gateway."
    has_chromium=0
fi

rm -rf "$work"
mkdir -p "$work/home" "$work/user"
start_simulators one=1.18.33 two=2.0.15
page_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
start_gateway --allow-origin "http://127.0.0.1:$page_port"
start_projects one two

run() {
    status=0
    PYTHONPATH=$PWD/scripts/stream-clients timeout --kill-after 5 "$seconds" "$@" || status=$?
    [ "$status" -ne 124 ] || echo "test-stream-clients: not finished within $seconds s (STREAM_CLIENTS_SECONDS)" >&2
    if [ "$status" -ne 0 ]; then
        echo "test-stream-clients: $2 failed. See the gateway's log: $work/log" >&2
        exit "$status"
    fi
}

export GATEWAY="$address" GATEWAY_KEY="$VIBE_AUTH_SECRET" HOME_FOLDER="$work/home"
if [ "$has_packages" -eq 1 ]; then
    run "$tool/bin/python" scripts/stream-clients/libraries.py
    run "$tool/bin/python" scripts/stream-clients/early_sdk.py
fi
[ "$has_chromium" -eq 0 ] || PAGE_PORT=$page_port run python3 scripts/stream-clients/browser.py

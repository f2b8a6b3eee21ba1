#!/bin/sh
# Reads a running gateway's event streams with independent clients while connections are interrupted in the middle of a
# turn: httpx-sse, sseclient-py and the SDK opencode-ai (PyPI), and Chromium (Debian) with pages of this test. The
# projects are served by the twin as OpenCode 1 and 2. The gateway and the twin must already be built.
#
# The packages are installed once from PyPI into .build/readers. The script fails with exit code 75 if PyPI is
# unreachable, or if Chromium is missing and cannot be installed. With READERS_OPTIONAL=1 it prints what is skipped and
# continues without it.
#
#   READERS_SECONDS   the time limit for each of the three parts (60)
set -eu
cd "$(dirname "$0")/.."

name=readers
packages="httpx-sse==0.4.3 sseclient-py==1.9.0 requests==2.34.2 opencode-ai==0.1.0a36"
seconds=${READERS_SECONDS:-60}
tool=$PWD/.build/readers
work=$PWD/.build/readers-run

# shellcheck source=scripts/running-gateway.sh
. scripts/running-gateway.sh

left_out() {
    echo "readers: $1" >&2
    if [ "${READERS_OPTIONAL-}" != 1 ]; then exit 75; fi
    echo "readers: SKIPPED. $2" >&2
}

has_packages=1
# shellcheck disable=SC2086  # a list of packages
if ! install_tools $packages; then
    left_out "the readers from PyPI can't be installed, because it can't be reached or has no fitting build." \
        "httpx-sse, sseclient-py and opencode-ai were not tried against the running gateway."
    has_packages=0
fi
has_chromium=1
if ! command -v chromium >/dev/null && ! scripts/setup.sh chromium; then
    left_out "Chromium can't be installed." "No browser's EventSource was tried against the running gateway."
    has_chromium=0
fi

rm -rf "$work"
mkdir -p "$work/home" "$work/user"
start_twins one=1.18.33 two=2.0.15
page_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
start_gateway --allow-origin "http://127.0.0.1:$page_port"
start_projects one two

run() {
    status=0
    PYTHONPATH=$PWD/scripts/readers timeout --kill-after 5 "$seconds" "$@" || status=$?
    [ "$status" -ne 124 ] || echo "readers: not done within $seconds s (READERS_SECONDS)" >&2
    if [ "$status" -ne 0 ]; then
        echo "readers: $2 failed; the gateway's log is $work/log" >&2
        exit "$status"
    fi
}

export GATEWAY="$address" GATEWAY_KEY="$VIBE_AUTH_SECRET" HOME_FOLDER="$work/home"
if [ "$has_packages" -eq 1 ]; then
    run "$tool/bin/python" scripts/readers/libraries.py
    run "$tool/bin/python" scripts/readers/early_sdk.py
fi
[ "$has_chromium" -eq 0 ] || PAGE_PORT=$page_port run python3 scripts/readers/browser.py

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tests a running gateway with OpenCode's own clients. The projects' instances are the simulator as OpenCode 1 and 2. The script
# runs the SDK for Python and an early SDK for OpenCode 1 (with an OpenCode 2 instance), and sends the recorded requests of
# all commands in docs/clients.md. The gateway and the simulator must already be built.
#
# The script installs the SDKs once from PyPI into .build/sdks. If PyPI is unreachable, the script fails with exit code 75.
# With SDKS_OPTIONAL=1, it then prints a message and continues without the SDKs.
#
#   SDKS_SECONDS   the time limit for each client (120)
set -eu
cd "$(dirname "$0")/.."

name=test-sdks
version=0.2.3
early=0.1.0a36
seconds=${SDKS_SECONDS:-120}
tool=$PWD/.build/sdks
work=$PWD/.build/sdks-run

# shellcheck source=scripts/running-gateway.sh
. scripts/running-gateway.sh

has_sdk=1
if ! install_tools opencode-python-sdk=="$version" opencode-ai=="$early"; then
    echo "test-sdks: cannot install opencode-python-sdk $version and opencode-ai $early: PyPI is unreachable or has no" \
        "build for this machine." >&2
    if [ "${SDKS_OPTIONAL-}" != 1 ]; then exit 75; fi
    echo "test-sdks: SKIPPED. The SDKs for Python were not tested against the running gateway." >&2
    has_sdk=0
fi

rm -rf "$work"
mkdir -p "$work/home" "$work/user"
start_simulators one=1.18.33 two=2.0.15
start_gateway
start_projects one two

run() {
    status=0
    timeout --kill-after 5 "$seconds" "$@" || status=$?
    [ "$status" -ne 124 ] || echo "test-sdks: not finished within $seconds s (SDKS_SECONDS)" >&2
    if [ "$status" -ne 0 ]; then
        echo "test-sdks: $2 failed. See the gateway's log: $work/log" >&2
        exit "$status"
    fi
}

run python3 scripts/sdks/documented.py "$address" "$VIBE_AUTH_SECRET" "$work/home"
if [ "$has_sdk" -eq 1 ]; then
    python3 scripts/sdks/documented.py --python "$address" "$VIBE_AUTH_SECRET" "$work/home" >"$work/documented.py"
    run "$tool/bin/python" "$work/documented.py"
    OPENCODE_BASE_URL=$address/projects/two/api OPENCODE_PASSWORD=$VIBE_AUTH_SECRET PROJECT_FOLDER=$work/home/two \
        run "$tool/bin/python" scripts/sdks/python_sdk.py
    GATEWAY=$address OPENCODE_PASSWORD=$VIBE_AUTH_SECRET HOMES=$work/home \
        run "$tool/bin/python" scripts/sdks/opencode1.py two+events
fi

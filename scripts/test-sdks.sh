#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tests a running gateway with OpenCode's own clients. The projects' instances are the simulator as OpenCode 1 and 2. The script
# runs the SDK for Python and an early SDK for OpenCode 1, and sends the recorded requests of all commands in docs/clients.md. The
# clients use the base paths of the projects, and then the root with keys that are bound to one project. The gateway and the
# simulator must already be built.
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

# test_clients PLACE ONE TWO: tests the projects at the addresses ONE and TWO, with the keys in key_one, key_two, run_one and
# run_two. PLACE is --root, or empty for the base paths.
test_clients() {
    # shellcheck disable=SC2086  # an empty PLACE is no argument
    run python3 scripts/sdks/documented.py $1 "$address" "$work/home" one="$key_one" two="$key_two"
    [ "$has_sdk" -eq 1 ] || return 0
    # shellcheck disable=SC2086
    python3 scripts/sdks/documented.py $1 --python "$address" "$work/home" one="$key_one" two="$key_two" \
        >"$work/documented.py"
    run "$tool/bin/python" "$work/documented.py"
    OPENCODE_BASE_URL=$3 OPENCODE_PASSWORD=$key_two PROJECT_FOLDER=$work/home/two \
        SIMULATOR_URL=$address/projects/two/api SIMULATOR_KEY=$VIBE_AUTH_SECRET \
        run "$tool/bin/python" scripts/sdks/python_sdk.py
    # This SDK also writes to OpenCode's log.
    OPENCODE_BASE_URL=$2 OPENCODE_PASSWORD=$run_one PROJECT_FOLDER=$work/home/one \
        run "$tool/bin/python" scripts/sdks/opencode1.py 1
    OPENCODE_BASE_URL=$3 OPENCODE_PASSWORD=$run_two PROJECT_FOLDER=$work/home/two \
        run "$tool/bin/python" scripts/sdks/opencode1.py 2
}

key_one=$VIBE_AUTH_SECRET key_two=$VIBE_AUTH_SECRET run_one=$VIBE_AUTH_SECRET run_two=$VIBE_AUTH_SECRET
test_clients "" "$address/projects/one/api" "$address/projects/two/api"

# Keys with the default scope, and keys with the scope for everything in the project.
key_one=$(create_key one one)
key_two=$(create_key two two)
run_one=$(create_key run-one one --allow run)
run_two=$(create_key run-two two --allow run)
test_clients --root "$address" "$address"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Sends requests that Schemathesis generates from /openapi.json to a running gateway, and compares the responses with the
# description (https://schemathesis.readthedocs.io). Then tests the description at /doc of a project in the same way. The
# instance of this project is the simulator as OpenCode 2. The gateway and the simulator must already be built.
#
# The script installs Schemathesis once from PyPI into .build/schemathesis. If PyPI is unreachable, the script fails with exit
# code 75. With SCHEMATHESIS_OPTIONAL=1, it then prints a message and succeeds, because other tests compare the description with
# the routes without a network.
#
#   SCHEMATHESIS_SECONDS   the time limit for each description (240)
set -eu
cd "$(dirname "$0")/.."

name=schemathesis
version=4.32.5
seconds=${SCHEMATHESIS_SECONDS:-240}
tool=$PWD/.build/schemathesis
work=$PWD/.build/schemathesis-run

# shellcheck source=scripts/running-gateway.sh
. scripts/running-gateway.sh

if ! install_tool schemathesis "$version"; then
    echo "schemathesis: cannot install version $version: PyPI is unreachable or has no build for this machine." >&2
    if [ "${SCHEMATHESIS_OPTIONAL-}" = 1 ]; then
        echo "schemathesis: SKIPPED. The API's description was not tested against the running gateway." >&2
        exit 0
    fi
    exit 75
fi

# check CONFIGURATION OPTIONS...: runs Schemathesis with the same cases each time, and without state from earlier runs.
check() {
    configuration=$PWD/scripts/$1.toml
    shift
    status=0
    (cd "$work" && timeout --kill-after 5 "$seconds" "$tool/bin/schemathesis" --config-file "$configuration" run "$@" \
        --generation-deterministic --request-timeout 20 --no-color) || status=$?
    [ "$status" -ne 124 ] || echo "schemathesis: not finished within $seconds s (SCHEMATHESIS_SECONDS)" >&2
    [ "$status" -eq 0 ] || exit "$status"
}

rm -rf "$work"
mkdir -p "$work/home/demo" "$work/home/with space"
start_gateway --opencode "$PWD/.build/debug/opencode-simulator" --failed-tries 0
check schemathesis "$address/openapi.json" --phases examples,coverage,fuzzing --max-examples 15
stop_gateway

rm -rf "$work"
start_simulators two=2.0.15
start_gateway --failed-tries 0
start_projects two
# The phase `stateful` uses values from responses in later requests.
check schemathesis-bridge "$address/projects/two/api/doc" --url "$address/projects/two/api" \
    --phases coverage,fuzzing,stateful --max-examples 6

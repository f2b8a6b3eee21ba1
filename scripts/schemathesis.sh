#!/bin/sh
# Throws requests made from /openapi.json at a running gateway and compares its answers with the description
# (https://schemathesis.readthedocs.io). The gateway and the twin must be built already.
#
# Schemathesis comes from PyPI, once, into .build/schemathesis. Where PyPI can't be reached this fails with exit code 75, or,
# with SCHEMATHESIS_OPTIONAL=1, says so and succeeds: the tests compare description and routes as well, without a network.
#
#   SCHEMATHESIS_SECONDS   the longest time in all (60)
set -eu
cd "$(dirname "$0")/.."

version=4.32.5
seconds=${SCHEMATHESIS_SECONDS:-60}
tool=$PWD/.build/schemathesis
work=$PWD/.build/schemathesis-run

install() {
    [ "$(cat "$tool/version" 2>/dev/null)" = "$version" ] && return
    rm -rf "$tool"
    python3 -c 'import ensurepip, venv' 2>/dev/null || scripts/setup.sh schemathesis
    python3 -m venv "$tool"
    "$tool/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 "schemathesis==$version" ||
        return 1
    printf '%s\n' "$version" >"$tool/version"
}

if ! install; then
    echo "schemathesis: version $version can't be installed, because PyPI can't be reached or has no fitting build." >&2
    if [ "${SCHEMATHESIS_OPTIONAL-}" = 1 ]; then
        echo "schemathesis: SKIPPED. The API's description was not tried against the running gateway." >&2
        exit 0
    fi
    exit 75
fi

rm -rf "$work"
mkdir -p "$work/home/demo" "$work/home/with space"
VIBE_AUTH_SECRET=$(od -An -N 16 -tx1 /dev/urandom | tr -d ' \n')
export VIBE_AUTH_SECRET
: >"$work/output"
.build/debug/viberemote-gateway serve --listen 127.0.0.1:0 --home "$work/home" --supervisor process \
    --opencode "$PWD/.build/debug/opencode-twin" --failed-tries 0 >"$work/output" 2>"$work/log" &
gateway=$!
trap 'kill "$gateway" 2>/dev/null; wait "$gateway" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM

waited=0
until grep -q ' listening on ' "$work/output"; do
    if ! kill -0 "$gateway" 2>/dev/null || [ "$waited" -ge 100 ]; then
        echo "schemathesis: the gateway did not start:" >&2
        cat "$work/log" >&2
        exit 1
    fi
    waited=$((waited + 1))
    sleep 0.1
done
address=$(sed -n 's/.* listening on //p' "$work/output")

# The same cases in every run; nothing is kept between runs.
status=0
(cd "$work" && timeout --kill-after 5 "$seconds" "$tool/bin/schemathesis" --config-file "$OLDPWD/scripts/schemathesis.toml" \
    run "$address/openapi.json" --phases examples,coverage,fuzzing --max-examples 15 --generation-deterministic \
    --request-timeout 20 --no-color) || status=$?
[ "$status" -ne 124 ] || echo "schemathesis: not done within $seconds s (SCHEMATHESIS_SECONDS)" >&2
exit "$status"

# SPDX-License-Identifier: Apache-2.0

# Functions for scripts that test a running gateway. The functions install a Python tool from PyPI, and run a gateway that ends
# with the script. A script that sources this file sets `name` (the prefix of its messages), `tool` (the directory of the tool)
# and `work` (an empty directory).
# shellcheck shell=sh disable=SC2154

# install_tool PACKAGE VERSION: installs the package into $tool once. Fails if PyPI is unreachable or has no suitable build.
install_tool() { install_tools "$1==$2"; }

# install_tools PACKAGE==VERSION...: installs several packages in the same way.
install_tools() {
    [ "$(cat "$tool/version" 2>/dev/null)" = "$*" ] && return
    rm -rf "$tool"
    python3 -c 'import ensurepip, venv' 2>/dev/null || scripts/setup.sh "${name#test-}"
    python3 -m venv "$tool"
    "$tool/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 "$@" || return 1
    printf '%s\n' "$*" >"$tool/version"
}

# start_simulators PROJECT=VERSION...: creates projects in $work/home whose instances are the simulator of this version. Call this
# before start_gateway.
start_simulators() {
    mkdir -p "$work/user/.config/opencode/env.d"
    for choice; do
        project=${choice%%=*}
        mkdir -p "$work/home/$project"
        git -C "$work/home/$project" init --quiet
        git -C "$work/home/$project" -c user.name=x -c user.email=x@example.com commit --quiet --allow-empty --message x
        (
            umask 077
            printf "VIBE_OPENCODE=\"'%s' --profile %s\"\n" "$PWD/.build/debug/opencode-simulator" "${choice#*=}" \
                >"$work/user/.config/opencode/env.d/$project.env"
        )
    done
    HOME=$work/user
    XDG_RUNTIME_DIR=$work/user
    SIMULATOR_PACE=0
    export HOME XDG_RUNTIME_DIR SIMULATOR_PACE
}

# start_projects PROJECT...: starts the projects. Call this after start_gateway.
start_projects() {
    for project; do
        curl --silent --show-error --fail --output /dev/null --request POST \
            --header "Authorization: Bearer $VIBE_AUTH_SECRET" "$address/projects/$project/start"
    done
}

# start_gateway OPTIONS...: starts a gateway, and sets `address` (its address) and `VIBE_AUTH_SECRET` (its key). Its log is
# $work/log.
start_gateway() {
    VIBE_AUTH_SECRET=$(od -An -N 16 -tx1 /dev/urandom | tr -d ' \n')
    export VIBE_AUTH_SECRET
    : >"$work/output"
    .build/debug/viberemote-gateway serve --config none --listen 127.0.0.1:0 --home "$work/home" \
        --state-dir "$work/state" --supervisor process "$@" >"$work/output" 2>"$work/log" &
    gateway=$!
    trap 'kill "$gateway" 2>/dev/null; wait "$gateway" 2>/dev/null || true' EXIT
    trap 'exit 130' INT TERM
    waited=0
    until grep -q '^viberemote-gateway listening on ' "$work/output"; do
        if ! kill -0 "$gateway" 2>/dev/null || [ "$waited" -ge 100 ]; then
            echo "$name: the gateway did not start:" >&2
            cat "$work/log" >&2
            exit 1
        fi
        waited=$((waited + 1))
        sleep 0.1
    done
    address=$(sed -n 's/^viberemote-gateway listening on //p' "$work/output")
}

# create_key NAME PROJECT OPTIONS...: creates a key that is bound to the project, and prints it. Call this after start_gateway.
create_key() {
    key_name=$1
    key_project=$2
    shift 2
    .build/debug/viberemote-gateway key create "$key_name" --project "$key_project" "$@" --config none --listen "${address#http://}" \
        --state-dir "$work/state" 2>"$work/key" || { cat "$work/key" >&2; return 1; }
}

# stop_gateway: stops the gateway. Call this before starting another gateway.
stop_gateway() {
    kill "$gateway"
    wait "$gateway" || true
}

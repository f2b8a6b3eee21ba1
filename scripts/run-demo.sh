#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the gateway in the foreground with a demo project and a new key, and prints the commands for a second terminal.
#
# With --profile VERSION (or PROFILE in the environment), the project's instance is the simulator of this version of OpenCode,
# even if opencode is on the PATH.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${PROFILE:-}
while [ $# -gt 0 ]; do
    case $1 in
    --profile=*) profile=${1#*=} ;;
    --profile)
        [ $# -gt 1 ] || { echo "demo: --profile requires a version, for example --profile 1.18.33" >&2; exit 2; }
        profile=$2
        shift
        ;;
    *)
        echo "demo: unknown option $1; the only option is --profile VERSION" >&2
        exit 2
        ;;
    esac
    shift
done

build=$(swift build --show-bin-path)
home=$PWD/.demo
mkdir -p "$home/demo"
[ -e "$home/demo/README.md" ] || printf '# Demo\n\nA project for trying out the gateway.\n' >"$home/demo/README.md"

quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }

if [ -z "$profile" ] && opencode=$(command -v opencode); then
    command=$(quoted "$opencode")
    version=$(timeout 10 "$opencode" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -1) || version=unknown
    echo "demo: using the OpenCode on the PATH, $opencode ($version)"
else
    simulator=$build/opencode-simulator
    [ -n "$profile" ] && reason="PROFILE is set" || { profile=2.0.15 && reason="no opencode is on the PATH"; }
    version=$("$simulator" --profile "$profile" --version)
    command="$(quoted "$simulator") --profile $(quoted "$profile")"
    echo "demo: $reason; using the simulator $simulator, which responds like OpenCode $version without a language model"
fi

# Returns whether another program uses the port: a connection to it then succeeds.
is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

port=4000
if is_taken "$port"; then
    while is_taken "$port"; do port=$((port + 1)); done
    echo "demo: port 4000 is in use, so the gateway uses port $port"
fi

VIBE_AUTH_SECRET=$(od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n')
export VIBE_AUTH_SECRET

cat <<TEXT
demo: the projects are in $home
demo: the key of this run is $VIBE_AUTH_SECRET

In a second terminal, set the key and the address:

  KEY="Authorization: Bearer $VIBE_AUTH_SECRET" DEMO=http://127.0.0.1:$port/projects/demo

Start the project, and show which version of OpenCode it runs:

  curl -X POST -H "\$KEY" \$DEMO/start
  curl -sH "\$KEY" \$DEMO/status

Show the project's events (press Ctrl-C to end the stream):

  curl -sNH "\$KEY" \$DEMO/api/event

In a third terminal, set KEY and DEMO again, create a session, and send a prompt. Replace SESSION with the id from the first response:

  curl -sH "\$KEY" --json '{}' \$DEMO/api/session
  curl -sH "\$KEY" --json '{"parts":[{"type":"text","text":"Who are you?"}]}' \$DEMO/api/session/SESSION/message

TEXT

cat <<TEXT
Ctrl-C in this terminal stops the gateway and the project.

TEXT

exec "$build/viberemote-gateway" serve --listen "127.0.0.1:$port" --home "$home" --state-dir "$home/.state" \
    --opencode "$command" --supervisor process

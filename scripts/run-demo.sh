#!/usr/bin/env bash
# Runs the gateway in the foreground with a demo project and a new key, and prints what to type in another terminal.
#
# With --profile VERSION (or PROFILE in the environment) the stand-in plays that OpenCode, whatever is on the PATH.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${PROFILE:-}
while [ $# -gt 0 ]; do
    case $1 in
    --profile=*) profile=${1#*=} ;;
    --profile)
        [ $# -gt 1 ] || { echo "demo: --profile lacks its version, for example --profile 1.18.33" >&2; exit 2; }
        profile=$2
        shift
        ;;
    *)
        echo "demo: $1 is unknown; there is only --profile VERSION" >&2
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
    echo "demo: taking the OpenCode on the PATH, $opencode ($version)"
else
    twin=$build/opencode-twin
    [ -n "$profile" ] && reason="playing what PROFILE says" || { profile=2.0.15 && reason="no opencode on the PATH"; }
    version=$("$twin" --profile "$profile" --version)
    command="$(quoted "$twin") --profile $(quoted "$profile")"
    echo "demo: $reason; taking $twin, which answers like OpenCode $version without a language model"
fi

# Something listens there when a connection succeeds.
is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

port=4000
if is_taken "$port"; then
    while is_taken "$port"; do port=$((port + 1)); done
    echo "demo: port 4000 is taken, using $port"
fi

VIBE_AUTH_SECRET=$(od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n')
export VIBE_AUTH_SECRET

cat <<TEXT
demo: the projects are in $home
demo: the key of this run is $VIBE_AUTH_SECRET

In another terminal, once:

  KEY="Authorization: Bearer $VIBE_AUTH_SECRET" DEMO=http://127.0.0.1:$port/projects/demo

Start the project:

  curl -X POST -H "\$KEY" \$DEMO/start

TEXT

# OpenCode 2 has all below a path /api of its own.
case $version in
2.*)
    cat <<TEXT
Open a session, send it a prompt and watch the answer stream in (Ctrl-C ends the stream):

  (S=\$(curl -sH "\$KEY" --json '{}' \$DEMO/api/api/session | grep -o 'ses_[0-9A-Za-z]*' | head -1); sleep 1
   curl -sH "\$KEY" --json '{"text":"Who are you?"}' \$DEMO/api/api/session/\$S/prompt) &
  curl -sNH "\$KEY" \$DEMO/api/api/event

TEXT
    ;;
*)
    cat <<TEXT
Open a session, send it a prompt and watch the answer stream in (Ctrl-C ends the stream):

  (S=\$(curl -sH "\$KEY" --json '{}' \$DEMO/api/session | grep -o 'ses_[0-9A-Za-z]*' | head -1); sleep 1
   curl -sH "\$KEY" --json '{"parts":[{"type":"text","text":"Who are you?"}]}' \$DEMO/api/session/\$S/prompt_async) &
  curl -sNH "\$KEY" \$DEMO/api/event

TEXT
    ;;
esac

cat <<TEXT
Ctrl-C here stops the gateway and the project.

TEXT

exec "$build/viberemote-gateway" serve --listen "127.0.0.1:$port" --home "$home" --state-dir "$home/.state" \
    --opencode "$command" --supervisor process

#!/usr/bin/env bash
# Runs the gateway in the foreground with a demo project and a new key, and prints what to type in another terminal.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(swift build --show-bin-path)
home=$PWD/.demo
mkdir -p "$home/demo"
[ -e "$home/demo/README.md" ] || printf '# Demo\n\nA project for trying out the gateway.\n' >"$home/demo/README.md"

if opencode=$(command -v opencode); then
    echo "demo: taking the OpenCode on the PATH, $opencode"
else
    opencode=$build/opencode-twin
    echo "demo: no opencode on the PATH; taking $opencode, which answers like one without a language model"
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

Open a session, send it a prompt and watch the answer stream in (Ctrl-C ends the stream):

  (S=\$(curl -sH "\$KEY" --json '{}' \$DEMO/api/session | grep -o 'ses_[0-9A-Za-z]*' | head -1); sleep 1
   curl -sH "\$KEY" --json '{"parts":[{"type":"text","text":"Who are you?"}]}' \$DEMO/api/session/\$S/prompt_async) &
  curl -sNH "\$KEY" \$DEMO/api/event

Ctrl-C here stops the gateway and the project.

TEXT

quoted=$(printf '%s' "$opencode" | sed "s/'/'\\\\''/g")
exec "$build/viberemote-gateway" serve --listen "127.0.0.1:$port" --home "$home" --opencode "'$quoted'" --supervisor process

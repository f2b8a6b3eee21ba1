# SPDX-License-Identifier: Apache-2.0

"""Tests opencode-ai, an early SDK for OpenCode 1 in Python (PyPI). `make test-sdks` starts the gateway.

    opencode1.py FAMILY

The project's instance is the simulator as OpenCode 1 (FAMILY is 1) or as OpenCode 2 (2), for which the gateway provides OpenCode
1's API. The environment contains OPENCODE_BASE_URL (the project's address, or the gateway's address for a key that is bound to the
project), OPENCODE_PASSWORD (the key) and PROJECT_FOLDER (the path of the project's folder).
"""
import os
import pathlib
import sys
import threading

import opencode_ai
from opencode_ai import Opencode

LONGEST = 60
passed = 0
failed = []


def check(what, is_true, seen=""):
    global passed
    if is_true:
        passed += 1
    else:
        failed.append(what)
        print(f"FAILED: {what} {seen}", file=sys.stderr)


def raises(what, status, call):
    try:
        call()
    except opencode_ai.APIStatusError as error:
        check(what, error.status_code == status, error)
    else:
        check(what, False, "the request succeeded")


def create(client, family):
    # The SDK sends `Content-Type: application/json` with an empty body. OpenCode 1 rejects it, and the gateway accepts it.
    return client.session.create(**({"extra_body": {}} if family == 1 else {}))


def sessions(name, client, family):
    """Tests the life cycle of a session: two turns, their messages, a revert, and the deletion."""
    session = create(client, family)
    check(f"{name}: a session is created", session.id.startswith("ses_") and session.title != "", session)
    check(f"{name}: the session is listed", session.id in [listed.id for listed in client.session.list()])
    text = [{"type": "text", "text": "Explain the parser"}]
    answers = [
        client.session.chat(session.id, model_id="talk", provider_id="simulator", parts=text).to_dict() for _ in range(2)
    ]
    for answer in answers:
        info = answer["info"]
        check(f"{name}: a chat request is answered at the end of the turn", info["role"] == "assistant" and "completed" in info["time"], answer)
        check(f"{name}: the answer has the session's ID", info["sessionID"] == session.id, answer)
    messages = client.session.messages(session.id)
    roles = [message.info.role for message in messages]
    check(f"{name}: all messages are listed in order", roles == ["user", "assistant"] * 2, roles)
    said = [part.text for part in messages[1].parts if part.type == "text"]
    check(f"{name}: text beyond ASCII arrives", any("naïve café, 日本語, 🚀" in text for text in said), said)
    if family == 2:
        # The simulator as OpenCode 1 has no reverts.
        second = messages[2].info.id
        reverted = client.session.revert(session.id, message_id=second)
        check(f"{name}: a message is reverted", reverted.revert is not None and reverted.revert.message_id == second, reverted)
        check(f"{name}: the revert is undone", client.session.unrevert(session.id).revert is None)
    check(f"{name}: an idle session is aborted", client.session.abort(session.id) is True)
    check(f"{name}: the session is deleted", client.session.delete(session.id) is True)
    raises(f"{name}: a deleted session is not found", 404, lambda: client.session.messages(session.id))


def surroundings(name, client, folder):
    check(f"{name}: the configuration is returned", client.config.get() is not None)
    providers = client.app.providers()
    check(f"{name}: models are listed", any(provider.models for provider in providers.providers), providers)
    check(f"{name}: a log line is accepted", client.app.log(level="info", message="hello", service="clients") is True)
    (folder / "parser.txt").write_text("hello\n")
    found = client.find.files(query="parser")
    check(f"{name}: a file is found by its name", found == ["parser.txt"], found)
    # Do not test `file.read`, because it uses a route that OpenCode 1.0 has removed.
    changed = client.file.status()
    check(f"{name}: the changed files are listed", isinstance(changed, list), changed)


def events(name, client, family):
    """Tests an event stream with the events of a turn."""
    connected, ended = threading.Event(), threading.Event()
    seen = []

    def read():
        for event in client.event.list():
            event = event if isinstance(event, dict) else event.to_dict()
            seen.append(event["type"])
            if event["type"] == "server.connected":
                connected.set()
            if event["type"] == "session.idle":
                return ended.set()

    threading.Thread(target=read, daemon=True).start()
    check(f"{name}: a stream begins", connected.wait(LONGEST), seen)
    session = create(client, family)
    client.session.chat(session.id, model_id="talk", provider_id="simulator", parts=[{"type": "text", "text": "Hello"}])
    check(f"{name}: the stream reports the end of the turn", ended.wait(LONGEST), seen)
    for kind in ("message.updated", "message.part.updated", "session.status"):
        check(f"{name}: the stream has {kind}", kind in seen, seen)


def main():
    family = int(sys.argv[1])
    name = f"OpenCode {family}"
    url = os.environ["OPENCODE_BASE_URL"]
    client = Opencode(base_url=url, timeout=LONGEST, max_retries=0,
                      default_headers={"Authorization": f"Bearer {os.environ['OPENCODE_PASSWORD']}"})
    surroundings(name, client, pathlib.Path(os.environ["PROJECT_FOLDER"]))
    sessions(name, client, family)
    events(name, client, family)
    print(f"opencode-ai {opencode_ai.__version__} at {url}: {passed} checks passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()

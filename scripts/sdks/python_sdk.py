# SPDX-License-Identifier: Apache-2.0

"""Tests opencode-python-sdk with a project whose instance is the simulator as OpenCode 2. `make test-sdks` starts the gateway.

The environment contains OPENCODE_BASE_URL (the project's address, or the gateway's address for a key that is bound to the project),
OPENCODE_PASSWORD (the key) and PROJECT_FOLDER (the path of the project's folder). SIMULATOR_URL and SIMULATOR_KEY reach the
simulator's own routes, for which the key needs the scope `run`.
"""
import asyncio
import contextlib
import os
import sys
import urllib.request

import opencode
from opencode import AsyncOpencode, Opencode
from opencode.types import ModelRef

URL = os.environ["OPENCODE_BASE_URL"]
KEY = os.environ["OPENCODE_PASSWORD"]
FOLDER = os.path.realpath(os.environ["PROJECT_FOLDER"])
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


def raises(what, kind, status, call):
    try:
        call()
    except kind as error:
        check(what, getattr(error, "status_code", None) == status, error)
    except Exception as error:  # Not the expected error.
        check(what, False, repr(error))
    else:
        check(what, False, "the request succeeded")


def model(name):
    return ModelRef(id=name, provider_id="simulator")


def misbehave(words):
    credentials = {"Authorization": f"Bearer {os.environ['SIMULATOR_KEY']}"}
    request = urllib.request.Request(f"{os.environ['SIMULATOR_URL']}/simulator/misbehave", words.encode(), credentials)
    urllib.request.urlopen(request, timeout=LONGEST).read()


@contextlib.contextmanager
def heard(client, session):
    """Collects the events of a session. The SDK connects in its own thread, so first waits until the stream has begun."""
    with client.events.subscribe() as everything, client.events.for_session(session.id) as events:
        check("the stream begins", everything.get(timeout=LONGEST).type == "server.connected")
        yield events


def until(events, is_last):
    """Returns the events up to the expected event. A missing event causes an error after LONGEST seconds."""
    seen = [events.get(timeout=LONGEST)]
    while not is_last(seen[-1]):
        seen.append(events.get(timeout=LONGEST))
    return seen


def ends(event):
    return event.type.startswith("session.execution.") and event.type != "session.execution.started"


def turn(client):
    """Tests a prompt, its events, the wait for the turn's end, and the session's messages."""
    session = client.session.create(model=model("talk"))
    check("a session is created in the project's folder", session.location.directory == FOLDER, session)
    check("the session is returned by its ID", client.session.get(session.id).id == session.id)
    check("the session is listed", session.id in [listed.id for listed in client.session.list()])
    with heard(client, session) as events:
        client.session.prompt(session.id, text="Explain the parser")
        client.session.wait(session.id)
        seen = until(events, ends)
    types = [event.type for event in seen]
    check("the turn begins", "session.execution.started" in types, types)
    check("the turn succeeds", types[-1] == "session.execution.succeeded", types)
    text = "".join(event.data.delta for event in seen if event.type == "session.text.delta")
    whole = [event.data.text for event in seen if event.type == "session.text.ended"]
    check("the deltas add up to the whole text", whole == [text], (text, whole))
    check("text beyond ASCII arrives", "naïve café, 日本語, 🚀" in text, text)
    messages = list(client.message.list(session.id))
    said = [part.text for message in messages if message.type == "assistant" for part in message.content
            if part.type == "text"]
    check("the message list has the answer", said == whole, said)
    check("the message list has the prompt", any(message.type == "user" for message in messages))
    page = client.message.list(session.id, limit=1)
    check("a page has at most the requested number of messages", len(page.data) == 1, page)
    check("there is a next page", page.has_next_page() and page.next_page().data[0].id != page.data[0].id)


def questions(client):
    """Tests a turn that requests a permission, and an interrupt."""
    session = client.session.create(model=model("tools"))
    with heard(client, session) as events:
        client.session.prompt(session.id, text="Hello")
        asked = until(events, lambda event: event.type == "permission.asked")[-1]
        client.permission.reply(session.id, asked.data.id, decision="once")
        ended = until(events, ends)[-1]
    check("a permitted tool call succeeds", ended.type == "session.execution.succeeded", ended)
    session = client.session.create(model=model("talk"))
    client.session.prompt(session.id, text="Hello [pieces=3000 interval=20ms]")
    check("a turn is interrupted", client.session.interrupt(session.id).interrupted is True)
    client.session.wait(session.id)
    check("the wait for an interrupted turn ends", True)


def streams(client):
    """Tests the beginning of an event stream. Tests that an interruption of the stream is an error."""
    with client.event.subscribe() as events:
        first = next(iter(events))
        check("a stream begins with server.connected", first.type == "server.connected", first)
    try:
        with client.event.subscribe() as events:
            for event in events:
                if event.type == "server.connected":
                    session = client.session.create(model=model("talk"))
                    client.session.prompt(session.id, text="Hello [pieces=300 interval=4ms]")
                elif event.type == "session.text.delta":
                    # In the middle of a turn.
                    misbehave("cut-streams")
        check("a truncated stream is an error", False, "the stream ended cleanly")
    except opencode.OpencodeError:
        check("a truncated stream is an error", True)


def refusals(client):
    raises("a missing session is answered with 404", opencode.NotFoundError, 404, lambda: client.session.get("ses_doesnotexist"))
    raises("a directory outside the project is rejected with 403", opencode.PermissionDeniedError, 403,
           lambda: client.agent.list(location={"directory": "/"}))
    with Opencode(URL, password="not-the-key-0123456789", max_retries=0) as stranger:
        # At the root, the gateway does not know to which project a request without a valid key belongs.
        is_root = "/projects/" not in URL
        error, status = (opencode.NotFoundError, 404) if is_root else (opencode.AuthenticationError, 401)
        raises(f"a wrong password is rejected with {status}", error, status, lambda: stranger.server.info())
        raises("a wrong password creates no session", error, status, lambda: stranger.session.create())


async def asynchronously():
    async with AsyncOpencode(URL, password=KEY) as client:
        check("the asynchronous client is authorized", (await client.server.info()).version == "2.0.15")


def main():
    with Opencode(URL, password=KEY) as client:
        info = client.server.info()
        check("the server reports its version", info.version == "2.0.15", info)
        check("the server reports its process ID", isinstance(info.pid, int), info)
        check("the location is the project's folder", client.location.get().directory == FOLDER)
        turn(client)
        questions(client)
        streams(client)
        refusals(client)
    asyncio.run(asynchronously())
    print(f"opencode-python-sdk {opencode.__version__} at {URL}: {passed} checks passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0

"""Tests opencode-ai, an early SDK for OpenCode 1 (PyPI), with interruptions in the middle of a turn. `make
test-stream-clients` runs this script.

The SDK supports neither IDs nor reconnecting. With and without the hub, the SDK must receive the same events. The script reads
both streams at the same time.
"""
import json
import sys
import threading

import httpx
from opencode_ai import Opencode

from gateway import ADDRESS, KEY, LONGEST, Project, check, done, is_event, wait_for


class Listener:
    """Runs `event.list()` in a thread until the stream ends cleanly or with an error."""

    def __init__(self, client, query, project):
        self.client, self.query, self.project = client, query, project
        self.seen, self.end = [], None
        self.connected, self.middle = threading.Event(), threading.Event()
        self.session = None
        self.has_ended_turn = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        check(f"event.list({query}) begins with server.connected", self.connected.wait(LONGEST))

    def read(self):
        try:
            for event in self.client.event.list(extra_query=self.query):
                event = event if isinstance(event, dict) else event.to_dict()
                if event["type"] == "server.connected":
                    self.connected.set()
                if is_event(event):
                    self.seen.append(json.dumps(event, sort_keys=True))
                if len(self.seen) > 25:
                    self.middle.set()
                if self.session and self.project.ends_turn(event, self.session):
                    self.has_ended_turn.set()
            self.end = "clean"
        except httpx.TransportError as error:
            self.end = type(error).__name__


def main():
    project = Project("one", 1)
    client = Opencode(base_url=f"{ADDRESS}{project.api}", default_headers={"Authorization": f"Bearer {KEY}"},
                      timeout=LONGEST, max_retries=0)
    # A complete turn.
    both = [Listener(client, query, project) for query in ({}, {"hub": "0"})]
    session = client.session.create(extra_body={})
    for listener in both:
        listener.session = session.id
    project.ask("POST", f"{project.api}/session/{session.id}/prompt_async",
                {"parts": [{"type": "text", "text": "talk [pieces=60 interval=4ms]"}]})
    for listener in both:
        check("the end of the turn is received", listener.has_ended_turn.wait(LONGEST))

    def agree():
        heard = [[line for line in list(listener.seen) if session.id in line] for listener in both]
        return heard[0] == heard[1] and len(heard[0]) > 60

    # After the end of a turn, OpenCode 1.18 reports the changed files. This event reaches the clients at different times, so wait.
    wait_for("the same events in the same order through the hub and without it", agree)
    # Interrupt a turn: the stream from the hub must end in the same way as the stream without the hub.
    session = project.begin_turn("[pieces=300 interval=4ms]")
    for listener in both:
        listener.middle.clear()
        check("the turn is running", listener.middle.wait(LONGEST))
    project.misbehave("cut-streams")
    for listener in both:
        listener.thread.join(LONGEST)
    check("the hub's stream is aborted like OpenCode's stream", both[0].end == both[1].end != "clean",
          [listener.end for listener in both])
    # A new stream begins with current events. A client that sends no ID receives no earlier events.
    fresh = Listener(client, {}, project)
    fresh.session = session
    before = set(both[0].seen)
    check("the turn continues", fresh.middle.wait(LONGEST))
    check("a client without an ID receives no old events", not before & set(fresh.seen), len(before & set(fresh.seen)))
    # Wait for the end of the turn, so that the project is idle for the next client.
    check("the end of the turn is received through a new stream", fresh.has_ended_turn.wait(LONGEST))
    return done("opencode-ai 0.1.0a36")


if __name__ == "__main__":
    sys.exit(main())

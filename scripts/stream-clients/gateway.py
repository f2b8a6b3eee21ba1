# SPDX-License-Identifier: Apache-2.0

"""Functions for tests of stream clients with the gateway that scripts/test-stream-clients.sh has started: turns, interruptions,
and OpenCode's own events.
"""
import http.client
import json
import os
import socket
import struct
import sys
import threading
import time
from urllib.parse import urlsplit

ADDRESS = os.environ["GATEWAY"]
KEY = os.environ["GATEWAY_KEY"]
PLACE = (urlsplit(ADDRESS).hostname, urlsplit(ADDRESS).port)
LONGEST = 30

passed = 0
failed = []
counting = threading.Lock()


def check(what, is_true, seen=""):
    global passed
    with counting:
        if is_true:
            passed += 1
        else:
            failed.append(what)
    if not is_true:
        print(f"FAILED: {what} {str(seen)[:600]}", file=sys.stderr)


def done(name):
    print(f"{name}: {passed} checks passed, {len(failed)} failed")
    return 1 if failed else 0


def ask(method, path, body=None, fields=()):
    """Returns the status and the body of a response."""
    connection = http.client.HTTPConnection(*PLACE, timeout=LONGEST)
    headers = {"Authorization": f"Bearer {KEY}", **dict(fields)}
    if body is not None and not isinstance(body, str):
        body, headers["Content-Type"] = json.dumps(body), "application/json"
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


class Project:
    """A project whose OpenCode belongs to family 1 or 2."""

    def __init__(self, name, family):
        self.name, self.family = name, family
        self.api = f"/projects/{name}/api"
        self.events = f"/projects/{name}/events"
        self.streams = [f"{self.api}/api/event"] if family == 2 else [f"{self.api}/global/event", f"{self.api}/event"]

    def ask(self, method, path, body=None):
        status, content = ask(method, path, body)
        if status >= 300:
            raise SystemExit(f"{method} {path} was answered {status} {content!r}")
        return json.loads(content) if content.startswith((b"{", b"[")) else None

    def begin_turn(self, words="[pieces=150 interval=4ms]"):
        """Starts a turn with many events and returns the session's ID."""
        if self.family == 2:
            session = self.ask("POST", f"{self.api}/api/session", {})["data"]["id"]
            self.ask("POST", f"{self.api}/api/session/{session}/prompt", {"text": f"talk {words}"})
        else:
            session = self.ask("POST", f"{self.api}/session", {})["id"]
            self.ask("POST", f"{self.api}/session/{session}/prompt_async",
                     {"parts": [{"type": "text", "text": f"talk {words}"}]})
        return session

    def ends_turn(self, event, session):
        """Returns whether the event is the last one of the session's turn."""
        event = event.get("event", event)
        event = event.get("payload", event)
        if self.family == 2:
            return event["type"].startswith("session.execution.succeeded") and event["data"]["sessionID"] == session
        return event["type"] == "session.idle" and event["properties"]["sessionID"] == session

    def misbehave(self, words):
        ask("POST", f"{self.api}/simulator/misbehave", words)

    def state(self):
        return self.ask("GET", f"{self.events}/state")

    def kept(self, since):
        """Returns all stored events after an ID, page by page, as pairs of ID and event."""
        events = []
        while True:
            page = self.ask("GET", f"{self.events}?since={since}&wait=0")
            if not page["events"]:
                return events
            events += [(item["id"], item["event"]) for item in page["events"]]
            since = page["next"]


class Witness:
    """Records OpenCode's own events for comparison, from a stream that the gateway forwards without the hub (`hub=0`)."""

    def __init__(self, path):
        self.connection = http.client.HTTPConnection(*PLACE, timeout=LONGEST)
        self.connection.request("GET", f"{path}?hub=0", headers={"Authorization": f"Bearer {KEY}"})
        self.answer = self.connection.getresponse()
        self.lines = []
        self.news = threading.Condition()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        self.until(lambda line: b"server.connected" in line)

    def read(self):
        try:
            while line := self.answer.readline():
                if line.startswith(b"data: "):
                    with self.news:
                        self.lines.append(line[6:].rstrip(b"\n"))
                        self.news.notify_all()
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            pass  # The connection was closed.

    def until(self, is_last):
        deadline = time.monotonic() + LONGEST
        seen = 0
        with self.news:
            while True:
                if any(is_last(line) for line in self.lines[seen:]):
                    return
                seen = len(self.lines)
                if not self.news.wait(deadline - time.monotonic()):
                    raise SystemExit("OpenCode did not send the expected event in time")

    def said(self):
        """Returns the recorded events, except `server.connected` and heartbeats, which each stream receives separately."""
        with self.news:
            return [line.decode() for line in self.lines if is_event(json.loads(line))]

    def close(self):
        self.connection.sock and self.connection.sock.shutdown(socket.SHUT_RDWR)


def is_event(event):
    event = event.get("payload", event)
    return event.get("type") not in ("server.connected", "server.heartbeat")


def wait_for(what, condition):
    """Waits until the condition is true."""
    deadline = time.monotonic() + LONGEST
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} did not happen in time")
        time.sleep(0.02)


class Cutter:
    """A proxy in front of the gateway that adds the key, records the requests, and interrupts responses on request."""

    def __init__(self):
        self.requests = []
        self.cuts = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self, *counts):
        """Resets each of the next streams after the given number of bytes."""
        self.cuts = list(counts)

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            more = client.recv(65536)
            if not more:
                return client.close()
            head += more
        head, body = head.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:])
        fields = {name.lower(): value for name, value in fields.items()}
        self.requests.append((lines[0], fields, time.monotonic()))
        lines = [line for line in lines if not line.lower().startswith(("connection:", "authorization:"))]
        if "?unauthorized" not in lines[0]:
            lines.append(f"Authorization: Bearer {KEY}")
        lines.append("Connection: close")
        upstream = socket.create_connection(PLACE)
        upstream.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        left = self.cuts.pop(0) if self.cuts else None
        ends = False
        # Close the connection to the gateway when the client disconnects.
        threading.Thread(target=self.watch, args=(client, upstream), daemon=True).start()
        try:
            while bytes_ := upstream.recv(4096):
                if left is not None and len(bytes_) >= left:
                    client.sendall(bytes_[:left])
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    break
                if left is not None:
                    left -= len(bytes_)
                client.sendall(bytes_)
            else:
                ends = True
        except OSError:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # The thread in `watch` keeps both sockets open until its `recv` returns, so shut them down before closing them.
        for side, direction in ((upstream, socket.SHUT_RDWR), (client, socket.SHUT_RDWR if ends else socket.SHUT_RD)):
            try:
                side.shutdown(direction)
            except OSError:
                pass
            side.close()

    @staticmethod
    def watch(client, upstream):
        try:
            while bytes_ := client.recv(65536):
                upstream.sendall(bytes_)
            upstream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

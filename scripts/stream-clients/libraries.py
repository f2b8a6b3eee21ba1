# SPDX-License-Identifier: Apache-2.0

"""Tests httpx-sse and sseclient-py with a loop that reconnects with `Last-Event-ID`. `make test-stream-clients` runs this script.

Each library reads OpenCode's own event streams and the gateway's event stream of a project. The tests interrupt the library's
connection in the middle of a turn and of a frame, and also interrupt the instance's stream. Every event must arrive once and
in order.
"""
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import requests
import sseclient
from httpx_sse import connect_sse

from gateway import KEY, LONGEST, Cutter, Project, Witness, check, done, is_event, wait_for

# The numbers of bytes after which consecutive streams are reset: in heads, in frames, and between frames. The first stream is
# long enough to contain an ID, because a client without an ID cannot resume.
CUTS = [9_000, 40, 900, 1_733, 4_096, 9_001, 2_500, 30_011]


def httpx_events(address, headers):
    with httpx.Client(timeout=LONGEST) as client, connect_sse(client, "GET", address, headers=headers) as source:
        source.response.raise_for_status()
        yield None, None, ""
        for event in source.iter_sse():
            yield event.id, event.event, event.data


def requests_events(address, headers):
    with requests.get(address, headers=headers, stream=True, timeout=LONGEST) as response:
        response.raise_for_status()
        yield None, None, ""
        for event in sseclient.SSEClient(response.iter_content(None)).events():
            yield event.id, event.event, event.data


BROKEN = (httpx.TransportError, requests.RequestException)


class Reader:
    """Reads a stream in a thread, and reconnects until the last event has arrived."""

    def __init__(self, library, address, is_last):
        self.library, self.address, self.is_last = library, address, is_last
        self.last = None
        self.events, self.gaps = [], []
        self.connections = self.breaks = self.clean_ends = 0
        self.connected = threading.Event()
        self.ended = threading.Event()
        self.middle = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while not self.ended.is_set() and self.connections < 100:
            self.connections += 1
            headers = {"Authorization": f"Bearer {KEY}", **({"Last-Event-ID": self.last} if self.last else {})}
            try:
                for id_, kind, data in self.library(self.address, headers):
                    self.connected.set()
                    self.take(id_, kind, data)
                    if self.ended.is_set():
                        return
                self.clean_ends += 1
            except BROKEN:
                self.breaks += 1

    def take(self, id_, kind, data):
        self.last = id_ or self.last
        if not data:
            return
        if kind == "gap":
            self.gaps.append(json.loads(data))
            return
        event = json.loads(data)
        if not is_event(event):
            return
        self.events.append((id_, data))
        if len(self.events) > 25:
            self.middle.set()
        if self.is_last(event):
            self.ended.set()


def whole(reader, name):
    """Checks that the IDs of all received events ascend, and returns their sequence numbers."""
    sequence = [int(id_.split("-")[1]) for id_, _ in reader.events]
    check(f"{name}: the IDs ascend without repetition", sequence == sorted(set(sequence)), sequence)
    return sequence


def own_connection(project, library, stream):
    """Interrupts the reader's own connection repeatedly: the reader receives exactly OpenCode's own events."""
    name = f"{library.__name__} on {stream}, its connection cut"
    is_own = stream == project.events
    witness = Witness(project.streams[0] if is_own else stream)
    cutter = Cutter()
    cutter.cut(*CUTS)
    session = None
    reader = Reader(library, cutter.address + stream, lambda event: project.ends_turn(event, session))
    check(f"{name}: the client connects", reader.connected.wait(LONGEST))
    session = project.begin_turn()
    check(f"{name}: the end of the turn is received", reader.ended.wait(LONGEST), len(reader.events))
    witness.until(lambda line: project.ends_turn(json.loads(line), session))
    said = witness.said()
    witness.close()
    seen = [data for _, data in reader.events]
    if is_own:
        seen = [json.loads(data)["event"] for data in seen]
        said = [json.loads(data) for data in said]
        # OpenCode 1 wraps each event on `/global/event` in another object.
        said = [event.get("payload", event) for event in said]
    # Compare the events from the first event of the turn's session to the last event that the reader received.
    begin = next((index for index, data in enumerate(said) if session in json.dumps(data)), 0)
    mine = next((index for index, data in enumerate(seen) if session in json.dumps(data)), 0)
    seen, said = seen[mine:], said[begin:begin + len(seen) - mine]
    check(f"{name}: every event arrives once and in order", seen == said and len(seen) > 100,
          (len(seen), len(said), next((pair for pair in zip(seen, said) if pair[0] != pair[1]), None)))
    check(f"{name}: the connection was interrupted", reader.breaks >= 3, reader.breaks)
    check(f"{name}: no interruption looks like a regular end", reader.clean_ends == 0, reader.clean_ends)
    check(f"{name}: no gap is reported", reader.gaps == [], reader.gaps)
    sequence = whole(reader, name)
    if "/event" != stream[-6:] or "global" in stream or project.family == 2:
        check(f"{name}: the IDs are consecutive", sequence == list(range(sequence[0], sequence[0] + len(sequence))), sequence)


def is_heard_again(project, gaps):
    state = project.state()
    return state["upstream"] == "connected" and state["gaps"] >= gaps


def instance_stream(project, library, stream):
    """Interrupts the instance's streams: the reader receives all events that the gateway has received, and a report of each
    gap.
    """
    name = f"{library.__name__} on {stream}, the instance's streams cut"
    session = None
    reader = Reader(library, Cutter().address + stream, lambda event: project.ends_turn(event, session))
    check(f"{name}: the client connects", reader.connected.wait(LONGEST))
    before = project.state()
    session = project.begin_turn("[pieces=200 interval=4ms]")
    for number in (1, 2):
        reader.middle.clear()
        check(f"{name}: the turn continues", reader.middle.wait(LONGEST))
        project.misbehave("cut-streams")
        wait_for("the next stream of the gateway", lambda: is_heard_again(project, before["gaps"] + number))
    check(f"{name}: the end of the turn is received", reader.ended.wait(LONGEST), len(reader.events))
    whole(reader, name)
    seen = [id_ for id_, _ in reader.events]
    # Events that were in transit when the state was requested are not compared.
    seen = seen[seen.index(before["last"]) + 1:] if before["last"] in seen else seen
    # OpenCode 1's /event omits some of the stored events.
    if stream.endswith("global/event") or stream == project.events or project.family == 2:
        kept = [id_ for id_, _ in project.kept(before["last"])]
        kept = kept[:kept.index(seen[-1]) + 1]
        check(f"{name}: every stored event arrives once", seen == kept, (len(seen), len(kept)))
    if stream == project.events:
        check(f"{name}: a gap is reported for each interruption", [gap["reason"] for gap in reader.gaps] == ["upstream-lost"] * 2, reader.gaps)
        check(f"{name}: the stream stays open", reader.connections == 1, reader.connections)
    else:
        check(f"{name}: each interruption aborts the stream", reader.breaks >= 2 and reader.clean_ends == 0,
              (reader.breaks, reader.clean_ends))


def all_of(project):
    for library in (httpx_events, requests_events):
        for stream in [*project.streams, project.events]:
            own_connection(project, library, stream)
            instance_stream(project, library, stream)


def main():
    # Test both projects at the same time, because they are independent of each other.
    with ThreadPoolExecutor() as pool:
        list(pool.map(all_of, (Project("one", 1), Project("two", 2))))
    return done("httpx-sse and sseclient-py")


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0

"""Measures chat sockets and conversations: the memory of an idle socket, the delay of an answer's deltas, and the cost
of a long list.
"""

import gc
import http.client
import json
import os
import select
import socket
import statistics
import sys
import time

from .own import OwnMeasurements
from .processes import BenchmarkError, proportional_memory, wait_until
from .sides import HERE, complete_line, get

SOCKETS, WATCHERS, RATE, MESSAGES = 1000, 100, 50, 5000
# The gateway's request to OpenCode for a list of the newest 30 messages.
ASKED = "/session/ses_talk/message?limit=60"


class ChatMeasurements(OwnMeasurements):
    """Adds the samples to a `Report`. Only the gateway is measured, because no other side supports these protocols."""

    def take(self):
        """Runs all measurements."""
        for _ in self.measurements.rounds(f"{SOCKETS} idle chat sockets, {WATCHERS} active ones, a list of {MESSAGES} messages"):
            running = self.sides.start("gateway")
            short, long = self.start_talker(running, "talk", 20), self.start_talker(running, "long", MESSAGES)
            self.memory(running)
            self.plain_delays(short)
            self.delays(running, short)
            self.newest(running, long)
            self.sides.stop(running)
            for upstream in (short, long):
                self.bench.stop(upstream)

    def start_talker(self, running, name, messages):
        """Creates a project whose instance is `talker`, which has one conversation with the given number of messages."""
        folder = self.project_folder(running, name)
        command = [sys.executable, os.path.join(HERE, "talker"), folder, str(messages)]
        upstream = self.bench.start(command, f"talker-{name}-{running.port}.log")
        line = wait_until(lambda: complete_line(upstream.log, "port "), "The talker starts", upstream)
        upstream.port = int(line.split()[1])
        self.start_project(running, folder, upstream.port)
        return upstream

    def memory(self, running):
        """Measures the memory of each open socket that has received `status` and a `pong`. Opens some sockets first, so that the
        memory that all sockets share does not count.
        """
        first = [Chat(running.port, self.sides.key) for _ in range(20)]
        before = proportional_memory(running.pids)
        chats = [Chat(running.port, self.sides.key) for _ in range(SOCKETS)]
        self.report.add("chat_memory", "gateway", (proportional_memory(running.pids) - before) / SOCKETS / 1024)
        for chat in first + chats:
            chat.close()

    def delays(self, running, upstream):
        """Measures the delay of a delta, from its creation by the instance to its arrival at the sockets."""
        conversation = self.conversation(running, "talk")
        chats = [Chat(running.port, self.sides.key) for _ in range(WATCHERS)]
        for chat in chats:
            chat.say("load_conversation", conversationId=conversation)
            chat.hear("conversation_loaded")
        count = RATE * self.options.seconds
        get(upstream.port, f"/say?rate={RATE}&count={count}", self.sides.key)
        pieces = count * WATCHERS
        delays = self.collect(chats)
        self.report.require(
            len(delays) == pieces, f"gateway: {WATCHERS} sockets received {len(delays)} of {pieces} deltas")
        self.note("chat", delays)
        for chat in chats:
            chat.close()

    def plain_delays(self, upstream):
        """Measures the delay of the same deltas that the instance sends as plain lines directly to the reader. On this machine, the
        delay through the gateway cannot be lower.
        """
        sockets = [socket.create_connection(("127.0.0.1", upstream.port), timeout=30) for _ in range(WATCHERS)]
        for one in sockets:
            one.sendall(b"GET /plain HTTP/1.1\r\n\r\n")
            one.recv(5, socket.MSG_WAITALL)
        count = RATE * self.options.seconds
        get(upstream.port, f"/say?plain=1&rate={RATE}&count={count}", self.sides.key)
        delays = [(moment - int(line.split()[1])) / 1000
                  for _, moment, data in self.read([one.fileno() for one in sockets], 110 * count * WATCHERS)
                  for line in data.splitlines()]
        self.report.require(len(delays) == count * WATCHERS, f"{WATCHERS} plain sockets received {len(delays)} deltas")
        self.note("plain", delays)
        for one in sockets:
            one.close()

    def note(self, name, delays):
        """Adds the median and the 99th percentile of the delays."""
        delays.sort()
        for percentile, part in (("p50", 0.5), ("p99", 0.99)):
            self.report.add(f"{name}_{percentile}", "gateway", delays[int((len(delays) - 1) * part)] if delays else 0)

    def collect(self, chats):
        """Returns the delays of the received deltas in microseconds."""
        by = {chat.socket.fileno(): chat for chat in chats}
        found = []
        for number, moment, data in self.read(list(by)):
            for message in by[number].feed(data):
                if message["type"] == "assistant_chunk":
                    found.append((moment - int(message["content"].split()[1])) / 1000)
        return found

    def read(self, numbers, wanted=None):
        """Returns the received data with the socket and the time of arrival. Does not parse the data, so that the reader adds no
        delay.
        """
        poll, got = select.epoll(), []
        for number in numbers:
            poll.register(number, select.EPOLLIN)
        deadline, bytes_heard = time.monotonic() + self.options.seconds + 5, 0
        gc.disable()
        while time.monotonic() < deadline:
            ready = poll.poll(0.5)
            for number, _ in ready:
                data = os.read(number, 65536)
                got.append((number, time.monotonic_ns(), data))
                bytes_heard += len(data)
            if (not ready and got) or bytes_heard == wanted:
                break
        gc.enable()
        return got

    def newest(self, running, upstream):
        """Measures the time of a request for the newest 30 of many messages, minus the time of the gateway's request to OpenCode for
        these messages. Also counts the requests to OpenCode.
        """
        conversation = self.conversation(running, "long")
        path = f"/conversations/{conversation}/messages?limit=30&project=long"
        through, direct = Kept(running.port, self.sides.key), Kept(upstream.port, self.sides.key)
        page = json.loads(through.get(path))
        newest = page["items"][-1]["text"].split()[:2] if page["items"] else []
        self.report.require(
            len(page["items"]) == 30 and page["nextCursor"], f"gateway: the newest 30 messages are {len(page['items'])}, {newest}")
        direct.get("/asked")
        through.get(path)
        questions = json.loads(direct.get("/asked"))
        self.report.require(len(questions) <= 3, f"gateway: the newest 30 messages cause the requests {questions}")
        samples = []
        for _ in range(50):
            samples.append(through.timed(path) - direct.timed(ASKED))
        self.report.add("chat_list", "gateway", statistics.median(samples) * 1000)
        self.report.add("chat_questions", "gateway", len(questions))

    def conversation(self, running, project):
        """Returns the ID of the only conversation of a project."""
        return json.loads(get(running.port, f"/conversations?project={project}", self.sides.key)[1])["items"][0]["id"]


class Kept:
    """A kept-alive connection."""

    def __init__(self, port, key):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.fields = {"Authorization": f"Bearer {key}"}

    def get(self, path):
        """Returns the body of the response, which must be successful."""
        self.connection.request("GET", path, headers=self.fields)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise BenchmarkError(f"GET {path} is answered with {answer.status} {body[:200]!r}")
        return body

    def timed(self, path):
        """Returns the number of seconds until the last byte of the response has arrived."""
        begun = time.monotonic()
        self.get(path)
        return time.monotonic() - begun


class Chat:
    """A chat client that has received `status` and a `pong`."""

    def __init__(self, port, key):
        self.rest = b""
        self.messages = []
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.sendall((
            f"GET /chat?project=talk HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.read()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101 "):
            raise BenchmarkError(f"A chat is answered with {head.splitlines()[0].decode()}")
        self.hear("status")
        self.say("ping")
        self.hear("pong")

    def read(self):
        """Returns the data that arrives next."""
        data = self.socket.recv(65536)
        if not data:
            raise BenchmarkError("A chat was closed")
        return data

    def say(self, kind, **members):
        """Sends a masked text message (RFC 6455 §5.2). The masking key consists of zeros, so the text remains unchanged."""
        text = json.dumps({"type": kind, **members}).encode()
        length = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0x80 | 126]) + len(text).to_bytes(2, "big")
        self.socket.sendall(b"\x81" + length + bytes(4) + text)

    def hear(self, wanted):
        """Reads messages up to and including the first message of this type."""
        while True:
            self.messages += self.feed(b"" if self.rest else self.read())
            while self.messages:
                if self.messages.pop(0)["type"] == wanted:
                    return
            if self.rest:
                self.rest += self.read()

    def feed(self, data):
        """Appends data, and returns the complete messages."""
        self.rest += data
        found = []
        while len(self.rest) >= 2:
            length, start = self.rest[1] & 0x7F, 2
            if length > 125:
                start += 2 if length == 126 else 8
                if len(self.rest) < start:
                    break
                length = int.from_bytes(self.rest[2:start], "big")
            if len(self.rest) < start + length:
                break
            if self.rest[0] == 0x81:
                found.append(json.loads(self.rest[start:start + length]))
            elif self.rest[0] == 0x89:
                self.socket.sendall(bytes([0x8A, 0x80 | length, 0, 0, 0, 0]) + self.rest[start:start + length])
            self.rest = self.rest[start + length:]
        return found

    def close(self):
        """Disconnects without a closing handshake."""
        self.socket.close()

# SPDX-License-Identifier: Apache-2.0

"""Counts a proxy's instructions under valgrind and its system calls under strace, for each small request. Unlike times, these
counts are repeatable.
"""

import http.client
import json
import os
import secrets
import signal
import socket
import subprocess

from .processes import BenchmarkError, children
from .sides import SMALL, tool

CONNECTIONS = 64
WARM_UP_ROUNDS, ROUNDS = 10, 60


class Counts:
    """Runs a side twice under a tool, with fewer and with more requests. The difference of the counts contains only the work for
    requests.
    """

    def __init__(self, bench, sides, body=None, fresh=False, named_keys=0):
        self.bench, self.sides, self.body, self.fresh, self.named_keys = bench, sides, body, fresh, named_keys

    def instructions(self, side):
        """Returns the user-space instructions for each request (callgrind)."""
        few, many = (self._instructions(side, rounds) for rounds in (WARM_UP_ROUNDS, ROUNDS))
        return (many - few) / self._requests()

    def system_calls(self, side):
        """Returns the system calls for each request by name (strace). Omits names with less than a hundredth of a call.
        """
        few, many = (self._system_calls(side, rounds) for rounds in (WARM_UP_ROUNDS, ROUNDS))
        calls = {name: (count - few.get(name, 0)) / self._requests() for name, count in many.items()}
        return dict(sorted(((n, c) for n, c in calls.items() if c >= 0.01), key=lambda item: -item[1]))

    @staticmethod
    def _requests():
        return (ROUNDS - WARM_UP_ROUNDS) * CONNECTIONS

    def _instructions(self, side, rounds):
        output = self.bench.path(f"callgrind-{side}-{rounds}")
        prefix = [tool("valgrind"), "--tool=callgrind", f"--callgrind-out-file={output}"]
        self._run(side, rounds, prefix, child=False)
        with open(output) as file:
            totals = [int(line.split()[1]) for line in file if line.startswith("totals:")]
        if not totals:
            raise BenchmarkError(f"callgrind wrote no total for {side}: run it yourself with {' '.join(prefix)}")
        return totals[0]

    def _system_calls(self, side, rounds):
        output = self.bench.path(f"strace-{side}-{rounds}")
        self._run(side, rounds, [tool("strace"), "-f", "-c", "-U", "calls,name", "-o", output], child=True)
        with open(output) as file:
            fields = [line.split() for line in file]
        return {pair[1]: int(pair[0]) for pair in fields if len(pair) == 2 and pair[0].isdigit() and pair[1] != "total"}

    def _run(self, side, rounds, prefix, child):
        """Starts a side with one thread under a tool, sends the requests, and ends the side, so that the tool writes its report."""
        running = self.sides.start(side, threads=1, prefix=prefix, patience=120)
        key = self.sides.key
        for number in range(self.named_keys if side == "gateway" else 0):
            key = create_key(running.port, self.sides.key, secrets.token_hex(8))
        send_requests(running.port, key, rounds, self.body, self.fresh)
        process = running.process
        os.kill(children(process.pid)[0] if child else process.pid, signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            raise BenchmarkError(f"{side} under {prefix[0]} does not end on SIGTERM")
        self.sides.stop(running)


def create_key(port, key, name):
    """Creates a named key without a limit on its rate, and returns the key itself."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/-/keys", json.dumps({"name": name, "allow": "run", "rate": "100000/s"}), {
        "Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    response = connection.getresponse()
    body = response.read()
    if response.status != 201:
        raise BenchmarkError(f"POST /-/keys returned {response.status}: {body[:200]}")
    connection.close()
    return json.loads(body)["key"]


def send_requests(port, key, rounds, body, fresh):
    """Sends small GETs, or POSTs with a body of `body` bytes, in rounds. Each round sends one request on every connection and then
    reads all responses.

    All rounds use the same connections. With `fresh`, each round opens new connections.
    """
    method, content = ("GET", "") if body is None else ("POST", f"Content-Length: {body}\r\n")
    if fresh:
        content += "Connection: close\r\n"
    request = (f"{method} {SMALL} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
               f"Authorization: Bearer {key}\r\n{content}\r\n").encode() + b"x" * (body or 0)
    connections = []
    for _ in range(rounds):
        if fresh or not connections:
            for connection in connections:
                connection.close()
            connections = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(CONNECTIONS)]
        for connection in connections:
            connection.sendall(request)
        for connection in connections:
            read_answer(connection)
    for connection in connections:
        connection.close()


def read_answer(connection):
    """Reads one response to its end. The response must have the status 200 and a Content-Length."""
    data = b""
    while b"\r\n\r\n" not in data or len(data) < answer_length(data):
        received = connection.recv(65536)
        if not received:
            raise BenchmarkError(f"The connection ended in the middle of a response: {data[:200]!r}")
        data += received
    if not data.startswith(b"HTTP/1.1 200"):
        raise BenchmarkError(f"A small request was answered with {data[:200]!r}")


def answer_length(data):
    """Returns the length of a response, including its head, from its Content-Length. The head must be complete."""
    head = data.partition(b"\r\n\r\n")[0]
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return len(head) + 4 + int(value)
    raise BenchmarkError(f"A response has no Content-Length: {head!r}")

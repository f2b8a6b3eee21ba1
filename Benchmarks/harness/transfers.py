# SPDX-License-Identifier: Apache-2.0

"""Measures the cost of transferring a mebibyte in each direction. The bodies are long and follow one another on a kept-alive
connection.
"""

import http.client

from .processes import BenchmarkError, CPUClock
from .sides import LONG_BODY

SMALL_PROJECT = "/projects/small/api"
# The number of bodies in a sample.
BODIES = 8
PIECE = 256 * 1024


class TransferMeasurements:
    """Adds the samples to a `Report`."""

    def __init__(self, measurements):
        self.measurements, self.sides, self.report = measurements, measurements.sides, measurements.report

    def take(self):
        """Measures the CPU time for each mebibyte that a client sends, and for each mebibyte that it receives."""
        group = [self.sides.start(side) for side in self.sides.names]
        clients = {running.side: Client(running.port, self.sides.key) for running in group}
        for client in clients.values():
            client.upload()
            client.download()
        for _ in self.measurements.rounds(f"bodies of {LONG_BODY >> 20} MiB"):
            for running in group:
                for name in ("upload", "download"):
                    clock = CPUClock(running.pids)
                    for _ in range(BODIES):
                        getattr(clients[running.side], name)()
                    self.report.add(name, running.side, clock.seconds() / (BODIES * LONG_BODY) * 2**20 * 1e6)
        for client in clients.values():
            client.close()
        for running in group:
            self.sides.stop(running)


class Client:
    """A kept-alive connection."""

    def __init__(self, port, key):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.fields = {"Authorization": f"Bearer {key}"}
        self.body = bytes(LONG_BODY)
        self.room = bytearray(PIECE)

    def upload(self):
        """Sends a body with a Content-Length, and reads the response."""
        self.ask("PUT", "upload", self.body)

    def download(self):
        """Requests a body, and checks its length."""
        length = self.ask("GET", "download")
        if length != LONG_BODY:
            raise BenchmarkError(f"A download is {length} bytes long, not {LONG_BODY}")

    def ask(self, method, name, body=None):
        """Sends one request, and returns the length of the response's body."""
        self.connection.request(method, f"{SMALL_PROJECT}/{name}", body, self.fields)
        answer = self.connection.getresponse()
        if answer.status != 200:
            raise BenchmarkError(f"{method} {name} is answered with {answer.status}")
        length = 0
        while count := answer.readinto(self.room):
            length += count
        return length

    def close(self):
        """Closes the connection."""
        self.connection.close()

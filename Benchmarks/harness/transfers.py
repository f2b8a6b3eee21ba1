"""Long bodies, one after the other on a kept connection: what carrying a mebibyte takes in each direction."""

import os
import socket

from .processes import BenchmarkError, CPUClock
from .sides import LONG_BODY

SMALL_PROJECT = "/projects/small/api"
# So many bodies make a sample.
BODIES = 8
PIECE = 256 * 1024


class TransferMeasurements:
    """Takes the samples into a `Report`."""

    def __init__(self, measurements):
        self.measurements, self.sides, self.report = measurements, measurements.sides, measurements.report

    def take(self):
        """CPU for each mebibyte that a client sends, and for each that it gets."""
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
    """One kept connection."""

    def __init__(self, port, key):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
        self.piece = os.urandom(PIECE)
        self.room = bytearray(PIECE)

    def upload(self):
        """Sends a body whose length is told before, and reads the answer."""
        self.socket.sendall(
            f"PUT {SMALL_PROJECT}/upload HTTP/1.1\r\n{self.head}Content-Length: {LONG_BODY}\r\n\r\n".encode())
        for _ in range(LONG_BODY // PIECE):
            self.socket.sendall(self.piece)
        self.read_body(self.read_head())

    def download(self):
        """Reads a body of that length."""
        self.socket.sendall(f"GET {SMALL_PROJECT}/download HTTP/1.1\r\n{self.head}\r\n".encode())
        length = self.read_head()
        if length != LONG_BODY:
            raise BenchmarkError(f"A download is {length} bytes long, not {LONG_BODY}")
        self.read_body(length)

    def close(self):
        """Closes the connection."""
        self.socket.close()

    def read_head(self):
        """The length of the answer's body, of which nothing is read."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = self.socket.recv(1)
            if not byte:
                raise BenchmarkError(f"The connection ends in the middle of a head: {head!r}")
            head += byte
        lines = head.decode().lower().split("\r\n")
        lengths = [line.split(":", 1)[1] for line in lines if line.startswith("content-length:")]
        if not lines[0].startswith("http/1.1 200") or len(lengths) != 1:
            raise BenchmarkError(f"A long body is answered with {lines}")
        return int(lengths[0])

    def read_body(self, left):
        """Reads so many bytes."""
        while left:
            count = self.socket.recv_into(self.room, min(left, PIECE))
            if not count:
                raise BenchmarkError(f"The connection ends {left} bytes before the end of a body")
            left -= count

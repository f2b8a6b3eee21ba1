# SPDX-License-Identifier: Apache-2.0

"""Measures the time from the execution of the gateway's program to its first response."""

import http.client
import os
import statistics
import subprocess
import time

from .own import OwnMeasurements
from .processes import BenchmarkError, tail
from .sides import HERE

STARTS = 30
ANNOUNCED = b"viberemote-gateway listening on http://"


class StartMeasurements(OwnMeasurements):
    """Adds the samples to a `Report`. Only the gateway is measured."""

    def take(self):
        """Starts gateways one after the other, and adds the median of their times in milliseconds."""
        for number in self.measurements.rounds(f"{STARTS} starts"):
            times = [first_answer(self.bench, self.sides.gateway, self.sides.key, f"start-{number}-{count}")
                     for count in range(STARTS)]
            self.report.add("start", "gateway", statistics.median(times) * 1000)


def first_answer(bench, gateway, key, label):
    """Starts a gateway without projects and without stored state. Returns the number of seconds until the gateway has responded
    to GET /health.

    The gateway prints its address when it accepts connections, so the request is not sent too early.
    """
    home, state = os.path.dirname(bench.path(label, "home", "x")), os.path.dirname(bench.path(label, "state", "x"))
    command = [
        gateway, "serve", "--listen", "127.0.0.1:0", "--home", home, "--opencode", os.path.join(HERE, "opencode-shim"),
        "--supervisor", "process", "--threads", "2"]
    environment = {"VIBE_AUTH_SECRET": key, "XDG_STATE_HOME": state}
    begun = time.monotonic()
    process = bench.start(command, f"{label}/log", environment, stdout=subprocess.PIPE)
    line = process.stdout.readline()
    if not line.startswith(ANNOUNCED):
        raise BenchmarkError(f"The gateway does not start. Its output:\n{tail(process)}")
    connection = http.client.HTTPConnection("127.0.0.1", int(line.rsplit(b":", 1)[1]), timeout=10)
    connection.request("GET", "/health")
    answer = connection.getresponse()
    answer.read()
    seconds = time.monotonic() - begun
    connection.close()
    if answer.status != 200:
        raise BenchmarkError(f"The gateway responds to GET /health with {answer.status}")
    bench.stop(process)
    return seconds

# SPDX-License-Identifier: Apache-2.0

"""Measures OpenCode 1's routes for an OpenCode 2 instance: the cost of translating a response and an event."""

import json
import os
import subprocess

from .own import OwnMeasurements
from .processes import BenchmarkError, accepts, free_port, wait_until
from .sides import NGINX_COMMON, get

SESSION = "ses_dfd7d349fffezc1GRAtW9gFqdA"
# The size in bytes of the response, which is about the size of a session with some turns and a long title.
SIZE = 1_900

# Responses as OpenCode 2.0.15 sends them.
UPSTREAM = NGINX_COMMON + """
    default_type application/json;
    server {{
        listen 127.0.0.1:{port} reuseport backlog=4096;
        location = /api/info {{ return 200 '{{"version":"2.0.15","urls":["http://127.0.0.1:{port}"]}}'; }}
        location = /api/config {{ return 200 '[]'; }}
        location = /api/model/default {{ return 200 '{{"location":{{"directory":"{directory}"}},"data":null}}'; }}
        location = /api/session/{session} {{ return 200 '{answer}'; }}
    }}
}}
"""


class BridgeMeasurements(OwnMeasurements):
    """Adds the samples to a `Report`. Only the gateway is measured, because no other side translates OpenCode 2's responses."""

    def answers(self):
        """Measures the CPU time for each GET of a session, both forwarded unchanged and translated."""
        running = self.sides.start("gateway")
        upstream = self.start_two(running)
        paths = {"passed": f"/projects/two/api/api/session/{SESSION}", "bridge": f"/projects/two/api/session/{SESSION}"}
        self.check(running, paths)
        for path in paths.values():
            self.wrk(running, path, 1)
        for _ in self.measurements.rounds("responses of an OpenCode 2"):
            cpu = {name: self.wrk(running, path, self.options.seconds) for name, path in paths.items()}
            for name in paths:
                self.report.add(name, "gateway", cpu[name])
            self.report.add("bridge_more", "gateway", cpu["bridge"] - cpu["passed"])
        self.sides.stop(running)
        self.bench.stop(upstream)

    def events(self, program):
        """Measures the CPU time for translating and sending a delta of a text, and for storing and sending the delta unchanged.
        Adds both times and their ratio to the report.
        """
        if not os.access(program, os.X_OK):
            raise BenchmarkError(
                f"There is no {program}: build it (swift build -c release --product event-log-writer).")
        for _ in self.measurements.rounds("translating events"):
            done = subprocess.run([program, "translation"], capture_output=True, text=True, timeout=120)
            figures = dict(line.split(": ") for line in done.stdout.splitlines())
            if done.returncode != 0 or "translated" not in figures:
                raise BenchmarkError(f"{program} failed: {done.stdout.strip()} {done.stderr.strip()}")
            for name in ("kept", "translated"):
                self.report.add("delta_" + name, "gateway", int(figures[name].split()[0]) / 1000)
            self.report.add(
                "delta_ratio", "gateway", int(figures["translated"].split()[0]) / int(figures["kept"].split()[0]))

    def start_two(self, running):
        """Starts an nginx that responds like an OpenCode 2, and a project of the gateway with this nginx as its instance."""
        folder = self.project_folder(running, "two")
        port = free_port()
        upstream = self.sides.start_nginx(
            "opencode2-upstream", UPSTREAM, port, workers=2, directory=folder, session=SESSION, answer=answer(folder))
        wait_until(lambda: accepts(port), "The nginx that simulates OpenCode 2 starts", upstream)
        self.start_project(running, folder, port, banner="server")
        return upstream

    def check(self, running, paths):
        """Checks that both responses contain the session, each in the format of its API."""
        passed, translated = (json.loads(get(running.port, paths[name], self.sides.key)[1]) for name in ("passed", "bridge"))
        self.report.require(
            passed["data"]["id"] == SESSION and translated["id"] == SESSION and translated["directory"].endswith("/two"),
            f"gateway: the session is {translated}, translated from {passed}")

    def wrk(self, running, path, seconds):
        """Sends requests for a path for some seconds, and returns the CPU time for each request in microseconds."""
        return self.measurements.wrk(running, seconds, path=path)[0]


def answer(folder):
    """Returns a response of OpenCode 2.0.15 with a session, in the measured size."""
    session = {
        "id": SESSION, "projectID": "ecf6dd52df542fa85316f0025a314956e9a9c6cf", "cost": 0,
        "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}},
        "time": {"created": 1795338455920, "updated": 1795338455920}, "title": "", "location": {"directory": folder}}
    session["title"] = "x" * (SIZE - len(json.dumps({"data": session}, separators=(",", ":"))))
    return json.dumps({"data": session}, separators=(",", ":"))

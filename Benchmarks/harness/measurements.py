# SPDX-License-Identifier: Apache-2.0

"""The measurements. Each measurement consists of rounds, and each round takes one sample of every side in the same order."""

import json
import os
import subprocess

from .bridge import BridgeMeasurements
from .chat import ChatMeasurements
from .hub import HubMeasurements, line
from .processes import BenchmarkError, CPUClock, proportional_memory, wait_until
from .sides import HERE, SMALL, STREAMS, tool
from .start import StartMeasurements
from .transfers import TransferMeasurements

SILENT = STREAMS + "/events?rate=0"
# The size in bytes of a POST's body, which is about the size of a prompt with several sentences.
POST_BODY = 1024


class Measurements:
    """Adds the samples to a `Report`."""

    def __init__(self, bench, sides, report, options):
        self.bench, self.sides, self.report, self.options = bench, sides, report, options
        self.environment = {**os.environ, "BENCH_KEY": sides.key}

    def run(self, names):
        """Runs the measurements with these names. `idle` also runs `small`, because the report compares their figures."""
        if "small" in names or "idle" in names:
            self.requests(with_idle_streams="idle" in names)
        if "post" in names:
            self.load("post", "small POST", {"BENCH_BODY": str(POST_BODY)})
        if "fresh" in names:
            self.load("fresh", "small GET on a new connection", {"BENCH_FRESH": "1"})
        if "transfers" in names:
            TransferMeasurements(self).take()
        for name in ("streams", "memory", "latency"):
            if name in names:
                getattr(self, name)()
        hub = HubMeasurements(self)
        if "hub" in names:
            hub.live()
        if "gateway" in self.sides.names:
            if "hub-memory" in names:
                hub.memory()
            if "replay" in names:
                hub.replay()
            if "bridge" in names:
                bridge = BridgeMeasurements(self)
                bridge.answers()
                bridge.events(os.path.join(os.path.dirname(self.sides.gateway), "event-log-writer"))
            if "chat" in names:
                ChatMeasurements(self).take()
            if "start" in names:
                StartMeasurements(self).take()

    def rounds(self, what):
        """Yields the number of each round, and prints it as progress."""
        for number in range(1, self.options.rounds + 1):
            self.report.progress(f"{what}: round {number} of {self.options.rounds}")
            yield number

    # Small GETs with and without idle streams.

    def requests(self, with_idle_streams):
        """Measures the CPU time for each small GET with 64 connections. With `with_idle_streams`, repeats the measurement on a
        second instance of each side with idle streams.
        """
        alone = [self.sides.start(side) for side in self.sides.names]
        beside = [self.sides.start(side) for side in self.sides.names] if with_idle_streams else []
        held = [Held(self, running, self.options.streams) for running in beside]
        for running in alone + beside:
            self.wrk(running, 1)
        for _ in self.rounds("small GET"):
            single = {}
            for running in alone:
                cpu, rate = self.wrk(running, self.options.seconds)
                single[running.side] = cpu
                self.report.add("small", running.side, cpu)
                self.report.add("small_rate", running.side, rate)
            for running in beside:
                cpu, _ = self.wrk(running, self.options.seconds)
                self.report.add("idle", running.side, cpu)
                self.report.add("idle_to_small", running.side, cpu / single[running.side])
        for one in held:
            one.close()
        for running in alone + beside:
            self.sides.stop(running)

    # Small POSTs, and small GETs on new connections.

    def load(self, measure, what, environment):
        """Measures the CPU time for each request with 64 connections. `environment` selects the kind of request in `wrk.lua`."""
        group = [self.sides.start(side) for side in self.sides.names]
        for running in group:
            self.wrk(running, 1, environment)
        for _ in self.rounds(what):
            for running in group:
                cpu, rate = self.wrk(running, self.options.seconds, environment)
                self.report.add(measure, running.side, cpu)
                self.report.add(measure + "_rate", running.side, rate)
        for running in group:
            self.sides.stop(running)

    def wrk(self, running, seconds, environment=None, path=SMALL):
        """Sends requests to a side for some seconds. Returns the proxy's CPU time for each request in microseconds, and the number
        of requests per second.
        """
        command = [
            tool("wrk"), "-t", "2", "-c", "64", "-d", f"{seconds}s", "--timeout", "10s",
            "-s", os.path.join(HERE, "wrk.lua"), f"http://127.0.0.1:{running.port}{path}"]
        clock = CPUClock(running.pids)
        result = self.last_json(command, seconds + 30, environment)
        cpu = clock.seconds()
        bad = result["bad_status"] + result["errors"]
        self.report.require(bad == 0, f"{running.side}: {bad} of {result['requests']} requests failed: {result}")
        self.report.require(result["requests"] > 0, f"{running.side}: no request was answered")
        return cpu / max(1, result["requests"]) * 1e6, result["requests"] / result["seconds"]

    # Streams with events.

    def streams(self):
        """Measures the CPU time for each event, with 200 streams of 50 events a second each."""
        group = [self.sides.start(side) for side in self.sides.names]
        streams, rate, seconds = 200, 50, self.options.seconds
        for running in group:
            self.read_streams(running, streams, rate, 1)
        for _ in self.rounds(f"{streams} streams of {rate} events a second"):
            for running in group:
                cpu, delays = self.read_streams(running, streams, rate, seconds)
                self.report.add("streams", running.side, cpu)
                self.report.add("delay_p50", running.side, delays["p50_us"])
                self.report.add("delay_p99", running.side, delays["p99_us"])
        for running in group:
            self.sides.stop(running)

    def read_streams(self, running, streams, rate, seconds):
        """Reads streams to their end. Returns the proxy's CPU time for each event in microseconds, and the events' delays."""
        events = rate * seconds
        command = [
            self.sides.program, "read", "--port", str(running.port), "--streams", str(streams),
            "--events", str(events), "--seconds", str(seconds),
            "--target", f"{STREAMS}/events?rate={rate}&count={events}"]
        clock = CPUClock(running.pids)
        result = self.last_json(command, seconds + 60)
        cpu = clock.seconds()
        whole = result["ended"] == streams and result["events"] == streams * events
        self.report.require(
            whole and not result["missing"] and not result["damaged"],
            f"{running.side}: {streams} streams of {events} events yielded {result}")
        return cpu / max(1, result["events"]) * 1e6, result

    # Memory.

    def memory(self):
        """Measures the memory of a newly started proxy for each silent stream. When the clients disconnect, the streams' upstream
        connections must end as well.
        """
        count = self.options.streams
        for _ in self.rounds(f"memory of {count} idle streams"):
            for side in self.sides.names:
                upstream = self.sides.stream_upstream()
                running = self.sides.start(side, streams=upstream)
                self.wrk(running, 1)
                before = proportional_memory(running.pids)
                held = Held(self, running, count)
                after = proportional_memory(running.pids)
                self.report.add("memory", side, (after - before) / count / 1024)
                self.report.add("memory_base", side, before / 2**20)
                held.close()
                try:
                    wait_until(lambda: self.sides.open_streams(upstream) == 0, "The upstream streams end")
                except BenchmarkError:
                    left = self.sides.open_streams(upstream)
                    self.report.require(False, f"{side}: {left} upstream streams stay open after their clients left")
                self.sides.stop(running)
                self.bench.stop(upstream)

    # Latency.

    def latency(self):
        """Measures the latency that a side adds to a small GET at 1,000 requests a second, in microseconds."""
        group = [self.sides.start(side) for side in self.sides.names]
        rate = 1000
        for port, target in ((self.sides.small.port, "/small"), *((running.port, SMALL) for running in group)):
            self.paced("warm-up", port, target, rate, 1)
        for _ in self.rounds(f"latency at {rate} requests a second"):
            direct = self.paced("direct", self.sides.small.port, "/small", rate, self.options.seconds)
            for running in group:
                clock = CPUClock(running.pids)
                through = self.paced(running.side, running.port, SMALL, rate, self.options.seconds)
                self.report.add("paced", running.side, clock.seconds() / (rate * self.options.seconds) * 1e6)
                for percentile in ("p50", "p99"):
                    added = through[percentile + "_us"] - direct[percentile + "_us"]
                    self.report.add("latency_" + percentile, running.side, added)
            for percentile in ("p50", "p99"):
                self.report.add("direct_" + percentile, "direct", direct[percentile + "_us"])
        for running in group:
            self.sides.stop(running)

    def paced(self, side, port, target, rate, seconds):
        """Returns the latencies at a constant rate of requests, without the first half second."""
        command = [
            self.sides.program, "rate", "--port", str(port), "--target", target,
            "--rate", str(rate), "--seconds", str(seconds)]
        result = self.last_json(command, seconds + 30)
        self.report.require(
            not result["errors"] and not result["bad_status"],
            f"{side}: at {rate} requests a second {result['errors']} failed, {result['bad_status']} were not 200")
        return result

    # Programs.

    def last_json(self, command, patience, environment=None):
        """Runs a program to its end, and returns the JSON value in the last line of its output."""
        environment = {**self.environment, **(environment or {})}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patience)
        except subprocess.TimeoutExpired:
            raise BenchmarkError(f"{os.path.basename(command[0])} did not end within {patience:g} s")
        if done.returncode != 0 or not done.stdout.strip():
            raise BenchmarkError(f"{os.path.basename(command[0])} failed: {done.stderr.strip() or done.stdout.strip()}")
        return json.loads(done.stdout.strip().splitlines()[-1])


class Held:
    """Idle streams through a proxy, which are open from the creation of this object until `close`."""

    def __init__(self, measurements, running, count):
        self.measurements, self.running, self.count = measurements, running, count
        command = [
            measurements.sides.program, "hold", "--port", str(running.port), "--target", SILENT,
            "--streams", str(count)]
        self.process = measurements.bench.start(
            command, f"hold-{running.side}-{running.port}.log", {"BENCH_KEY": measurements.sides.key},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.require_all(line(self.process, 60), "opened")

    def close(self):
        """Closes the streams. All of them must still be open and must have received nothing."""
        self.process.stdin.close()
        self.require_all(line(self.process, 30), "stayed open")
        self.process.stdin = None
        self.measurements.bench.stop(self.process)

    def require_all(self, result, what):
        good = result["open"] == self.count and not result["failed"] and not result.get("damaged")
        self.measurements.report.require(
            good, f"{self.running.side}: of {self.count} idle streams {result['open']} {what}: {result}")

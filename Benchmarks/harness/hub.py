# SPDX-License-Identifier: Apache-2.0

"""Compares the gateway's event hub with proxies. The hub has one upstream stream for any number of clients, and a proxy has one
upstream stream for each client.
"""

import json
import os
import select
import subprocess

from .own import OwnMeasurements
from .processes import BenchmarkError, CPUClock, proportional_memory, wait_until
from .sides import STREAMS, get

GLOBAL = STREAMS + "/global/event"
STATE = "/projects/streams/events/state"

# The number of replayed events and their size in bytes. With its default limit, the hub would store fewer events.
REPLAYED, REPLAYED_SIZE, KEPT = 100_000, 1024, ("--event-keep-size", "256MiB")


class HubMeasurements(OwnMeasurements):
    """Adds the samples of shared events to a `Report`.

    Each side has its own upstream, because the hub keeps its stream from the upstream open at all times.
    """

    def start(self, side, options=()):
        """Starts a side with its own upstream."""
        return self.sides.start(side, streams=self.sides.stream_upstream(), options=options)

    def stop(self, running):
        self.sides.stop(running)
        self.bench.stop(running.upstream)

    def rounds(self, what):
        return self.measurements.rounds(what)

    # Live events.

    def live(self):
        """Measures the CPU time for each event that a client receives, and the event's delay. 200 clients receive the same 50 events
        a second.
        """
        group = [self.start(side) for side in self.sides.names]
        clients, rate, seconds = 200, 50, self.options.seconds
        for running in group:
            Followers(self, running, clients, rate).close()
        for _ in self.rounds(f"{clients} clients of the same {rate} events a second"):
            for running in group:
                followers = Followers(self, running, clients, rate * seconds)
                self.report.require(
                    self.sides.followers(running.upstream) == (1 if running.side == "gateway" else clients),
                    f"{running.side}: {clients} clients cause {self.sides.followers(running.upstream)} upstream streams")
                clock = CPUClock(running.pids)
                result = followers.say(rate, seconds)
                self.report.add("hub", running.side, clock.seconds() / max(1, result["events"]) * 1e6)
                self.report.add("hub_p50", running.side, result["p50_us"])
                self.report.add("hub_p99", running.side, result["p99_us"])
                followers.close()
        for running in group:
            self.stop(running)

    # Memory.

    def memory(self):
        """Measures the memory of a newly started gateway for each client that has received some events and waits for
        more.
        """
        count, events = self.options.streams, 10
        for _ in self.rounds(f"memory of {count} clients of the hub"):
            running = self.start("gateway")
            self.measurements.wrk(running, 1)
            before = proportional_memory(running.pids)
            followers = Followers(self, running, count, events)
            followers.say(events, 1)
            self.report.add("hub_memory", "gateway", (proportional_memory(running.pids) - before) / count / 1024)
            followers.close()
            self.stop(running)

    # Replay.

    def replay(self):
        """Measures the rate at which one client receives the events that it missed. Also measures the delay of live events that
        other clients receive at the same time.
        """
        running = self.start("gateway", KEPT)
        self.sides.say(running, 0, REPLAYED, REPLAYED_SIZE)
        wait_until(lambda: self.last(running)[1] >= REPLAYED, "The hub receives all events", running.process, 60)
        clients, rate, seconds = 50, 50, self.options.seconds
        for _ in self.rounds(f"replay of {REPLAYED:,} events beside {clients} live clients"):
            followers = Followers(self, running, clients, rate * seconds, REPLAYED_SIZE)
            replay = self.program(
                "replay", running, f"{GLOBAL}?since={self.last(running)[0]}-1", REPLAYED, REPLAYED_SIZE,
                "--first", "1", "--seconds", str(seconds + 1))
            result = followers.say(rate, seconds)
            replayed = line(replay, seconds + 30)
            self.bench.stop(replay)
            whole = replayed["events"] == replayed["replays"] * (REPLAYED - 1) > 0
            self.report.require(
                whole and not replayed["failed"] and not replayed["missing"] and not replayed["damaged"],
                f"gateway: replays of {REPLAYED - 1} events yielded {replayed}")
            self.report.add("replay", "gateway", replayed["bytes"] / 1e6 / max(1e-9, replayed["seconds"]))
            self.report.add("replay_p50", "gateway", result["p50_us"])
            self.report.add("replay_p99", "gateway", result["p99_us"])
            followers.close()
        self.stop(running)

    def last(self, running):
        """Returns the generation and the sequence number of the last event that the hub has received."""
        text = json.loads(get(running.port, STATE, self.sides.key)[1])["last"] or "0-0"
        return [int(number) for number in text.split("-")]

    def program(self, job, running, target, events, size, *more):
        """Starts a job of the stream program, which reads shared events."""
        ids = ["--ids"] if running.side == "gateway" else []
        command = [
            self.sides.program, job, "--port", str(running.port), "--target", target, "--events", str(events),
            "--size", str(size), "--directory", running.directory, *ids, *more]
        return self.bench.start(
            command, f"{job}-{running.side}-{running.port}.log", {"BENCH_KEY": self.sides.key},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)


class Followers:
    """Clients of shared events, which are connected from the creation of this object until `close`."""

    def __init__(self, hub, running, count, events, size=0):
        self.hub, self.running, self.count, self.events, self.size = hub, running, count, events, size
        self.process = hub.program(
            "follow", running, GLOBAL, events, size, "--streams", str(count), "--seconds", "60")
        opened = line(self.process, 60)
        good = opened["open"] == count and not opened["failed"] and not opened["damaged"]
        hub.report.require(good, f"{running.side}: opening {count} streams of shared events yielded {opened}")

    def say(self, rate, seconds):
        """Makes the upstream send the events, and returns the results after all events have arrived."""
        self.hub.sides.say(self.running, rate, self.events, self.size)
        result = line(self.process, seconds + 90)
        whole = result["complete"] == self.count and result["events"] == self.count * self.events
        self.hub.report.require(
            whole and not result["failed"] and not result["missing"] and not result["damaged"],
            f"{self.running.side}: {self.count} clients of {self.events} shared events yielded {result}")
        return result

    def close(self):
        """Closes the streams. All upstream streams except the hub's must then end as well."""
        self.hub.bench.stop(self.process)
        left = 1 if self.running.side == "gateway" else 0
        wait_until(
            lambda: self.hub.sides.followers(self.running.upstream) == left,
            "The upstream streams of shared events end")


def line(process, patience):
    """Returns the next line that a program prints."""
    ready, _, _ = select.select([process.stdout], [], [], patience)
    text = process.stdout.readline() if ready else b""
    if not text:
        raise BenchmarkError(f"{os.path.basename(process.args[0])} {process.args[1]} printed no line")
    return json.loads(text)

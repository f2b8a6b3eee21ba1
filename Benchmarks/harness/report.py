# SPDX-License-Identifier: Apache-2.0

"""Collects and evaluates samples, and formats the results as a table for people and as JSON for programs."""

import collections
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys

from .sides import tool

# For each measure: the name, the description, the unit and the number of decimal digits.
MEASURES = [
    ("small", "small GET, 64 connections", "µs CPU", 2),
    ("small_rate", "  requests per second", "1/s", 0),
    ("post", "small POST of 1 KiB, 64 connections", "µs CPU", 2),
    ("post_rate", "  requests per second", "1/s", 0),
    ("fresh", "small GET on a new connection", "µs CPU", 2),
    ("fresh_rate", "  requests per second", "1/s", 0),
    ("upload", "mebibyte of an upload", "µs CPU", 2),
    ("download", "mebibyte of a download", "µs CPU", 2),
    ("idle", "small GET beside {streams} idle streams", "µs CPU", 2),
    ("idle_to_small", "  ratio to the figure without streams", "×", 2),
    ("streams", "event, 200 streams × 50 a second", "µs CPU", 2),
    ("delay_p50", "  delay of an event, p50", "µs", 0),
    ("delay_p99", "  delay of an event, p99", "µs", 0),
    ("memory", "memory of an idle stream, {streams} open", "KiB", 2),
    ("memory_base", "  the proxy without streams", "MiB", 1),
    ("paced", "small GET at 1,000 a second", "µs CPU", 2),
    ("latency_p50", "added latency at 1,000 a second, p50", "µs", 0),
    ("latency_p99", "added latency at 1,000 a second, p99", "µs", 0),
    ("hub", "shared event, 200 clients × 50 a second", "µs CPU", 2),
    ("hub_p50", "  delay of an event, p50", "µs", 0),
    ("hub_p99", "  delay of an event, p99", "µs", 0),
    ("hub_memory", "memory of an idle client of the hub, {streams} open", "KiB", 2),
    ("replay", "replay of 100,000 events of 1 KiB", "MB/s", 0),
    ("replay_p50", "  delay of live events meanwhile, p50", "µs", 0),
    ("replay_p99", "  delay of live events meanwhile, p99", "µs", 0),
    ("passed", "GET of an OpenCode 2 session, unchanged", "µs CPU", 2),
    ("bridge", "  translated to OpenCode 1", "µs CPU", 2),
    ("bridge_more", "  the difference", "µs CPU", 2),
    ("delta_kept", "text delta from OpenCode 2, unchanged", "µs CPU", 2),
    ("delta_translated", "  translated to OpenCode 1", "µs CPU", 2),
    ("delta_ratio", "  the ratio", "×", 2),
    ("chat_memory", "memory of an idle chat socket, 1,000 open", "KiB", 2),
    ("chat_p50", "delay of a delta at 100 chat sockets, 50 a second, p50", "µs", 0),
    ("chat_p99", "  p99", "µs", 0),
    ("plain_p50", "  the same without a gateway, p50", "µs", 0),
    ("plain_p99", "  the same without a gateway, p99", "µs", 0),
    ("chat_list", "newest 30 of 5,000 messages, minus OpenCode's time", "ms", 2),
    ("chat_questions", "  requests to OpenCode", "", 0),
    ("start", "start of the program to the first response", "ms", 1),
]

# The gateway's targets: the measure, the kind of the target, and the limit. With "ratio", the ratio to nginx must not exceed the
# limit. With "figure", the figure itself must not exceed the limit. With "least", the figure must not be below the limit.
TARGETS = [
    ("small", "ratio", 1.15),
    ("post", "ratio", 1.5),
    ("fresh", "ratio", 1.25),
    ("upload", "ratio", 0.8),
    ("download", "ratio", 0.4),
    ("idle_to_small", "figure", 1.2),
    ("streams", "ratio", 1.0),
    ("memory", "figure", 4.0),
    ("memory_base", "figure", 26.0),
    ("paced", "ratio", 1.2),
    ("hub", "ratio", 0.5),
    ("hub_p50", "ratio", 1.2),
    ("hub_p99", "ratio", 1.5),
    ("hub_memory", "figure", 4.0),
    ("replay", "least", 100.0),
    ("replay_p99", "figure", 5000.0),
    ("bridge_more", "figure", 60.0),
    ("delta_ratio", "figure", 3.0),
    ("chat_memory", "figure", 8.0),
    ("chat_p99", "figure", 2000.0),
    ("chat_list", "figure", 10.0),
    ("chat_questions", "figure", 3.0),
    ("start", "figure", 25.0),
]


class Report:
    """Collects the samples and the failures of a run."""

    def __init__(self, sides, options):
        self.sides, self.options = sides, options
        self.samples = collections.defaultdict(lambda: collections.defaultdict(list))
        self.failures = []
        self.began = datetime.datetime.now(datetime.timezone.utc)

    def add(self, measure, side, value):
        """Adds one round's sample."""
        self.samples[measure][side].append(value)

    def require(self, condition, failure):
        """Records a failure unless the condition is true. A run with a failure has invalid figures, and its exit code is 1."""
        if not condition:
            self.failures.append(failure)
            self.progress("FAILED: " + failure)

    @staticmethod
    def progress(text):
        """Prints the current step on standard error."""
        print(text, file=sys.stderr, flush=True)

    def summary(self):
        """Returns the results of the run as a value for JSON."""
        measures = {name: {"what": self._title(what), "unit": unit, "sides": self._sides(name)}
                    for name, what, unit, _ in MEASURES if name in self.samples}
        for percentile in ("p50", "p99"):
            if "direct_" + percentile in self.samples:
                measures["direct_" + percentile] = {
                    "what": f"latency without a proxy, {percentile}", "unit": "µs",
                    "sides": self._sides("direct_" + percentile)}
        return {
            "began": self.began.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "rounds": self.options.rounds,
            "seconds_a_sample": self.options.seconds,
            "idle_streams": self.options.streams,
            "machine": machine(),
            "measures": measures,
            "targets": self._targets(measures),
            "failures": self.failures,
        }

    def table(self, summary):
        """Returns the results as a table with the medians, and below them the smallest and largest values. The column with the
        ratio to nginx applies to the first side other than nginx.
        """
        compared = next((side for side in self.sides if side != "nginx"), None) if "nginx" in self.sides else None
        rows = [["", "unit", *self.sides, *([f"{compared}/nginx"] if compared else []), "target"]]
        targets = {target["measure"]: target for target in summary["targets"]}
        for name, _, unit, digits in MEASURES:
            if name not in summary["measures"]:
                continue
            measure = summary["measures"][name]
            figures = [(measure["sides"].get(side), digits) for side in self.sides]
            if compared:
                figures.append((measure["sides"].get(compared, {}).get("ratio"), 2))
            verdict = judgement(targets[name]) if name in targets else ""
            rows.append([measure["what"], unit, *[median(*each) for each in figures], verdict])
            if self.options.rounds > 1:
                rows.append(["", "", *[extremes(*each) for each in figures], ""])
        lines = aligned(rows)
        lines.insert(1, "-" * max(len(line) for line in lines))
        rounds, seconds = self.options.rounds, self.options.seconds
        lines += ["", f"medians, (smallest..largest) over {rounds} × {seconds} s; ratios are computed for each round"]
        direct = [f"{median(summary['measures'][name]['sides']['direct'], 0)} µs {name[-3:]}"
                  for name in ("direct_p50", "direct_p99") if name in summary["measures"]]
        if direct:
            lines.append("latency without a proxy: " + ", ".join(direct))
        return "\n".join(lines + [f"FAILED: {failure}" for failure in self.failures])

    def _title(self, what):
        return what.format(streams=f"{self.options.streams:,}")

    def _sides(self, name):
        found = {}
        for side, samples in self.samples[name].items():
            found[side] = {**spread(samples), "samples": [round(sample, 4) for sample in samples]}
            nginx = self.samples[name].get("nginx")
            if side != "nginx" and nginx and min(samples + nginx) > 0:
                found[side]["ratio"] = spread([mine / theirs for mine, theirs in zip(samples, nginx)])
        return found

    def _targets(self, measures):
        found = []
        for name, kind, limit in TARGETS:
            side = measures.get(name, {}).get("sides", {}).get("gateway")
            value = (side or {}).get("ratio") if kind == "ratio" else side
            if value:
                found.append({"measure": name, "counts": kind, "limit": limit, "reached": value["median"],
                              "met": value["median"] >= limit if kind == "least" else value["median"] <= limit})
        return found


def spread(samples):
    """Returns the median, the smallest value and the largest value."""
    return {"median": round(statistics.median(samples), 4), "min": round(min(samples), 4), "max": round(max(samples), 4)}


def aligned(rows):
    """Formats rows as lines: the first two columns are left-aligned, the others right-aligned."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(text.ljust(width) if column < 2 else text.rjust(width)
                      for column, (text, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def median(value, digits):
    """Returns the median of a spread as text."""
    return f"{value['median']:,.{digits}f}" if value else "-"


def extremes(value, digits):
    """Returns the smallest and the largest value of a spread as text."""
    return f"({value['min']:,.{digits}f}..{value['max']:,.{digits}f})" if value else ""


def judgement(target):
    """Returns a target and whether it was met, as text."""
    kind = " × nginx" if target["counts"] == "ratio" else ""
    sign = "≥" if target["counts"] == "least" else "≤"
    return f"{sign} {target['limit']:g}{kind}: {'met' if target['met'] else 'MISSED'}"


def machine():
    """Returns a description of the machine and the programs."""
    with open("/proc/cpuinfo") as file:
        model = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.M)
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": model.group(1) if model else platform.machine(),
        "kernel": platform.release(),
        "nginx": version(tool("nginx"), "-v"),
        "haproxy": version(tool("haproxy"), "-v"),
        "wrk": version(tool("wrk"), "-v"),
    }


def version(*command):
    """Returns the first line with a digit in a program's version output."""
    done = subprocess.run(command, capture_output=True, text=True)
    said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if any(c.isdigit() for c in line)]
    return said[0] if said else "unknown"

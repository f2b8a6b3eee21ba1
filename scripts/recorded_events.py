# SPDX-License-Identifier: Apache-2.0

"""Shortens OpenCode 2's recorded event streams for scripts/shorten-recordings.py."""
import json
import re

IDENTIFIER = re.compile(r"^(ses|msg|per|frm|evt|pty|call|sh)_\w+$")
KEPT = {
    "type", "name", "status", "finish", "rawFinish", "reason", "reply", "delivery", "action", "event", "agent",
    "previous", "decision",
}
COUNTED = {"seq", "version", "attempt", "ordinal"}
# The recording of a stream with an event of 1.5 MB.
LEFT_OUT = {"big-event"}


def frames(path):
    """Returns a recorded stream: its first record, its events, its end, and the times of its comments in milliseconds."""
    lines = [json.loads(line) for line in path.open()]
    text, events, ending, beats = "", [], None, []
    for record in lines[1:]:
        ending = record.get("ended", ending)
        text += record.get("text", "")
        while "\n\n" in text:
            frame, text = text.split("\n\n", 1)
            if frame.startswith(":"):
                beats.append(round(record["ms"]))
            else:
                events.append(json.loads(frame.removeprefix("data: ")))
    return lines[0], events, ending, beats


class Labels:
    """Assigns short names to identifiers and directories in order of appearance."""

    def __init__(self):
        self.known, self.count = {}, {}

    def label(self, text, kind):
        if kind == "evt":
            return "e"
        if text not in self.known:
            self.count[kind] = self.count.get(kind, 0) + 1
            self.known[text] = f"{kind}{self.count[kind]}"
        return self.known[text]

    def skeleton(self, value, name=""):
        if isinstance(value, dict):
            return {key: self.skeleton(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.skeleton(inner, name) for inner in value]
        if isinstance(value, str):
            if IDENTIFIER.match(value):
                return self.label(value, value.split("_")[0])
            if name == "directory":
                return self.label(value, "/d")
            return value if name in KEPT and len(value) < 40 else ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value if name in COUNTED else 0
        return value


def shortened(events):
    """Returns the parts of the events that the tests compare. Of consecutive deltas of one kind, keeps only the first three."""
    run, kept, labels = None, [], Labels()
    for event in events:
        key = (event["type"], event.get("data", {}).get("assistantMessageID"))
        if event["type"].endswith(".delta"):
            run = (key, run[1] + 1 if run and run[0] == key else 1)
            if run[1] > 3:
                continue
        else:
            run = None
        kept.append(labels.skeleton(event))
    return kept


def write_events(source, target, write):
    """Writes a file for each recorded stream, with the stream's head followed by its events."""
    for path in sorted(source.glob("events-*.jsonl")):
        name = path.stem.removeprefix("events-")
        if name in LEFT_OUT:
            continue
        first, events, ending, beats = frames(path)
        identifier = re.sub(r"ses_\w+", "{session}", first["target"])
        head = {"target": identifier, "head": first["head"], "ended": ending, "heartbeats": beats}
        write(target / "events" / f"{name}.jsonl", [head] + shortened(events))

#!/usr/bin/env python3
"""Makes the twin's fixtures from recordings of real OpenCode servers.

    scripts/shorten-recordings.py RECORDINGS Tests/Fixtures/opencode

RECORDINGS holds a folder for each version with http.jsonl, events-NAME.jsonl, process.jsonl and pty.jsonl. What is kept
of an event is what the tests compare: its members and their order, and the few values that tell what it is. Identifiers
become s1, m1, p1 and so on; runs of pieces keep three; other text is left out.
"""
import json
import re
import sys
from pathlib import Path

VERSIONS = ["1.1.11", "1.2.27", "1.18.33"]
SCENARIOS = [
    "talk", "think", "tools-allowed-once", "tools-rejected", "question", "subagent", "edit", "todo", "unauthorized",
    "ratelimit-abort", "abort-delete", "cutoff", "slow", "session-calls", "global-other-directory", "dispose",
    "dispose-global",
]
KEPT = {"type", "role", "status", "tool", "reason", "finish", "field", "name", "permission", "reply", "event"}
IDENTIFIER = re.compile(r"^(ses|msg|prt|per|que|evt|pty|call)_\w+$")
# A provider that breaks off makes a turn that never ends: two of its rounds tell it all.
ROUNDS = {"cutoff": 2}


def frames(path):
    """The head, the events and the ending of a recorded stream, and when it had heartbeats."""
    lines = [json.loads(line) for line in path.open()]
    text, events, ending, beats = "", [], None, []
    for record in lines[1:]:
        ending = record.get("ended", ending)
        text += record.get("text", "")
        while "\n\n" in text:
            frame, text = text.split("\n\n", 1)
            events.append(json.loads(frame.removeprefix("data: ")))
            if '"server.heartbeat"' in frame:
                beats.append(round(record["ms"]))
    return lines[0], events, ending, beats


class Labels:
    """Short names for identifiers, in the order in which they appear."""

    def __init__(self):
        self.known, self.count = {}, {}

    def label(self, identifier):
        kind = "c" if identifier.startswith("call") else identifier[0]
        if kind == "e":
            return "e"
        if identifier not in self.known:
            self.count[kind] = self.count.get(kind, 0) + 1
            self.known[identifier] = f"{kind}{self.count[kind]}"
        return self.known[identifier]

    def skeleton(self, value, name=""):
        if isinstance(value, dict):
            return {key: self.skeleton(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.skeleton(inner, name) for inner in value]
        if isinstance(value, str):
            if IDENTIFIER.match(value):
                return self.label(value)
            return value if name in KEPT and len(value) < 40 else ""
        return 0 if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def shortened(events, rounds):
    """Without heartbeats, with three pieces of each run, and not more rounds than asked for."""
    run, finished, kept, labels = None, 0, [], Labels()
    for event in events:
        payload = event.get("payload", event)
        properties = payload.get("properties", {})
        if payload["type"] == "server.heartbeat":
            continue
        part = properties.get("part", {})
        is_piece = payload["type"] == "message.part.delta" or "delta" in properties
        key = (properties.get("partID") or part.get("id")) if is_piece else payload["type"]
        if is_piece or payload["type"] == "plugin.added":
            run = (key, run[1] + 1 if run and run[0] == key else 1)
            if run[1] > 3:
                continue
        elif not payload["type"].startswith(("session.updated", "message.updated")):
            run = None
        kept.append(labels.skeleton(event))
        finished += part.get("type") == "step-finish"
        if rounds and finished == rounds and properties.get("status", {}).get("type") == "busy":
            break
    return kept


def exchange(record):
    """One exchange with what differs from one run to the next taken out; None where nothing came back."""
    request, response = record["request"], record["response"]
    if response["status"] is None:
        return None
    target = re.sub(r"ses_(?!doesnotexist)\w+", "{session}", request["target"])
    target = re.sub(r"(per|que|pty)_\w+", lambda match: "{" + match[1] + "}", target)
    body = response.get("body") or {}
    text = body.get("text", "")
    if body.get("cut") or "base64" in body or len(text) > 20_000:
        text = None
    elif text.startswith(("{", "[")):
        text = json.dumps(thinned(json.loads(text)), ensure_ascii=False, separators=(",", ":"))
    return {
        "name": record["name"],
        "request": {
            "method": request["method"], "target": target, "headers": request.get("headers") or {},
            "body": (request.get("body") or {}).get("text"),
        },
        "response": {
            "status": response["status"], "reason": response["reason"], "headers": response["headers"], "body": text,
        },
    }


def thinned(value, name=""):
    """Without what names this one machine's files or repeats: two elements and two entries of a map tell the form."""
    if isinstance(value, list):
        return [thinned(inner) for inner in (value if len(value) < 5 else value[-2:])]
    if isinstance(value, dict):
        entries = list(value.items())
        if name in ("models", "keybinds"):
            entries = entries[:1]
        return {key: thinned(inner, key) for key, inner in entries}
    if isinstance(value, str) and len(value) > 200:
        return value[:40]
    return value


def write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records))


def main(recordings, fixtures):
    for version in VERSIONS:
        source, target = Path(recordings, version), Path(fixtures, version)
        for scenario in SCENARIOS:
            first, events, ending, beats = frames(source / f"events-{scenario}.jsonl")
            head = {"target": first["target"], "head": first["head"], "ended": ending, "heartbeats": beats}
            write(target / "events" / f"{scenario}.jsonl", [head] + shortened(events, ROUNDS.get(scenario)))
        seen, exchanges = set(), []
        for line in (source / "http.jsonl").open():
            record = exchange(json.loads(line))
            if record and record["name"] not in seen and not re.match("prompt_async-(?!talk|no-p|mis|unk|wr)", record["name"]):
                seen.add(record["name"])
                exchanges.append(record)
        write(target / "exchanges.jsonl", exchanges)
        (target / "pty.jsonl").write_text((source / "pty.jsonl").read_text())
        lives = [json.loads(line) for line in (source / "process.jsonl").open()]
        names = ["first start", "--print-logs", "password set", "a named port that is taken", "broken configuration"]
        write(target / "process.jsonl", [{"name": life["name"], "output": life["output"]} for life in lives if life["name"] in names])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Creates the simulator's fixtures from recordings of real OpenCode servers.

    scripts/shorten-recordings.py RECORDINGS Tests/Fixtures/opencode

RECORDINGS contains a directory for each version with http.jsonl, events-NAME.jsonl, process.jsonl and pty files. The fixtures
contain the parts of an event that the tests compare: its members in their order, and the values that identify the kind of the
event. Short labels such as s1, m1 and p1 replace identifiers. The script keeps only three of consecutive deltas, and removes
all other text.

For OpenCode 2, the script keeps all exchanges, all event streams except the stream with an event of 1.5 MB, and the processes of
all servers. The script also creates a table of the routes in OpenCode 2's document.
"""
import base64
import json
import re
import sys
import zlib
from pathlib import Path

from recorded_events import write_events
from recorded_turns import write_turns

VERSIONS = ["1.1.11", "1.2.27", "1.18.33"]
SECOND = "2.0.15"
SCENARIOS = [
    "talk", "think", "tools-allowed-once", "tools-rejected", "question", "subagent", "edit", "todo", "unauthorized",
    "ratelimit-abort", "abort-delete", "cutoff", "slow", "session-calls", "global-other-directory", "dispose",
    "dispose-global",
]
TURNS = ["think", "subagent"]
KEPT = {"type", "role", "status", "tool", "reason", "finish", "field", "name", "permission", "reply", "event"}
IDENTIFIER = re.compile(r"^(ses|msg|prt|per|que|evt|pty|call)_\w+$")
# If the provider aborts, the turn never ends, so keep only two of its rounds.
ROUNDS = {"cutoff": 2}


def frames(path):
    """Returns a recorded stream: its head, its events, its end, and the times of its heartbeats in milliseconds."""
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
    """Assigns short names to identifiers in order of appearance."""

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
    """Returns the events without heartbeats. Of consecutive deltas, keeps only the first three. Keeps at most the requested
    number of rounds.
    """
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
    """Returns an exchange without the values that differ between runs; None if there was no response."""
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
    """Shortens a value: keeps two elements of a long list, one entry of the maps `models` and `keybinds`, and the beginning of a
    long text.
    """
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


def turn(source, target):
    """Writes a turn's unmodified events of sessions, messages and parts. Each line contains the time in milliseconds at which
    the event was read, and the event.
    """
    lines, text = [], ""
    for record in map(json.loads, list(source.open())[1:]):
        text += record.get("text", "")
        while "\n\n" in text:
            frame, text = text.split("\n\n", 1)
            event = frame.removeprefix("data: ")
            if json.loads(event)["type"].startswith(("session.", "message.")):
                lines.append(f"{round(record['ms'])} {event}\n")
    target.write_text("".join(lines))


def write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records))


NAMES = {"ses": "session", "msg": "message", "per": "permission", "frm": "form", "pty": "pty", "inb": "inbox"}
PROJECTS = ["6763b0aff0ee79ab2ec128266bfaf49bdad7f59f"]


def without_identifiers(text):
    """Replaces the values that differ between runs with placeholders."""
    text = re.sub(r"(ses|msg|per|frm|pty)_(?!doesnotexist)\w+", lambda match: "{" + NAMES[match[1]] + "}", text)
    text = re.sub(r"cursor=(?!nonsense)[\w-]+", "cursor={cursor}", text)
    text = text.replace(PROJECTS[0], "{project}")
    return text.replace("/home/vibe/.local/share/opencode/worktree/6763b0/try", "{worktree}")


def completed(text):
    """Returns the value of a truncated JSON text, without incomplete members; None if there is no such value."""
    for end in range(len(text), 0, -1):
        closing, in_string, is_escaped = [], False, False
        for character in text[:end]:
            if is_escaped:
                is_escaped = False
            elif in_string:
                is_escaped, in_string = character == "\\", character != '"'
            elif character == '"':
                in_string = True
            elif character in "{[":
                closing.append("}" if character == "{" else "]")
            elif character in "}]":
                closing.pop()
        for ending in ('"', "") if in_string else ("",):
            try:
                return json.loads(text[:end] + ending + "".join(reversed(closing)))
            except ValueError:
                pass
    return None


def second_body(response):
    """Returns the shortened JSON of a body, or the beginning of any other body, and whether the body is truncated."""
    body = response.get("body") or {}
    text = body.get("text", "")
    if "base64" in body:
        coded = body["base64"]
        text = zlib.decompressobj(31).decompress(base64.b64decode(coded[:len(coded) // 4 * 4])).decode(errors="ignore")
    is_json = text.startswith(("{", "["))
    is_cut = "base64" in body or bool(body.get("cut")) or bool(body.get("shortened"))
    if is_json:
        value = completed(text) if is_cut and not body.get("shortened") else json.loads(text)
        return json.dumps(second_thinned(value), ensure_ascii=False, separators=(",", ":")), is_cut
    return text[:40], is_cut or len(text) > 40


def second_thinned(value):
    """Shortens a value: keeps one element of each structure in a long list, and truncates long texts."""
    if isinstance(value, list):
        kept, forms = [], set()
        for inner in value:
            if len(value) <= 12 or shape(inner) not in forms:
                forms.add(shape(inner))
                kept.append(second_thinned(inner))
        return kept
    if isinstance(value, dict):
        return {key: second_thinned(inner) for key, inner in value.items()}
    if isinstance(value, str) and len(value) > 120 and " " in value:
        return value[:40]
    return value


def shape(value):
    """Returns the structure of a value: the names and types of its members, without texts and numbers."""
    if isinstance(value, list):
        return "[" + "|".join(sorted({shape(inner) for inner in value})) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(key + (str(inner) if key == "type" else shape(inner)) for key, inner in value.items()) + "}"
    return type(value).__name__


def second_exchange(record):
    """Returns an exchange of OpenCode 2 with placeholders in the request and a shortened response."""
    request, response = record["request"], record["response"]
    body, is_cut = second_body(response)
    text = (request.get("body") or {}).get("text")
    return {
        "name": record["name"],
        "request": {
            "method": request["method"], "target": without_identifiers(request["target"]),
            "headers": request.get("headers") or {}, "body": None if text is None else without_identifiers(text),
        },
        "response": {
            "status": response["status"], "reason": response["reason"],
            "headers": [[name, value[:40] if name == "content-security-policy" else value]
                        for name, value in response["headers"]],
            "body": body, "cut": is_cut, "chunks": [size for _, size in response.get("chunks") or []],
        },
    }


def second_version(source, target):
    """Writes the fixtures of OpenCode 2."""
    write_events(source, target, write)
    write_turns(source, target, SECOND)
    exchanges = [json.loads(line) for line in (source / "http.jsonl").open()]
    write(target / "exchanges.jsonl", [second_exchange(record) for record in exchanges])
    lives = [json.loads(line) for line in (source / "process.jsonl").open()]
    write(target / "process-output.jsonl",
          [{"name": life["name"], "output": life["output"], "port": life["port"]} for life in lives])
    write(target / "process.jsonl", [
        {
            "name": life["name"], "args": life["args"], "output": life["output"],
            "env": {name: value for name, value in life["env"].items() if "DISABLE" not in name},
            "stop": {"signal": life["stop"]["signal"], "exit": life["stop"]["exit"]},
        } for life in lives])
    (target / "pty.jsonl").write_text((source / "pty-talk.jsonl").read_text())
    heads = []
    for path in sorted(source.glob("pty-*.jsonl")):
        record = json.loads(path.open().readline())
        heads.append({"name": path.stem.removeprefix("pty-"), **{key: record[key] for key in ("request", "headers", "head")}})
    write(target / "pty-heads.jsonl", heads)
    write(target / "document.jsonl", routes(json.loads((source / "openapi.json").read_text()), exchanges))


def routes(document, exchanges):
    """Returns each route of the document with its documented and recorded statuses, and with the structure of its first
    response.
    """
    lines = []
    for path, methods in document["paths"].items():
        pattern = re.compile(re.sub(r"\\\{\w+\\\}|\\\*", "[^/]+", re.escape(path)) + r"/?$")
        for method, operation in methods.items():
            method = method.upper()
            known = [record["response"]["status"] for record in exchanges if record["request"]["method"] == method
                     and pattern.match(re.split("[?;]", record["request"]["target"])[0])]
            line = {"method": method, "path": path, "statuses": [int(status) for status in operation["responses"]],
                    "recorded": sorted(set(known))}
            first = min(operation["responses"])
            content = list((operation["responses"][first].get("content") or {}).items())
            # The structure is not needed if a response of a session's route was recorded, because tests compare the recording.
            if content and "json" in content[0][0] and not (int(first) in known and "sessionID" in path):
                line["form"] = form(content[0][1]["schema"], document["components"]["schemas"], 0)
            lines.append(line)
    return lines


def form(schema, schemas, depth):
    """Returns a schema's members and types, up to four levels deep. The names of optional members end in a question mark.

    If an object may have other members, it is marked as `open`.
    """
    if "$ref" in schema:
        schema = schemas[schema["$ref"].split("/")[-1]]
    if "$ref" in schema:
        return form(schema, schemas, depth)
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return {"any": [form(choice, schemas, depth) for choice in choices]}
    if "enum" in schema or "const" in schema:
        return {"enum": schema.get("enum") or [schema["const"]]}
    kind = schema.get("type")
    if kind == "object" and schema.get("properties") and depth < 4:
        required = schema.get("required", [])
        members = {key + ("" if key in required else "?"): form(inner, schemas, depth + 1)
                   for key, inner in schema["properties"].items()}
        is_open = any("additionalProperties" in part and part["additionalProperties"] is not False
                      for part in [schema] + schema.get("allOf", []))
        return {"object": members, "open": True} if is_open else {"object": members}
    if kind == "array":
        return {"array": form(schema.get("items") or {}, schemas, depth)}
    return kind or "any"


def main(recordings, fixtures):
    second_version(Path(recordings, SECOND), Path(fixtures, SECOND))
    for version in VERSIONS:
        source, target = Path(recordings, version), Path(fixtures, version)
        for scenario in SCENARIOS:
            first, events, ending, beats = frames(source / f"events-{scenario}.jsonl")
            head = {"target": first["target"], "head": first["head"], "ended": ending, "heartbeats": beats}
            write(target / "events" / f"{scenario}.jsonl", [head] + shortened(events, ROUNDS.get(scenario)))
        for scenario in TURNS:
            turn(source / f"events-{scenario}.jsonl", target / f"turn-{scenario}.txt")
        write_turns(source, target, version)
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

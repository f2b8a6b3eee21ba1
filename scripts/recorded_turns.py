# SPDX-License-Identifier: Apache-2.0

"""Extracts recorded turns with all their values for scripts/shorten-recordings.py. The tests of the translation between
OpenCode's versions use these turns.
"""
import json

SCENARIOS = {
    "1.1.11": ["talk", "tools-allowed-once", "question", "subagent"],
    "1.2.27": ["talk", "tools-allowed-once", "question", "subagent"],
    "1.18.33": [
        "talk", "think", "tools-allowed-once", "tools-rejected", "question", "subagent", "edit", "todo", "unauthorized",
        "ratelimit-abort", "abort-delete", "cutoff", "slow", "session-calls", "wrong-requests",
        "fast", "medium", "killed-mid-turn",
    ],
    "2.0.15": [
        "talk", "think", "tools-allowed-once", "tools-rejected", "question", "question-cancelled", "subagent", "edit",
        "unauthorized", "ratelimit-interrupt", "interrupt-remove", "cutoff", "slow", "session-calls", "wrong-requests",
        "steer", "queue", "revert", "compaction", "agent-and-model", "worktree", "always", "reload",
        "fast", "medium", "killed-mid-turn",
    ],
}
LEFT_OUT = ("plugin.", "catalog.", "reference.", "integration.", "sync", "server.heartbeat")
LONGEST = 120


def events(path):
    text = ""
    for line in path.open():
        text += json.loads(line).get("text", "")
        while "\n\n" in text:
            frame, text = text.split("\n\n", 1)
            if frame.startswith("data: "):
                yield frame.removeprefix("data: ")


def short(value):
    """Truncates long texts, because other authors have written them."""
    if isinstance(value, dict):
        return {key: short(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [short(inner) for inner in value]
    if isinstance(value, str) and len(value) > LONGEST and " " in value:
        return value[:40]
    return value


def kept(frames):
    """Returns the recorded events without the ends of long texts. Of consecutive deltas, keeps only the first three."""
    run, lines = None, []
    for frame in frames:
        event = json.loads(frame)
        if event["type"].startswith(LEFT_OUT):
            continue
        inner = event.get("properties") or event.get("data") or {}
        is_piece = event["type"].endswith(".delta") or "delta" in inner and "part" in inner
        run = (event["type"], run[1] + 1 if run and run[0] == event["type"] else 1) if is_piece else None
        if run and run[1] > 3:
            continue
        shortened = short(event)
        lines.append(frame if shortened == event else json.dumps(shortened, ensure_ascii=False, separators=(",", ":")))
    return lines


def write_turns(source, target, version):
    """Writes a file for each scenario, with one event in each line."""
    (target / "turns").mkdir(parents=True, exist_ok=True)
    for name in SCENARIOS[version]:
        lines = kept(events(source / f"events-{name}.jsonl"))
        if name == "cutoff" and version != "2.0.15":
            # This turn never ends, so keep only two of its rounds.
            ends = [index for index, line in enumerate(lines) if '"finish":"unknown"' in line]
            lines = lines[:ends[3] + 2]
        (target / "turns" / f"{name}.jsonl").write_text("".join(line + "\n" for line in lines))

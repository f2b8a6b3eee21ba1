#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks comments, strings and documentation for wording that this project avoids (scripts/wording/patterns.txt).

    scripts/wording.py            exits with 1 and a line for each place

A line that needs such a word, for instance because it quotes OpenCode, ends with the comment `wording: quoted`.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECKED = (".swift", ".md", ".sh", ".py", ".service", ".socket", ".conf", ".c", ".h")
QUOTED = "wording: quoted"


def patterns():
    """Returns the lines of scripts/wording/patterns.txt without its comments."""
    with open(os.path.join(ROOT, "scripts/wording/patterns.txt"), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def prose(line, name):
    """Returns the part of a line that is text for readers."""
    if name.endswith(".md"):
        return re.sub(r"`[^`]*`", "", line)
    if name.endswith((".swift", ".c", ".h")):
        comment = re.search(r"//.*$", line)
        strings = re.findall(r'"([^"]{12,})"', line)
        return " ".join(([comment.group(0).lstrip("/ ")] if comment else []) + strings)
    comment = re.search(r"#.*$", line)
    return comment.group(0).lstrip("# ") if comment else ""


def main():
    if sys.argv[1:]:
        sys.exit(__doc__.strip())
    avoided = [(re.compile(pattern), advice) for pattern, advice in (line.split("\t") for line in patterns())]
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                             stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = False
    for name in tracked:
        path = os.path.join(ROOT, name)
        if not name.endswith(CHECKED) or "/Fixtures/" in name or not os.path.isfile(path):
            continue
        if name.startswith("scripts/wording"):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                text = prose(line.rstrip("\n"), name)
                for pattern, advice in avoided:
                    hit = pattern.search(text) if text and QUOTED not in line else None
                    if hit:
                        found = True
                        print(f"{name}:{number}: “{hit.group(0).strip()}”: {advice}", file=sys.stderr)
    if found:
        sys.exit("wording: replace these words as scripts/wording/patterns.txt advises")


if __name__ == "__main__":
    main()

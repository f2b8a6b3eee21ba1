#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks comments, strings and documentation for wording that this project avoids (scripts/wording/patterns.txt).

    scripts/wording.py            exits with 1 and a line for each place in the files that are checked
    scripts/wording.py --all      lists the places in all files, and counts them for each folder

Files that were written before the rules are listed in scripts/wording/unchecked.txt until they are rewritten.
A line that needs such a word, for instance because it quotes OpenCode, ends with the comment `wording: quoted`.
"""

import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECKED = (".swift", ".md", ".sh", ".py", ".service", ".socket", ".conf", ".c", ".h")
QUOTED = "wording: quoted"


def lines(name):
    with open(os.path.join(ROOT, "scripts/wording", name), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def prose(line, name):
    """The part of a line that is written for people."""
    if name.endswith(".md"):
        return re.sub(r"`[^`]*`", "", line)
    if name.endswith((".swift", ".c", ".h")):
        comment = re.search(r"//.*$", line)
        strings = re.findall(r'"([^"]{12,})"', line)
        return " ".join(([comment.group(0).lstrip("/ ")] if comment else []) + strings)
    comment = re.search(r"#.*$", line)
    return comment.group(0).lstrip("# ") if comment else ""


def main():
    everything = sys.argv[1:] == ["--all"]
    if sys.argv[1:] and not everything:
        sys.exit(__doc__.strip())
    patterns = [(re.compile(pattern), advice) for pattern, advice in (line.split("\t") for line in lines("patterns.txt"))]
    unchecked = tuple(lines("unchecked.txt"))
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                             stdout=subprocess.PIPE, text=True).stdout.splitlines()
    counts, found = collections.Counter(), False
    for name in tracked:
        path = os.path.join(ROOT, name)
        if not name.endswith(CHECKED) or "/Fixtures/" in name or not os.path.isfile(path):
            continue
        if name.startswith("scripts/wording") or (not everything and name.startswith(unchecked)):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                text = prose(line.rstrip("\n"), name)
                for pattern, advice in patterns:
                    hit = pattern.search(text) if text and QUOTED not in line else None
                    if hit:
                        found = True
                        counts["/".join(name.split("/")[:2])] += 1
                        print(f"{name}:{number}: “{hit.group(0).strip()}”: {advice}", file=sys.stderr)
    if everything:
        for folder, count in counts.most_common():
            print(f"{count:5}  {folder}")
    elif found:
        sys.exit("wording: replace these words as scripts/wording/patterns.txt advises")


if __name__ == "__main__":
    main()

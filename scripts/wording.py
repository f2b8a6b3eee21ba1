#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks comments, strings and documentation for wording that this project avoids (scripts/wording/patterns.txt). Checks
declarations in Swift files for names that this project avoids (scripts/wording/names.txt).

    scripts/wording.py            prints a line for each match, and exits with 1 if there are any

If a line needs such a word, for example in a quotation from OpenCode, end the line with the comment `wording: quoted`.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECKED = (".swift", ".md", ".sh", ".py", ".service", ".socket", ".conf", ".c", ".h")
QUOTED = "wording: quoted"

NAME = r"`?[A-Za-z_]\w*`?"
# Comments, raw identifiers and string literals, whose text declares nothing.
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|`[^`\n]*[^`\w\n][^`\n]*`|(#*)"""(?:\\.|[^\\])*?"""\1|(#+)"[^\n]*?"\2|"(?:\\.|[^"\\\n])*"', re.S)
# Patterns whose group contains the declared names. In this order: types, functions and variables; variables in a tuple; loop
# variables; cases; parameters of closures.
DECLARATIONS = [re.compile(pattern, re.M) for pattern in (
    rf"\b(?:struct|class|enum|protocol|actor|typealias|associatedtype|func|let|var)\s+({NAME})",
    rf"\b(?:let|var|for)\s+\(([^()=]*)\)\s*(?:=|in\b)",
    rf"\bfor\s+(?:await\s+)?({NAME})\s+in\b",
    rf"^\s*(?:indirect\s+)?case\s+({NAME}(?:\s*,\s*{NAME})*)\s*(?:$|=|\((?!\s*(?:let|var)\b))",
    rf"\{{\s*(?:\[[^\]]*\]\s*)?\(?({NAME}(?:\s*,\s*{NAME})*)\)?\s+in\b",
)]
SIGNATURE = re.compile(rf"\b(?:func\s+{NAME}(?:<[^>(]*>)?|(?<!\.)init[?!]?(?:<[^>(]*>)?|subscript|case\s+{NAME})\s*\(")
PARAMETER = re.compile(rf"(?:^|[(,])\s*(?:@\w+\s+)*({NAME})(?:\s+({NAME}))?\s*:(?!:)")


def table(name):
    """Returns the rows of a file in scripts/wording without comments. Each row contains a word or pattern, and the advice."""
    with open(os.path.join(ROOT, "scripts/wording", name), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def prose(line, name):
    """Returns the comments and the longer strings in a line, or the text of a page without code."""
    if name.endswith(".md"):
        return re.sub(r"`[^`]*`", "", line)
    if name.endswith((".swift", ".c", ".h")):
        comment = re.search(r"//.*$", line)
        strings = re.findall(r'"([^"]{12,})"', line)
        return " ".join(([comment.group(0).lstrip("/ ")] if comment else []) + strings)
    comment = re.search(r"#.*$", line)
    return comment.group(0).lstrip("# ") if comment else ""


def declarations(text):
    """Yields the offset and the name of each declaration in Swift code, including parameters and their labels."""
    code = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)
    for pattern in DECLARATIONS:
        for match in pattern.finditer(code):
            for name in re.finditer(NAME, match.group(1)):
                yield match.start(1) + name.start(), name.group(0).strip("`")
    for match in SIGNATURE.finditer(code):
        depth, end = 1, match.end()
        while end < len(code) and depth > 0:
            depth += (code[end] in "([{") - (code[end] in ")]}")
            end += 1
        for parameter in PARAMETER.finditer(code, match.end() - 1, end):
            for group in (1, 2):
                if parameter.group(group):
                    yield parameter.start(group), parameter.group(group).strip("`")


def parts(name):
    """Returns the words of a camel-case name in lower case, with a space before and after each word."""
    return " " + " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)).lower() + " "


def names(text, avoided):
    """Yields the line number, the name and the advice for each declaration with an avoided word."""
    lines = text.split("\n")
    for offset, name in sorted(set(declarations(text))):
        words = parts(name)
        for advice in [advice for word, advice in avoided if word in words]:
            number = text.count("\n", 0, offset) + 1
            if QUOTED not in lines[number - 1]:
                yield number, name, advice


def main():
    if sys.argv[1:]:
        sys.exit(__doc__.strip())
    patterns = [(re.compile(pattern), advice) for pattern, advice in table("patterns.txt")]
    words = [(parts(word), advice) for word, advice in table("names.txt")]
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                             stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = set()
    for name in tracked:
        path = os.path.join(ROOT, name)
        if not name.endswith(CHECKED) or "/Fixtures/" in name or not os.path.isfile(path):
            continue
        if name.startswith("scripts/wording"):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for number, line in enumerate(text.splitlines(), 1):
            readable = prose(line, name)
            for pattern, advice in patterns:
                hit = pattern.search(readable) if readable and QUOTED not in line else None
                if hit:
                    found.add("patterns.txt")
                    print(f"{name}:{number}: “{hit.group(0).strip()}”: {advice}", file=sys.stderr)
        if name.endswith(".swift"):
            for number, declared, advice in names(text, words):
                found.add("names.txt")
                print(f"{name}:{number}: `{declared}`: {advice}", file=sys.stderr)
    if found:
        sys.exit(f"wording: replace these words as scripts/wording/{' and '.join(sorted(found))} advise")


if __name__ == "__main__":
    main()

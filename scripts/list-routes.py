#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the routes of OpenCode's own descriptions, for the tests.

    scripts/list-routes.py VERSION=DOCUMENT … > Tests/Fixtures/opencode/routes.tsv

DOCUMENT is the file that a server of that version serves at /doc or /openapi.json. Each line contains version, method,
path, and the success statuses with the kind of their body.
"""
import json
import sys

METHODS = ["get", "put", "post", "delete", "patch", "options", "head"]


def body(answer):
    """Returns the kind of a response's body as a word."""
    content = answer.get("content") or {}
    return ",".join(sorted(content)) or "-"


def main():
    for argument in sys.argv[1:]:
        version, _, name = argument.partition("=")
        with open(name) as file:
            paths = json.load(file)["paths"]
        for path in sorted(paths):
            for method in METHODS:
                if method not in paths[path]:
                    continue
                answers = paths[path][method].get("responses", {})
                good = " ".join(f"{status}:{body(answers[status])}" for status in sorted(answers) if status[0] == "2")
                print(version, method.upper(), path, good, sep="\t")


if __name__ == "__main__":
    main()

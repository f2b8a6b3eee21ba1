#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the routes in OpenCode's own API descriptions, for the tests.

    scripts/list-routes.py VERSION=DOCUMENT … > Tests/Fixtures/opencode/routes.tsv

DOCUMENT is the file that a server of this version serves at /doc or /openapi.json. Each line of the output contains the
version, the method, the path, and the statuses for success with the content types of their bodies.
"""
import json
import sys

METHODS = ["get", "put", "post", "delete", "patch", "options", "head"]


def body(answer):
    """Returns the content types of a response's body, separated by commas; "-" if there is no body."""
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

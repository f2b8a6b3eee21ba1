# SPDX-License-Identifier: Apache-2.0

"""Counts the checks in the scripts that scripts/test-chat-clients.sh runs."""
import re
import sys

# ISO 8601 without fractional seconds.
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$")

passed = 0
failed = []


def check(what, is_true, seen=""):
    global passed
    if is_true:
        passed += 1
        return
    failed.append(what)
    print(f"FAILED: {what} {str(seen)[:600]}", file=sys.stderr)


def done(name):
    print(f"{name}: {passed} checks passed, {len(failed)} failed")
    return 1 if failed else 0

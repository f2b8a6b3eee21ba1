# SPDX-License-Identifier: Apache-2.0

"""Tests the commands in the section of docs/clients.md about OpenCode's own clients. `make test-sdks` starts the gateway.

    documented.py ADDRESS KEY HOME

HOME contains the projects `one` (OpenCode 1) and `two` (OpenCode 2). Tests/Fixtures/opencode/clients.jsonl contains the recorded
requests of every command in the section. The script sends these requests through the gateway, and all of them must succeed. The
requests differ from the recording only in the identifiers and directories of this test. With `--python`, the script only prints
the section's Python code with the address and the key.
"""
import base64
import http.client
import json
import os
import re
import sys
from urllib.parse import quote, urlsplit

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ADDRESS = "https://HOST/projects/demo/api"
RECORDED_FOLDER = "/home/vibe/demo"
RECORDED_PROJECT = "223ea795e7a61263e64bd0a5b268d0cad9966303"
# For each command: its pattern, the client whose recorded requests are sent, and the project.
COMMANDS = [
    (rf"opencode attach {ADDRESS} -p KEY --dir {RECORDED_FOLDER}", "opencode attach, full-screen (1.18.34)", "one"),
    (rf'opencode run --attach {ADDRESS} -p KEY --dir {RECORDED_FOLDER} ".*"', "opencode run --attach (1.18.34)", "one"),
    (rf"OPENCODE_PASSWORD=KEY opencode --server {ADDRESS}", "opencode --server, full-screen (2.0.15)", "two"),
    (rf'OPENCODE_PASSWORD=KEY opencode run --server {ADDRESS} ".*"', "opencode run --server (2.0.15)", "two"),
    (rf'OPENCODE_PASSWORD=KEY opencode run -c --server {ADDRESS} ".*"', "opencode run -c --server (2.0.15)", "two"),
    (rf"OPENCODE_PASSWORD=KEY opencode session list --server {ADDRESS}", "opencode session list --server (2.0.15)", "two"),
]


def section():
    """Returns the section of docs/clients.md about OpenCode's own clients."""
    with open(os.path.join(ROOT, "docs/clients.md")) as file:
        text = file.read()
    return re.search(r"^## OpenCode's own clients\n(.*?)^## ", text, re.M | re.S).group(1)


def recorded():
    """Returns the recorded requests of each client, in their order."""
    clients = {}
    with open(os.path.join(ROOT, "Tests/Fixtures/opencode/clients.jsonl")) as file:
        for line in file:
            request = json.loads(line)
            clients.setdefault(request["client"], []).append(request)
    return clients


class Replay:
    """Sends recorded requests to a project of this test, with the project's own names instead of the recorded names."""

    def __init__(self, address, key, home, project):
        parts = urlsplit(address)
        self.place = (parts.hostname, parts.port)
        self.key, self.project = key, project
        folder = os.path.realpath(os.path.join(home, project))
        self.names = {RECORDED_FOLDER: folder, quote(RECORDED_FOLDER, safe=""): quote(folder, safe=""),
                      "/projects/demo/": f"/projects/{project}/"}
        self.made = []
        self.open = []

    def here(self, text):
        for name in sorted(self.names, key=len, reverse=True):
            text = text.replace(name, self.names[name])
        return text

    def send(self, method, target, fields, body=None):
        connection = http.client.HTTPConnection(*self.place, timeout=60)
        connection.putrequest(method, target, skip_accept_encoding=True)
        content = body.encode() if body is not None else None
        for name, value in fields:
            connection.putheader(name, value)
        if content is not None:
            connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content)
        return connection, connection.getresponse()

    def make_session(self):
        """Creates a session and returns its ID."""
        _, answer = self.send(
            "POST", f"/projects/{self.project}/api/api/session",
            [("Authorization", f"Bearer {self.key}"), ("Content-Type", "application/json")], "{}")
        return json.loads(answer.read())["data"]["id"]

    def name_sessions(self, request):
        """Maps each new session ID in a recorded request to the session that was created last. If there is none, creates a
        session, because the recorded session already existed.
        """
        for name in re.findall(r"ses_\w+", request["target"]):
            if name in self.names or name in self.own:
                continue
            self.names[name] = self.made.pop() if self.made else self.make_session()

    def run(self, requests):
        """Sends a client's requests and returns their number."""
        credentials = "Basic " + base64.b64encode(f"opencode:{self.key}".encode()).decode()
        # The IDs of sessions that the client itself chooses remain unchanged.
        bodies = [json.loads(request["body"]) for request in requests if request.get("body")]
        self.own = {body["id"] for body in bodies if str(body.get("id", "")).startswith("ses_")}
        for request in requests:
            self.name_sessions(request)
            fields = [(name, credentials if name == "authorization" else self.here(value))
                      for name, value in request["fields"].items()]
            body = request.get("body")
            target = self.here(request["target"])
            connection, answer = self.send(request["method"], target, fields, self.here(body) if body else None)
            if answer.status >= 300:
                raise SystemExit(f"documented: {request['method']} {target} was answered with {answer.status} {answer.read()!r}")
            if (answer.getheader("Content-Type") or "").startswith("text/event-stream"):
                line = answer.readline()
                while line and not line.startswith(b"data: "):
                    line = answer.readline()
                if not line:
                    raise SystemExit(f"documented: {target} is not an event stream")
                self.open.append(connection)
                continue
            content = answer.read()
            path = urlsplit(target).path
            is_json = (answer.getheader("Content-Type") or "").startswith("application/json")
            if answer.getheader("Content-Encoding") or not is_json:
                continue
            if request["method"] == "POST" and path.endswith("/session"):
                made = json.loads(content)
                self.made.append(made.get("data", made)["id"])
            if path.endswith("/api/location") or path.endswith("/project/current"):
                found = json.loads(content)
                self.names[RECORDED_PROJECT] = found.get("project", found)["id"]
        return len(requests)


def python_code(address, key):
    code = re.search(r"```python\n(.*?)```", section(), re.S).group(1)
    return code.replace(ADDRESS, f"{address}/projects/two/api").replace("KEY", key)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--python"]
    address, key, home = arguments
    if "--python" in sys.argv:
        print(python_code(address, key))
        return
    commands = re.findall(r"`((?:OPENCODE_PASSWORD=KEY )?opencode [^`]*)`", section())
    clients = recorded()
    replays = {project: Replay(address, key, home, project) for project in ("one", "two")}
    tried = set()
    total = 0
    for command in commands:
        found = [(name, project) for form, name, project in COMMANDS if re.fullmatch(form, command)]
        if not found:
            raise SystemExit(f"documented: there is no recording of the requests of this command: {command}")
        name, project = found[0]
        count = replays[project].run(clients[name])
        tried.add(name)
        total += count
    missing = {name for _, name, _ in COMMANDS} - tried
    if missing:
        raise SystemExit(f"documented: docs/clients.md does not show {', '.join(sorted(missing))}")
    print(f"docs/clients.md: {len(tried)} commands sent {total} requests, all of which were answered")


if __name__ == "__main__":
    main()

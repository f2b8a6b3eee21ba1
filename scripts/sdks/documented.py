# SPDX-License-Identifier: Apache-2.0

"""Tests the commands in the section of docs/clients.md about OpenCode's own clients. `make test-sdks` starts the gateway.

    documented.py [--root] [--python] ADDRESS HOME one=KEY two=KEY

HOME contains the projects `one` (OpenCode 1) and `two` (OpenCode 2), which the script opens with these keys.
Tests/Fixtures/opencode/clients.jsonl contains the recorded requests of every command in the section. The script sends these
requests through the gateway to the projects' base paths. With `--root`, it sends them to the root, where each key opens the one
project to which it is bound. All requests must succeed. The requests differ from the recording only in the identifiers and
directories of this test, and in the base path. If the recordings of OpenCode's servers contain a response to such a request, the
response must have the status and the form of a recorded one. With `--python`, the script only prints the section's Python code with
the address and the key.
"""
import base64
import gzip
import http.client
import json
import os
import re
import sys
from urllib.parse import quote, urlsplit

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ADDRESS = "https://HOST/projects/demo/api"
BASE_PATH = "/projects/demo/api"
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
VERSIONS = {"one": "1.18.33", "two": "2.0.15"}
# The names in these objects are data, such as the names of models.
MAPS = ("models", "default", "provider", "keybinds", "options", "agent")
# The members of OpenCode's configuration that the user may omit. The simulator's configuration is smaller than the recorded one.
OPTIONAL_PATHS = ("/config", "/api/config")
# The paths that a key for one project cannot read, because their responses concern all projects.
NOT_FOR_ONE_PROJECT = ("/experimental/workspace/status",)


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


def recorded_answers(version):
    """Returns the bodies of the successful responses in the recording of a server, by method, path and status."""
    answers = {}
    with open(os.path.join(ROOT, f"Tests/Fixtures/opencode/{version}/exchanges.jsonl")) as file:
        for line in file:
            exchange = json.loads(line)
            request, response = exchange["request"], exchange["response"]
            # Long bodies were removed from the recording.
            if response["status"] >= 300 or response.get("cut") or response.get("body") is None:
                continue
            route = request["method"], request["target"].partition("?")[0], response["status"]
            try:
                body = json.loads(response["body"] or "null")
            except json.JSONDecodeError:
                continue
            answers.setdefault(route, []).append(body)
    return answers


def difference(value, expected, sent, path=""):
    """Returns the first difference in the names or the kinds of two JSON values; None if there is none. Lists may have different
    lengths. An object may lack some of the expected names, which depend on the server's state, but has no other names except those
    that the client has `sent`. An empty list or object that is expected determines nothing.
    """
    if isinstance(value, dict) and isinstance(expected, dict):
        if path.rpartition(".")[2] in MAPS:
            return difference(list(value.values()), list(expected.values()), sent, path)
        if not expected:
            return None
        if set(value) - set(expected) - sent or not value:
            return f"{path}: {sorted(value)} instead of {sorted(expected)}"
        found = (difference(value[name], expected[name], sent, f"{path}.{name}") for name in value if name in expected)
        return next(filter(None, found), None)
    if isinstance(value, list) and isinstance(expected, list):
        if not expected:
            return None
        for item in value:
            found = [difference(item, other, sent, f"{path}[]") for other in expected]
            if None not in found:
                return found[-1]
        return None
    kinds = [float if isinstance(item, (int, float)) and not isinstance(item, bool) else type(item)
             for item in (value, expected)]
    return None if kinds[0] == kinds[1] else f"{path}: {kinds[0].__name__} instead of {kinds[1].__name__}"


class Replay:
    """Sends recorded requests to a project of this test, with the project's own names instead of the recorded names."""

    def __init__(self, address, key, home, project, at_root):
        parts = urlsplit(address)
        self.place = (parts.hostname, parts.port)
        self.key, self.at_root = key, at_root
        self.base = "" if at_root else f"/projects/{project}/api"
        folder = os.path.realpath(os.path.join(home, project))
        self.names = {RECORDED_FOLDER: folder, quote(RECORDED_FOLDER, safe=""): quote(folder, safe=""),
                      BASE_PATH: self.base}
        self.answers = recorded_answers(VERSIONS[project])
        self.compared, self.sent = 0, set()
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
            "POST", f"{self.base}/api/session",
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
        for session in self.own:
            # The project may have this session from an earlier replay.
            _, answer = self.send("DELETE", f"{self.base}/api/session/{session}", [("Authorization", credentials)])
            answer.read()
        for request in requests:
            self.name_sessions(request)
            fields = [(name, credentials if name == "authorization" else self.here(value))
                      for name, value in request["fields"].items()]
            body = request.get("body")
            target = self.here(request["target"])
            connection, answer = self.send(request["method"], target, fields, self.here(body) if body else None)
            path = urlsplit(target).path
            if self.at_root and path in NOT_FOR_ONE_PROJECT and answer.status == 403:
                continue
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
            self.compare(request, answer, content)
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

    def compare(self, request, answer, content):
        """Compares a response with the recorded responses to the same request."""
        path = re.sub(r"ses_\w+", "{session}", urlsplit(request["target"]).path.removeprefix(BASE_PATH))
        by_status = {status: bodies for (method, recorded, status), bodies in self.answers.items()
                     if (method, recorded) == (request["method"], path)}
        if not by_status:
            return
        where = f"documented: {request['method']} {path}"
        if answer.status not in by_status:
            raise SystemExit(f"{where} was answered with {answer.status} instead of {sorted(by_status)}")
        if answer.getheader("Content-Encoding"):
            content = gzip.decompress(content)
        # A session contains the agent with which the client has created it.
        if request.get("body"):
            self.sent |= set(json.loads(request["body"]))
        found = [difference(json.loads(content or b"null"), body, self.sent) for body in by_status[answer.status]]
        if None not in found and path not in OPTIONAL_PATHS:
            raise SystemExit(f"{where} was answered in another form than the recorded one: {found[-1]}")
        self.compared += 1


def python_code(address, key):
    code = re.search(r"```python\n(.*?)```", section(), re.S).group(1)
    return code.replace(ADDRESS, address).replace("KEY", key)


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    at_root = "--root" in sys.argv
    address, home = arguments[:2]
    keys = dict(argument.split("=", 1) for argument in arguments[2:])
    if "--python" in sys.argv:
        print(python_code(address if at_root else f"{address}/projects/two/api", keys["two"]))
        return
    commands = re.findall(r"`((?:OPENCODE_PASSWORD=KEY )?opencode [^`]*)`", section())
    clients = recorded()
    replays = {project: Replay(address, keys[project], home, project, at_root) for project in ("one", "two")}
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
    compared = sum(replay.compared for replay in replays.values())
    place = "the root" if at_root else "the base paths"
    print(f"docs/clients.md: {len(tried)} commands sent {total} requests to {place}, all of which were answered. {compared} of the "
          "responses were compared with recorded ones")


if __name__ == "__main__":
    main()

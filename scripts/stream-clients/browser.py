# SPDX-License-Identifier: Apache-2.0

"""Tests a browser's `EventSource` on the gateway's streams. `make test-stream-clients` starts the gateway. This script starts
Chromium and serves the page for it.

The origin of the page (page.html) differs from the origin of the streams. An `EventSource` cannot send additional fields, so
the page reads the streams through a proxy that adds the key, as a reverse proxy does for browsers. `fetch` can send fields and
uses the gateway directly. The checks cover those Web Platform Tests for `EventSource` that depend on the server:

    onopen, onmessage, origin           the stream opens, and events are `message`s with the stream's origin
    mime type                           the browser accepts `text/event-stream`
    event data, UTF-8                   the received data equals OpenCode's data byte for byte
    field `id`                          events contain the field, and an event without the field keeps the last id
    field `event`                       a gap on the gateway's own streams has its own event name and is not a message
    field `retry`                       the browser reconnects after the given time and not earlier
    comments                            heartbeats and gaps that are comments are not events
    data before the final empty line    an incomplete frame at an interruption is not an event
    reconnect                           after an interruption, the browser resumes with `Last-Event-ID` and receives each event once
    reconnect after a clean end         after the dispose of the instance's directory, the browser also reconnects
    request fields                      the gateway accepts the `Accept` and `Cache-Control` fields that the browser sends
    cross-origin                        a page of an allowed origin can read the stream, and any other page is rejected
    status                              401, 404 and 503 end the `EventSource` permanently
    close                               a closed `EventSource` remains closed, and the gateway counts no subscriber
    dedicated worker                    an `EventSource` in a worker behaves in the same way
"""
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import parse_qs, urlsplit

from gateway import ADDRESS, KEY, LONGEST, Cutter, Project, Witness, ask, check, done

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECTS = {"one": Project("one", 1), "two": Project("two", 2)}
cutter = Cutter()
witnesses = {}
finished = threading.Event()


class Steps:
    """The steps that the page can request. Each step receives the parameters of the request and returns a value for JSON."""

    @staticmethod
    def settings(_):
        return {"way": cutter.address, "gateway": ADDRESS, "key": KEY}

    @staticmethod
    def witness(words):
        name = words["project"]
        witnesses[name] = Witness(PROJECTS[name].streams[0])

    @staticmethod
    def said(words):
        """Waits for the end of a turn, and returns OpenCode's own events from its session's first event on."""
        project, witness = PROJECTS[words["project"]], witnesses[words["project"]]
        witness.until(lambda line: project.ends_turn(json.loads(line), words["session"]))
        witness.close()
        said = witness.said()
        begin = next(index for index, line in enumerate(said) if words["session"] in line)
        return said[begin:]

    @staticmethod
    def cut(words):
        cutter.requests.clear()
        cutter.cut(*map(int, words["after"].split(",")))

    @staticmethod
    def requests(_):
        return [{"line": line, "fields": fields, "time": when} for line, fields, when in cutter.requests]

    @staticmethod
    def turn(words):
        return PROJECTS[words["project"]].begin_turn(words.get("words", "[pieces=150 interval=4ms]"))

    @staticmethod
    def misbehave(words):
        PROJECTS[words["project"]].misbehave(words["words"])

    @staticmethod
    def state(words):
        return PROJECTS[words["project"]].state()

    @staticmethod
    def dispose(words):
        return ask("POST", f"{PROJECTS[words['project']].api}/instance/dispose")[0]

    @staticmethod
    def stop(words):
        return ask("DELETE", f"/projects/{words['project']}/stop")[0]

    @staticmethod
    def check(words):
        check(words["what"], words["holds"] == "true", words.get("seen", ""))

    @staticmethod
    def done(_):
        finished.set()


class Pages(http.server.BaseHTTPRequestHandler):
    """Serves the page, its worker, and the steps."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        length = int(self.headers["Content-Length"] or 0)
        words = {name: values[0] for name, values in parse_qs(self.rfile.read(length).decode(), True).items()}
        try:
            answer = json.dumps(getattr(Steps, urlsplit(self.path).path.removeprefix("/do/"))(words)).encode()
            self.reply(200, "application/json", answer)
        except (Exception, SystemExit) as error:
            self.reply(500, "application/json", json.dumps(repr(error)).encode())

    def do_GET(self):
        name = urlsplit(self.path).path.removeprefix("/")
        kinds = {"page.html": "text/html; charset=utf-8", "page.js": "text/javascript", "worker.js": "text/javascript"}
        if name not in kinds:
            return self.reply(404, "text/plain", b"")
        with open(os.path.join(HERE, name), "rb") as file:
            self.reply(200, kinds[name], file.read())

    def reply(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    port = int(os.environ["PAGE_PORT"])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Pages)
    # Serve the same page from an origin that the gateway does not allow.
    stranger = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    for pages in (server, stranger):
        threading.Thread(target=pages.serve_forever, daemon=True).start()
    folder = tempfile.mkdtemp()
    for origin, words in ((port, ""), (stranger.server_address[1], "?stranger")):
        finished.clear()
        browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             f"--user-data-dir={folder}/profile", "--remote-debugging-port=0", f"http://127.0.0.1:{origin}/page.html{words}"],
            stdout=subprocess.DEVNULL, stderr=open(os.path.join(folder, "log"), "wb"), start_new_session=True,
            env={**os.environ, "HOME": folder})
        is_done = finished.wait(LONGEST + 15)
        check(f"page.html{words} completes", is_done)
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()
        if not is_done:
            with open(os.path.join(folder, "log"), "rb") as log:
                print(log.read()[-1000:].decode(errors="replace"), file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    return done("Chromium")


if __name__ == "__main__":
    sys.exit(main())

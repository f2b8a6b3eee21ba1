# SPDX-License-Identifier: Apache-2.0

"""Starts the sides of the comparison and their upstreams. Each side forwards the same paths to the same upstreams.

    /projects/small/api/…    → an nginx that responds from memory
    /projects/streams/api/…  → the stream program
"""

import argparse
import http.client
import json
import os
import secrets
import shutil
import subprocess

from .processes import BenchmarkError, accepts, children, free_port, wait_until

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

SIDES = ("gateway", "nginx", "haproxy")

SMALL = "/projects/small/api/small"
STREAMS = "/projects/streams/api"

# A body of 495 bytes, which is about the size of a session in a list.
SMALL_BODY = json.dumps({"id": "ses_bench", "title": "A small answer", "version": "bench", "text": ""})
SMALL_BODY = SMALL_BODY[:-2] + "x" * (495 - len(SMALL_BODY)) + SMALL_BODY[-2:]

# The size in bytes of a long body, which must not exceed `client_body_buffer_size` in nginx's configuration.
LONG_BODY = 64 << 20

NGINX_COMMON = """
daemon off;
{user}
worker_processes {workers};
worker_rlimit_nofile {descriptors};
error_log {folder}/error.log;
pid {folder}/pid;
events {{ worker_connections {connections}; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
"""

NGINX_UPSTREAM = NGINX_COMMON + """
    default_type application/json;
    server {{
        listen 127.0.0.1:{port} reuseport backlog=4096;
        location = /small {{ return 200 '{body}'; }}
        location = /global/health {{ return 200 '{{"healthy":true,"version":"bench"}}'; }}
        # Reads the whole body into memory before it responds.
        location = /upload {{
            client_max_body_size 0;
            client_body_buffer_size 64m;
            proxy_method GET;
            proxy_set_body "";
            proxy_pass http://127.0.0.1:{port}/small;
        }}
        location = /download {{ sendfile on; alias {long_body}; }}
    }}
}}
"""

NGINX_PROXY = NGINX_COMMON + """
    upstream small {{ server 127.0.0.1:{small}; keepalive 64; keepalive_requests 1000000000; keepalive_timeout 1h; }}
    upstream streams {{ server 127.0.0.1:{streams}; keepalive 64; }}
    server {{
        listen 127.0.0.1:{port} reuseport backlog=4096;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_buffering off;
        proxy_request_buffering off;
        client_max_body_size 0;
        proxy_read_timeout 1h;
        location /projects/small/api/ {{ proxy_pass http://small/; }}
        location /projects/streams/api/ {{ proxy_pass http://streams/; }}
    }}
}}
"""

# By default, HAProxy closes idle upstream connections when a quarter of its descriptors is in use, and thousands of streams exceed
# this limit. With the two ratios, HAProxy keeps the idle connections. Without abortonclose, HAProxy keeps a silent stream open
# after its client has disconnected.
HAPROXY = """
global
    nbthread {workers}
    maxconn {connections}
    tune.pool-low-fd-ratio 100
    tune.pool-high-fd-ratio 100

defaults
    mode http
    timeout connect 10s
    timeout client 1h
    timeout server 1h
    timeout http-keep-alive 1h
    option http-no-delay
    option abortonclose
    http-reuse always

frontend proxy
    bind 127.0.0.1:{port} backlog 4096
    use_backend small if {{ path_beg /projects/small/api/ }}
    use_backend streams if {{ path_beg /projects/streams/api/ }}

backend small
    http-request set-path %[path,bytes({cut_small})]
    server one 127.0.0.1:{small}

backend streams
    http-request set-path %[path,bytes({cut_streams})]
    server one 127.0.0.1:{streams}
"""


class Running:
    """A running proxy: its port, and the processes whose CPU time and memory are measured."""

    def __init__(self, side, port, process, pids, upstream):
        self.side, self.port, self.process, self.pids, self.upstream = side, port, process, pids, upstream
        # The directory in the shared events of the upstream.
        self.directory = "/home/vibe/streams"


class Sides:
    """Starts the upstreams and the sides."""

    def __init__(self, bench, names, gateway, descriptors):
        self.bench, self.names, self.gateway, self.descriptors = bench, names, gateway, descriptors
        self.key = secrets.token_hex(16)
        self.count = 0
        self.program = bench.path("streams")
        sources = os.path.join(HERE, "streams")
        files = sorted(os.path.join(sources, name) for name in os.listdir(sources) if name.endswith(".c"))
        subprocess.run([tool("cc", "clang"), "-O2", "-Wall", "-Werror", "-o", self.program, *files], check=True)
        if "gateway" in names and not os.access(gateway, os.X_OK):
            raise BenchmarkError(f"There is no gateway at {gateway}: build it (swift build -c release), or name --sides.")
        self.small = self._small_upstream()
        self.streams = self.stream_upstream()

    def start(self, side, streams=None, threads=2, prefix=(), patience=10, options=()):
        """Starts one side in front of the upstreams and checks that it forwards a request.

        `prefix` runs the side's command line under a tool (valgrind, strace). `options` apply only to the gateway.
        """
        self.count += 1
        streams = streams or self.streams
        label = f"{side}-{self.count}"
        more = {"options": options} if side == "gateway" else {}
        running = getattr(self, "_" + side)(label, streams, threads, list(prefix), patience, **more)
        self._check(running)
        return running

    def stop(self, running):
        """Ends one side."""
        self.bench.stop(running.process)

    def stream_upstream(self):
        """Starts the program that sends events, and returns its process, whose `port` is set."""
        self.count += 1
        process = self.bench.start([self.program, "upstream"], f"upstream-{self.count}.log")
        line = wait_until(lambda: complete_line(process.log), "The stream upstream starts", process)
        process.port = int(line.split()[1])
        return process

    def open_streams(self, upstream):
        """Returns the number of an upstream's open event streams."""
        return json.loads(get(upstream.port, "/stats", self.key)[1])["streams"]

    def followers(self, upstream):
        """Returns the number of an upstream's open streams of shared events."""
        return json.loads(get(upstream.port, "/stats", self.key)[1])["followers"]

    def say(self, running, rate, count, size):
        """Makes a side's upstream send shared events. With the rate 0, the upstream sends the events as fast as possible."""
        target = f"/say?rate={rate}&count={count}&size={size}&directory={running.directory}"
        status, body = get(running.upstream.port, target, self.key)
        if status != 200:
            raise BenchmarkError(f"The stream upstream responds to GET {target} with {status} {body.decode()}")

    def _small_upstream(self):
        port = free_port()
        long_body = self.bench.write("x" * LONG_BODY, "long-body")
        process = self.start_nginx("small-upstream", NGINX_UPSTREAM, port, workers=2, body=SMALL_BODY, long_body=long_body)
        process.port = port
        wait_until(lambda: accepts(port), "The upstream nginx starts", process)
        return process

    def start_nginx(self, label, text, port, workers, prefix=(), **values):
        """Starts an nginx with this configuration."""
        folder = os.path.dirname(self.bench.path(label, "pid"))
        user = "user root;" if os.geteuid() == 0 else ""
        if prefix:
            user += " master_process off;"
        configuration = text.format(
            folder=folder, port=port, workers=workers, user=user, descriptors=self.descriptors,
            connections=self.descriptors - 500, **values)
        path = self.bench.write(configuration, label, "nginx.conf")
        command = [*prefix, tool("nginx"), "-p", folder, "-e", f"{folder}/error.log", "-c", path]
        return self.bench.start(command, f"{label}.log")

    def _nginx(self, label, streams, threads, prefix, patience):
        port = free_port()
        process = self.start_nginx(
            label, NGINX_PROXY, port, threads, prefix, small=self.small.port, streams=streams.port)
        wait_until(lambda: accepts(port), "nginx starts", process, patience)
        if not prefix:
            wait_until(lambda: len(children(process.pid)) == threads, "nginx starts its workers", process, patience)
        return Running("nginx", port, process, [process.pid, *children(process.pid)], streams)

    def _haproxy(self, label, streams, threads, prefix, patience):
        port = free_port()
        configuration = HAPROXY.format(
            port=port, workers=threads, small=self.small.port, streams=streams.port,
            connections=(self.descriptors - 500) // 2,
            cut_small=len("/projects/small/api"), cut_streams=len("/projects/streams/api"))
        path = self.bench.write(configuration, label, "haproxy.cfg")
        process = self.bench.start([*prefix, tool("haproxy"), "-db", "-f", path], f"{label}.log")
        wait_until(lambda: accepts(port), "HAProxy starts", process, patience)
        return Running("haproxy", port, process, [process.pid], streams)

    def _gateway(self, label, streams, threads, prefix, patience, options=()):
        home = os.path.dirname(self.bench.path(label, "home", "small", "upstream-port"))
        self.bench.write(str(self.small.port), label, "home", "small", "upstream-port")
        self.bench.write(str(streams.port), label, "home", "streams", "upstream-port")
        program, environment = self._under(prefix)
        command = [
            *prefix, program, "serve", "--listen", "127.0.0.1:0", "--home", os.path.dirname(home),
            "--opencode", os.path.join(HERE, "opencode-shim"), "--supervisor", "process",
            "--threads", str(threads), "--access-log", "off", "--stop-timeout", "500ms", *options]
        process = self.bench.start(command, f"{label}.log", {
            "VIBE_AUTH_SECRET": self.key, "XDG_STATE_HOME": self.bench.path(label, "state"), **environment})
        announced = "viberemote-gateway listening on http://"
        line = wait_until(lambda: complete_line(process.log, announced), "The gateway starts", process, patience)
        port = int(line.rsplit(":", 1)[1])
        for project in ("small", "streams"):
            status, body = get(port, f"/projects/{project}/start", self.key, "POST")
            if status != 200:
                raise BenchmarkError(f"The gateway does not start the project {project}: {status} {body.decode()}")
        running = Running("gateway", port, process, [process.pid], streams)
        running.directory = os.path.realpath(os.path.join(os.path.dirname(home), "streams"))
        return running

    def _under(self, prefix):
        """Returns the gateway's program and environment for use under a tool. valgrind cannot read Swift's debug information and
        does not support pidfds. Under valgrind, the program therefore has no debug information and preloads `valgrind/pidfd.c`.
        """
        if not prefix or "valgrind" not in os.path.basename(prefix[0]):
            return self.gateway, {}
        program, preload = self.bench.path("gateway-without-debug"), self.bench.path("pidfd.so")
        source = os.path.join(HERE, "valgrind", "pidfd.c")
        subprocess.run([tool("objcopy"), "--strip-debug", self.gateway, program], check=True)
        subprocess.run([tool("cc", "clang"), "-O1", "-shared", "-fPIC", "-o", preload, source, "-ldl"], check=True)
        return program, {"LD_PRELOAD": preload}

    def _check(self, running):
        for path, wanted in ((SMALL, SMALL_BODY), (STREAMS + "/global/health", '{"healthy":true,"version":"bench"}')):
            status, body = get(running.port, path, self.key)
            if status != 200 or body.decode() != wanted:
                raise BenchmarkError(f"{running.side} responds to GET {path} with {status} {body[:200]!r} instead of {wanted}")


def get(port, path, key, method="GET"):
    """Sends one request on a new connection, and returns the status and the body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def complete_line(path, beginning=""):
    """Returns the first complete line of a file that starts with `beginning`; None if there is no such line."""
    with open(path, errors="replace") as file:
        for line in file:
            if line.startswith(beginning) and line.endswith("\n"):
                return line.strip()
    return None


def tool(*names):
    """Returns the path of the first installed program among `names`."""
    for name in names:
        path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
        if path:
            return path
    raise BenchmarkError(f"{names[0]} is not installed: make setup installs it.")


def words(known):
    """Returns a function that parses a comma-separated choice from `known`."""

    def parse(text):
        chosen = text.split(",")
        for word in chosen:
            if word not in known:
                raise argparse.ArgumentTypeError(f"{word!r} is none of {', '.join(known)}")
        return [word for word in known if word in chosen]

    return parse


def positive(text):
    """Parses a whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number

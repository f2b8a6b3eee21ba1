# SPDX-License-Identifier: Apache-2.0

"""Starts and ends processes, and reads their data from /proc."""

import contextlib
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")


class BenchmarkError(Exception):
    """An error that ends the run: what happened, to which object, and what to do."""


class Workbench:
    """A temporary directory, and the processes of a run. On exit, ends exactly these processes by their PIDs."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="bench-")
        self.running = []
        return self

    def __exit__(self, *_):
        for process in list(reversed(self.running)):
            self.stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *parts):
        """Returns a path in the temporary directory, and creates its parent directories."""
        path = os.path.join(self.folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, text, *parts):
        """Writes a file in the temporary directory, and returns the file's path."""
        path = self.path(*parts)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self, command, log, environment=None, **options):
        """Starts a program, and writes its output to the file `log` in the temporary directory. `process.log` is the path of this
        file.
        """
        path = self.path(log)
        options.setdefault("stdin", subprocess.DEVNULL)
        with open(path, "w") as file:
            options.setdefault("stdout", file)
            process = subprocess.Popen(command, stderr=file, env={**os.environ, **(environment or {})}, **options)
        process.log = path
        self.running.append(process)
        return process

    def stop(self, process, patience=15):
        """Ends a process and its descendants, first with SIGTERM and then with SIGKILL."""
        self.running.remove(process)
        family = [process.pid, *descendants(process.pid)]
        births = {pid: started(pid) for pid in family}
        if process.stdin:
            process.stdin.close()
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
        for pid in family[1:]:
            if births[pid] and started(pid) == births[pid]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def wait_until(condition, what, process=None, seconds=10.0):
    """Calls `condition` until it returns a true value, and returns this value. After the time limit, raises an error that names
    `what`.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        if process is not None and process.poll() is not None:
            raise BenchmarkError(f"{what}: the process ended with code {process.returncode}. Its output:\n{tail(process)}")
        time.sleep(0.01)
    raise BenchmarkError(f"{what}: not within {seconds:g} s." + (f" Its output:\n{tail(process)}" if process else ""))


def tail(process, lines=15):
    """Returns the last lines of a process's output."""
    with open(process.log, errors="replace") as file:
        return "".join("    " + line for line in file.readlines()[-lines:]) or "    (nothing)"


def free_port():
    """Returns a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def accepts(port):
    """Returns whether a server listens on a port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def raise_descriptor_limit(wanted):
    """Allows this process and its children to open `wanted` files. Raises an error if the system's hard limit is lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise BenchmarkError(
            f"The limit of open files is {hard} and {wanted} are needed: raise it (ulimit -Hn) or lower --streams."
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    return max(soft, wanted)


def _stat(pid):
    """Returns the fields of /proc/PID/stat after the process's name; None if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def started(pid):
    """Returns a process's start time in ticks; None if the process has ended. The start time distinguishes the process from a later
    process with the same ID.
    """
    fields = _stat(pid)
    return fields[19] if fields and fields[0] != "Z" else None


def children(pid):
    """Returns the direct children of all threads of a process."""
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += [int(child) for child in file.read().split()]
    return found


def descendants(pid):
    """Returns all descendants of a process."""
    return [below for child in children(pid) for below in (child, *descendants(child))]


class CPUClock:
    """Measures the user and system CPU time of some processes between `__init__` and `seconds()`.

    The clock uses the scheduler's time in nanoseconds of each thread (/proc/PID/task/TID/schedstat). If a thread has ended in the
    meantime, the clock uses the process's utime and stime in ticks, which include the time of ended threads.
    """

    def __init__(self, pids):
        self.before = {pid: self._read(pid) for pid in pids}

    def seconds(self):
        """Returns the CPU seconds used since this clock was created."""
        total = 0.0
        for pid, (ticks, threads) in self.before.items():
            ticks_after, threads_after = self._read(pid)
            if set(threads) <= set(threads_after):
                total += (sum(threads_after.values()) - sum(threads.values())) / 1e9
            else:
                total += (ticks_after - ticks) / TICK
        return total

    @staticmethod
    def _read(pid):
        fields = _stat(pid)
        if not fields:
            raise BenchmarkError(f"The proxy process {pid} has ended. See its log, or run it yourself.")
        threads = {}
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                    threads[thread] = int(file.read().split()[0])
        return int(fields[11]) + int(fields[12]), threads


def proportional_memory(pids):
    """Returns the total memory of some processes in bytes. Shared pages count in proportion to their users (PSS)."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) * 1024
    return total

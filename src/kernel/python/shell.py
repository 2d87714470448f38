"""bash(): a shell command from a cell, shown while it runs."""

import codecs
import collections
import contextlib
import os
import select
import signal
import subprocess
import sys
import time

from _omp.guard import guard
from _omp.judged import judge
from _omp.status import report

SNAPSHOT_VARIABLE = "OMP_SHELL_SNAPSHOT"
"""Names a file that sets up the user's shell (functions, aliases, PATH); the kernel's environment carries it."""

SNAPSHOT_WAIT_S = 3.0
"""omp takes it while the kernel starts, and gives the user's shell two seconds."""

EXIT_GRACE_S = 0.2
"""A background process may hold the pipe open for ever, so the command counts as over shortly after its exit."""

KILL_GRACE_S = 0.3
MAX_KEPT_CHARACTERS = 16 << 20
TIMED_OUT = 124


class BashResult:
    """What bash() returns: exit_code, text (output and errors together), timed_out; true when the exit code is 0."""

    def __init__(self, exit_code, text, timed_out=False):
        self.exit_code = exit_code
        self.text = text
        self.timed_out = timed_out

    @property
    def lines(self):
        return self.text.splitlines()

    def __bool__(self):
        return self.exit_code == 0

    def __str__(self):
        return self.text

    def __repr__(self):
        ended = "timed out" if self.timed_out else f"exit code {self.exit_code}"
        return f"<bash: {ended}, {len(self.text)} characters>"


def bash(command, *, cwd=None, env=None, timeout=None, show=True):
    """Run a shell command, show its output while it runs, and return its exit_code and text.

    Standard input is empty. env adds variables. After timeout seconds the command and its children are killed
    (exit_code 124). Very long output is kept from its end. show=False keeps it out of the cell's output.
    """
    started = time.monotonic()
    environment = {**os.environ, **(env or {})}
    with judge.judged(command, cwd):
        process = subprocess.Popen(
            _arguments(command, environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )
        guard.add(process.pid)
    kept = _Tail(MAX_KEPT_CHARACTERS)
    try:
        timed_out = not _pump(process, kept, show, None if timeout is None else started + timeout)
        if timed_out:
            _kill(process)
    except BaseException:
        _kill(process)
        raise
    finally:
        process.stdout.close()
        guard.release(process.pid)
    code = TIMED_OUT if timed_out else _shell_code(process.returncode)
    first_line = (command.strip().splitlines() or [""])[0]
    report("bash", f"Ran {first_line[:80]}", exitCode=code, seconds=round(time.monotonic() - started, 3))
    return BashResult(code, kept.text(), timed_out)


def _arguments(command, environment):
    # eval, because aliases count only for what is parsed after them.
    if _has_snapshot(environment.get(SNAPSHOT_VARIABLE)):
        return ["bash", "-c", f'source "${SNAPSHOT_VARIABLE}" >/dev/null 2>&1; eval "$1"', "bash", command]
    # The kernel's environment stays first on PATH, also where a start-up file makes a new one.
    return ["bash", "-lc", 'PATH=$1${1:+:}$PATH; eval "$2"', "bash", environment.get("PATH", ""), command]


_missing_snapshots = set()


def _has_snapshot(path):
    """Waits for it once: one that does not come within that time will not come any more."""
    if not path or path in _missing_snapshots:
        return False
    deadline = time.monotonic() + SNAPSHOT_WAIT_S
    while not os.path.isfile(path):
        if time.monotonic() > deadline:
            _missing_snapshots.add(path)
            return False
        time.sleep(0.01)
    return True


def _pump(process, kept, show, deadline):
    """Copy output until the command has ended; False when the deadline came first."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    pipe = process.stdout.fileno()
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    give_up = None
    while True:
        now = time.monotonic()
        if deadline is not None and now >= deadline:
            return False
        if give_up is None and process.poll() is not None:
            give_up = now + EXIT_GRACE_S
        if give_up is not None and now >= give_up:
            return True
        if not poll.poll(20):
            continue
        data = os.read(pipe, 1 << 16)
        text = decoder.decode(data, final=not data)
        if text:
            kept.append(text)
            if show:
                sys.stdout.write(text)
        if not data:
            return _wait(process, deadline)


def _wait(process, deadline):
    """The output has ended, the command perhaps not."""
    try:
        process.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill(process):
    """End the whole group: a polite signal, then a certain one."""
    try:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(KILL_GRACE_S)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _shell_code(code):
    return 128 - code if code < 0 else code


class _Tail:
    """Text of bounded length: the oldest pieces go."""

    def __init__(self, limit):
        self._limit = limit
        self._pieces = collections.deque()
        self._length = 0

    def append(self, text):
        self._pieces.append(text)
        self._length += len(text)
        while self._length - len(self._pieces[0]) >= self._limit:
            self._length -= len(self._pieces.popleft())

    def text(self):
        return "".join(self._pieces)

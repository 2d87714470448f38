"""One warm process per interpreter: everything imported, so that a kernel is a fork away.

Run as `python -c <this file>`. Speaks JSON lines: requests on standard input, answers on standard output.

    first line in   {"loader": <source of loader.py>, "payload": <its payload, without boot>}   our modules, loaded ahead;
                    "lend": <source of lend.py> and "loan", too, where the interpreter has no ipykernel
    first line out  {"ready": true, "pid", "python", "ipykernel"}    or {"ready": false, "error"}
    request         {"id", "connection_file", "cwd", "env", "argv", "stderr_log"}
    answer          {"id", "pid"}                                    or {"id", "error"}
    request         {"adopt": pid}                                   a process of a kernel's that has become this one's child: apart.py
    any time        {"exited": pid, "status": code or null, "signal": number or null}

Each kernel leads a session and a process group of its own. At end of file on standard input every group is killed.
No thread, event loop or ZeroMQ context may exist here when it forks.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import sys
import time

PR_SET_CHILD_SUBREAPER = 36

WARM_MODULES = """
    ipykernel.kernelapp ipykernel.ipkernel ipykernel.zmqshell ipykernel.iostream ipykernel.debugger ipykernel.eventloops
    ipykernel.comm.manager ipykernel.parentpoller ipykernel.pickleutil IPython.core.interactiveshell IPython.core.completerlib
    IPython.core.magics IPython.core.oinspect IPython.utils.wildcard IPython.core.ultratb IPython.core.debugger IPython.extensions.storemagic IPython.lib.pretty
    IPython.core.pylabtools IPython.core.display IPython.utils.capture jupyter_client.session jupyter_client.localinterfaces
    zmq.eventloop.zmqstream zmq.asyncio tornado.ioloop tornado.platform.asyncio tornado.queues tornado.locks
    stack_data pygments.formatters.terminal256 pygments.lexers.python pygments.styles.default asyncio.selector_events
    concurrent.futures.thread multiprocessing.util subprocess tempfile shutil glob fnmatch difflib textwrap getpass pdb
    faulthandler sqlite3 uuid hmac hashlib html decimal numbers statistics random unicodedata
""".split()


class Server:
    """The parent: takes requests, forks, reports which kernels ended."""

    def __init__(self):
        # Imported code may print to descriptors 0 and 1.
        self._input = _move_descriptor(0)
        self._output = _move_descriptor(1)
        _redirect(os.devnull, os.O_RDONLY, 0)
        os.dup2(2, 1)
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._received = bytearray()
        self._kernels = set()

    def prepare(self):
        """Import everything, then say so. Returns whether that worked."""
        hello = self._read_line()
        if hello is None:
            return False
        try:
            version = _warm_up(hello)
        except Exception as error:
            self._send({"ready": False, "error": f"{type(error).__name__}: {error}"})
            return False
        self._send({"ready": True, "pid": os.getpid(), "python": sys.version.split()[0], "ipykernel": version})
        return True

    def serve(self):
        """Returns the request in a child that is to become a kernel, None in the parent at end of input."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        while True:
            self._report_ended()
            readable, _, _ = select.select([self._input, self._wake_read], [], [])
            if self._wake_read in readable:
                os.read(self._wake_read, 4096)
            if self._input not in readable:
                continue
            lines = self._read_available()
            if lines is None:
                self._kill_all()
                return None
            for line in lines:
                request = json.loads(line)
                if "adopt" in request:
                    self._adopt(request["adopt"])
                elif self._fork(request):
                    return request

    def _fork(self, request):
        """True in the child."""
        parent = os.getpid()
        began_read, began_write = os.pipe()
        try:
            pid = os.fork()
        except OSError as error:
            os.close(began_read)
            os.close(began_write)
            self._send({"id": request["id"], "error": str(error)})
            return False
        if pid == 0:
            request["parent"] = parent
            signal.set_wakeup_fd(-1)
            os.setsid()
            for descriptor in (self._input, self._output, self._wake_read, self._wake_write, began_read, began_write):
                os.close(descriptor)
            return True
        # The reader of the answer may signal the group at once, so the group must exist. It does at end of file.
        os.close(began_write)
        os.read(began_read, 1)
        os.close(began_read)
        self._kernels.add(pid)
        self._send({"id": request["id"], "pid": pid})
        return False

    def _adopt(self, pid):
        # Unless its end has been reported already: the number may be another's by now.
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            self._kernels.add(pid)

    def _report_ended(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._kernels.discard(pid)
            exited = os.WIFEXITED(status)
            self._send(
                {
                    "exited": pid,
                    "status": os.WEXITSTATUS(status) if exited else None,
                    "signal": None if exited else os.WTERMSIG(status),
                }
            )

    def _kill_all(self):
        for pid in self._kernels:
            with contextlib.suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
        deadline = time.monotonic() + 2.0
        while self._kernels and time.monotonic() < deadline:
            with contextlib.suppress(ChildProcessError):
                pid, _ = os.waitpid(-1, os.WNOHANG)
                self._kernels.discard(pid)
            time.sleep(0.005)

    def _send(self, message):
        data = json.dumps(message).encode() + b"\n"
        # When the other end is closed, the end of input follows.
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(self._output, data) :]

    def _read_line(self):
        while b"\n" not in self._received:
            data = os.read(self._input, 1 << 16)
            if not data:
                return None
            self._received += data
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received[:] = rest
        return json.loads(line)

    def _read_available(self):
        """Whole lines that are there, None at the end of input."""
        data = os.read(self._input, 1 << 16)
        if not data:
            return None
        self._received += data
        *lines, rest = bytes(self._received).split(b"\n")
        self._received[:] = rest
        return [line for line in lines if line.strip()]


def _warm_up(hello):
    if "loan" in hello:
        space = {"__name__": "_omp_lend"}
        exec(hello["lend"], space)
        space["lend"](hello["loan"])
    # debugpy costs a fifth of a kernel's start and no client of ours debugs. Cells can still import it.
    blocked = "debugpy" not in sys.modules
    if blocked:
        sys.modules["debugpy"] = None
    try:
        import ipykernel.kernelapp

        for name in WARM_MODULES:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    finally:
        if blocked:
            del sys.modules["debugpy"]
    space = {"__name__": "_omp_loader"}
    exec(hello["loader"], space)
    space["run"](hello["payload"])
    _become_subreaper()
    gc.collect()
    gc.freeze()
    return ipykernel.__version__


def _become_subreaper():
    """Checkpoints and what they are woken to are forked by kernels; their parent ends, and this process is their next one."""
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run_kernel(request):
    """In the child: take the directory, the environment and the descriptors of the request, and become a kernel."""
    _reset_signals()
    _redirect(os.devnull, os.O_RDONLY, 0)
    _redirect(request.get("stderr_log") or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 1)
    os.dup2(1, 2)
    _replace_environment(request["env"])
    os.chdir(request["cwd"])
    _reseed()
    sys.argv = ["ipykernel_launcher", "-f", request["connection_file"]]
    from _omp import kernel_app

    gc.disable()
    app, arguments = kernel_app.make(request["connection_file"], request["parent"], request.get("argv", []))
    kernel_app.initialize(app, arguments)
    gc.enable()
    kernel_app.run(app)


def _reset_signals():
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _replace_environment(env):
    old_path = os.environ.get("PYTHONPATH", "")
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    new_path = os.environ.get("PYTHONPATH", "")
    if new_path != old_path:
        # What the interpreter would have done at its start.
        gone = set(filter(None, old_path.split(os.pathsep)))
        sys.path[:] = [
            *filter(None, new_path.split(os.pathsep)),
            *(entry for entry in sys.path if entry not in gone),
        ]


def _reseed():
    import random

    random.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random:
        numpy_random.seed()


def _move_descriptor(number):
    copy = os.dup(number)
    os.set_inheritable(copy, False)
    return copy


def _redirect(path, flags, number):
    opened = os.open(path, flags, 0o600)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


def main():
    with contextlib.suppress(PermissionError):
        os.setsid()
    if not getattr(sys.flags, "safe_path", False):
        # The directory of this script, or '' for where the server was started; a kernel gets its own.
        del sys.path[0]
    server = Server()
    if not server.prepare():
        return 1
    request = server.serve()
    if request is not None:
        run_kernel(request)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A checkpoint: a copy of the kernel that waits, changes nothing, and forks again whenever it is woken.

Speaks JSON lines over a Unix socket with the omp that asked for it, and ends with that connection.

    first line out  {"pid"}                                      it has proved that it runs
    request         {"wake": {"connection_file", "log"}}         answered by the new kernel's process: {"pid"}
    request         {"digests": {"limit_s", "skip"}}             {"names": {name: digest or null}}; null: not known
    any answer      {"error"}
"""

import gc
import importlib
import json
import os
import signal
import sys

from _omp import apart

PROBE_S = 5.0
"""How long the copy may take to prove that it runs."""


class Awakening(SystemExit):
    """Leaves the event loop of the kernel that this process is a copy of: asyncio lets no other kind of exception through."""

    def __init__(self, request, server):
        super().__init__(0)
        self.request = request
        self.server = server


class Parked:
    def __init__(self, listener, server, threads):
        """@param threads of user code, which go on in the kernel."""
        self._listener = listener
        self._server = server
        self._threads = threads
        self._collects = gc.isenabled()
        self._on_alarm = signal.getsignal(signal.SIGALRM)

    def fork(self):
        """In the main thread, from the event loop itself. Raises Awakening in a process that is to become a kernel."""
        try:
            is_copy = apart.fork_apart(self._isolate, PROBE_S, self._threads)
        except (apart.ForkFailed, OSError) as error:
            self._refuse(str(error))
            return
        except Exception as error:
            # Code of the user's has replaced something that this needs.
            self._refuse(f"{type(error).__name__}: {error}")
            return
        if not is_copy:
            self._listener.close()
            return
        request = None
        try:
            apart.end_with(self._server)
            probe()
            request = self._serve()
        except BaseException:
            os._exit(70)
        signal.signal(signal.SIGALRM, self._on_alarm if self._on_alarm is not None else signal.SIG_DFL)
        if self._collects:
            gc.enable()
        raise Awakening(request, self._server)

    def _isolate(self):
        signal.set_wakeup_fd(-1)
        apart.isolate_descriptors({self._listener.fileno()})

    def _refuse(self, why):
        """Nobody else answers the connection that is waiting."""
        self._listener.settimeout(PROBE_S)
        try:
            connection, _ = self._listener.accept()
            connection.settimeout(PROBE_S)
            _send(connection, {"error": why})
            # Until it has been read: a connection that has ended when it is made has not been made for the other side.
            connection.recv(1)
            connection.close()
        except OSError:
            pass
        self._listener.close()

    def _serve(self):
        """Returns a request in a process that is to become a kernel; the parked one never leaves."""
        connection, _ = self._listener.accept()
        self._listener.close()
        _send(connection, {"pid": os.getpid()})
        apart.live_for(0)
        lines = connection.makefile("r", encoding="utf-8")
        for line in lines:
            request = json.loads(line)
            try:
                if "wake" in request and self._wake(connection):
                    connection.close()
                    return request["wake"]
                if "digests" in request:
                    self._digest(connection, request["digests"])
            except (apart.ForkFailed, OSError) as error:
                _send(connection, {"error": str(error)})
        os._exit(0)

    def _wake(self, connection):
        """True in the new process, which answers the request itself: it is the one that knows when it has been adopted."""
        # Also from this one: what is woken later finds open files where they were.
        if not apart.fork_apart(lambda: apart.isolate_descriptors({connection.fileno()}), PROBE_S):
            return False
        apart.end_with(self._server)
        _send(connection, {"pid": os.getpid()})
        apart.live_for(0)
        return True

    def _digest(self, connection, options):
        """In a child: what it computes may run code of the user's values."""
        child = apart.fork()
        if child == 0:
            try:
                from _omp import digests

                apart.live_for(options["limit_s"] + PROBE_S)
                _send(connection, {"names": digests.of_namespace(options["limit_s"], options["skip"])})
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:
            _send(connection, {"error": "the values could not be compared"})


def probe():
    """Hangs, and is ended by its time limit, where the fork has caught a lock that is never released in this process."""
    import logging

    bytearray(1 << 20)
    logging.getLogger("omp").isEnabledFor(logging.INFO)
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        if stream is not None and not stream.closed:
            stream.flush()
    name = "colorsys"
    is_new = name not in sys.modules
    importlib.import_module(name)
    if is_new:
        del sys.modules[name]
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "ones"):
        numpy.ones((2, 2)).dot(numpy.ones((2, 2)))


def _send(connection, message):
    connection.sendall(json.dumps(message).encode() + b"\n")

"""Whether this process can be forked now. What runs before a fork, in Python and in libraries, takes locks that other threads may hold: it would
wait for them in the main thread, for ever, and the kernel would be lost.
"""

import _imp
import contextlib
import ctypes
import os
import sys
import time

LOCK_S = 1.0
"""How long one of Python's own locks may be held by another thread."""
COMPUTING_S = 2.0
"""How long threads may go on with what they compute without the interpreter."""
SWITCH_S = 0.1
"""How long this thread can keep the interpreter meanwhile."""
LOCKS = {"logging": "_lock", "concurrent.futures.thread": "_global_shutdown_lock"}
"""What Python acquires before a fork, besides the lock of imports."""
PAUSE_HARD = 2


class ForkFailed(Exception):
    """Why there is no new process, in a clause."""


def dismiss_openmp():
    """The workers that libgomp has for this thread: it makes new ones when it needs them, and in a copy would wait for these for ever.

    False where some may remain.
    """
    # Numba's own layer ends a copy that uses it, whatever the workers do.
    are_gone = not _files("omppool")
    for path in _files("libgomp"):
        try:
            library = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
            are_gone = library.omp_pause_resource_all(PAUSE_HARD) == 0 and are_gone
        except (OSError, AttributeError):
            are_gone = False
    return are_gone


@contextlib.contextmanager
def held(threads):
    """For a fork: raises ForkFailed, or the given threads stand still. Whatever they compute without the interpreter has ended."""
    _await_locks()
    # Before a fork it ends its workers, and waits for ever when another thread is using them.
    if threads and _files("openblas"):
        with _held(threads):
            yield
    else:
        yield


def _await_locks():
    deadline = time.monotonic() + LOCK_S
    for module, name in LOCKS.items():
        lock = getattr(sys.modules.get(module), name, None)
        if lock is not None:
            if not lock.acquire(timeout=max(0, deadline - time.monotonic())):
                raise ForkFailed(f"a thread holds a lock of {module}, which a fork would wait for")
            lock.release()
    while _imp.lock_held():
        if time.monotonic() > deadline:
            raise ForkFailed("a thread holds the lock of imports, which a fork would wait for")
        time.sleep(0.001)


@contextlib.contextmanager
def _held(threads):
    states = [open(f"/proc/self/task/{thread.native_id}/stat", "rb", buffering=0) for thread in threads if thread.native_id]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(max(usual, SWITCH_S))
    try:
        deadline = time.monotonic() + COMPUTING_S
        while not _stand_still(states, usual):
            if time.monotonic() > deadline:
                names = ", ".join(thread.name for thread in threads[:3])
                raise ForkFailed(f"threads compute without a pause ({names}), which a fork could wait for")
        yield
    finally:
        sys.setswitchinterval(usual)
        for state in states:
            state.close()


def _stand_still(states, usual):
    """Returns with the interpreter in this thread's hands: nobody may ask for it until SWITCH_S is over."""
    # Whoever has waited for it in the usual way has had it then, and asks anew.
    time.sleep(min(usual, SWITCH_S) + 0.001)
    until = time.monotonic() + SWITCH_S / 2
    # Its functions, unlike those of os, keep the interpreter.
    system = ctypes.PyDLL(None)
    text = ctypes.create_string_buffer(512)
    while time.monotonic() < until:
        if not any(_runs(system, state, text) for state in states):
            return True
        system.usleep(200)
    return False


def _runs(system, state, text):
    size = system.pread(state.fileno(), text, len(text), 0)
    return size > 0 and text.raw[text.raw.rindex(b")", 0, size) + 2 :][:1] in b"RD"


def _files(name):
    """The libraries that are loaded and have this in their name."""
    with contextlib.suppress(OSError), open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        paths = {line.rstrip("\n").partition("/")[2] for line in file if name in line}
        return [f"/{path}" for path in paths if name in os.path.basename(path)]
    return []

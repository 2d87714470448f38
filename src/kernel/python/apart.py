"""A process that is nobody's child but the fork server's: what a checkpoint is parked in, and what a woken kernel runs in.

The fork server adopts orphans (it is a subreaper), so a fork of a fork whose parent ends becomes its child: code in the kernel that waits
for its children never meets it, its end is reported as every kernel's, and it ends with the server.
"""

import contextlib
import gc
import os
import signal
import sys
import time
import warnings

from _omp import still
from _omp.still import ForkFailed

ADOPTION_S = 2.0
PR_SET_PDEATHSIG = 1


def fork():
    """os.fork(), without the warning that there are threads, and with the state of random, which Python seeds anew in a child."""
    put_back = keep_random_state()
    if sys.version_info < (3, 12):
        pid = os.fork()
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pid = os.fork()
    if pid == 0:
        put_back()
    return pid


def keep_random_state():
    """Returns what puts it back."""
    generator = sys.modules.get("random")
    if generator is None:
        return lambda: None
    state = generator.getstate()
    return lambda: generator.setstate(state)


def fork_apart(prepare, limit_s, threads=()):
    """True in the new process, False here. prepare() runs in between: in a child of this process that the new one is forked from.

    @param threads of user code, which go on here.
    """
    here = os.getpid()
    try:
        with still.held(threads):
            middle = fork()
    except BaseException:
        if os.getpid() != here:
            os._exit(70)
        raise
    if middle != 0:
        _await_end(middle, limit_s)
        return False
    try:
        # A collection would write to every object, and so copy the memory that is shared.
        gc.disable()
        live_for(limit_s)
        prepare()
        if fork() != 0:
            os._exit(0)
        live_for(limit_s)
        os.setsid()
        return True
    except BaseException:
        os._exit(70)


def _await_end(pid, limit_s):
    deadline = time.monotonic() + limit_s
    pause = 0.0005
    while True:
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            # Code that waits for any child of its own has taken it.
            return
        if ended == pid:
            break
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise ForkFailed("it does not run: something in it waits for a thread that only the kernel has")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.01)
    if status != 0:
        raise ForkFailed("it does not run")


def live_for(seconds):
    """The system ends this process after so long, whatever it hangs in; 0: no longer. Children do not inherit it."""
    if seconds:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    signal.setitimer(signal.ITIMER_REAL, seconds)


def end_with(server):
    """Wait to become the server's child, and end when it does."""
    deadline = time.monotonic() + ADOPTION_S
    while os.getppid() != server:
        if time.monotonic() > deadline:
            raise ForkFailed("the fork server has not adopted it")
        time.sleep(0.0002)
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # It may have ended in between.
    if os.getppid() != server:
        os._exit(0)


def isolate_descriptors(kept):
    """What is open belongs to the kernel that goes on: nothing here may read it, move it or keep it open. Files get a position of their own."""
    null = os.open(os.devnull, os.O_RDWR)
    dead = _dead_socket()
    for number in _open_descriptors():
        if number in kept or number in (null, dead):
            continue
        with contextlib.suppress(OSError):
            _isolate(number, null, dead)
    os.close(null)
    os.close(dead)


def _isolate(number, null, dead):
    what = os.readlink(f"/proc/self/fd/{number}")
    inheritable = os.get_inheritable(number)
    if what.startswith("socket:"):
        os.dup2(dead, number, inheritable)
    elif number < 3 or what.startswith(("pipe:", "anon_inode:")):
        os.dup2(null, number, inheritable)
    elif what.startswith("/") and not what.startswith(("/dev/", "/proc/", "/memfd:")):
        _reopen(number, inheritable)


def _reopen(number, inheritable):
    import fcntl
    import stat

    if not stat.S_ISREG(os.fstat(number).st_mode):
        return
    flags = fcntl.fcntl(number, fcntl.F_GETFL) & (os.O_ACCMODE | os.O_APPEND | os.O_NONBLOCK)
    position = os.lseek(number, 0, os.SEEK_CUR)
    opened = os.open(f"/proc/self/fd/{number}", flags)
    os.lseek(opened, position, os.SEEK_SET)
    os.dup2(opened, number, inheritable)
    os.close(opened)


def _dead_socket():
    """Reads end, writes fail: as on a connection that the other side has closed."""
    import socket

    ours, theirs = socket.socketpair()
    theirs.close()
    return ours.detach()


def _open_descriptors():
    listing = os.open("/proc/self/fd", os.O_RDONLY)
    try:
        return [int(name) for name in os.listdir(listing) if int(name) != listing]
    finally:
        os.close(listing)

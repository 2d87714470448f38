"""What of a kernel a copy of its process would not have: threads, connections, child processes and what else exists only once.

Looks, and changes nothing. Each finding is a clause, such as "the thread Worker-1".
"""

import asyncio
import contextlib
import os
import socket
import sys
import threading

OUR_TASKS = ("/ipykernel/", "/tornado/", "/zmq/", "/jupyter_client/", "<omp ")
GPU_LIBRARIES = ("libcuda.so", "libamdhip64.so")
"""The drivers of CUDA and HIP, by the beginning of the file's name: libraries that could use a GPU load them when they do."""
SQLITE = b"SQLite format 3\0"
MOST_CLAUSES = 12

_known = set()
"""What was open when the kernel had just started."""


def remember():
    """To be called when the kernel is ready, and no code of the user's has run."""
    _known.clear()
    _known.update(what for _, what in _descriptors())
    _known.update(_shared_memory())


def obstacle(kernel):
    """Why no copy should be made at all; None when one can be."""
    if sys.platform != "linux":
        return "kernels can be copied only on Linux"
    if threading.current_thread() is not threading.main_thread():
        return "its cells do not run in the main thread"
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and getattr(cuda, "is_initialized", lambda: False)():
        return "torch uses the GPU, and its state there cannot be copied"
    if any(what.startswith(("/dev/nvidia", "/dev/kfd")) for _, what in _descriptors()):
        return "it uses the GPU, whose state cannot be copied"
    # Elsewhere than in /dev/nvidia*, too: WSL has its own device.
    driver = next((name for name in map(_file_name, _maps()) if name.startswith(GPU_LIBRARIES)), None)
    if driver is not None:
        return f"{driver} is loaded, and what it has on the GPU cannot be copied"
    return None


def not_copied(kernel, has_workers):
    """Clauses, most important first.

    @param has_workers whether threads with the process's own name may be those of OpenMP.
    """
    in_python = [f"the thread {thread.name}" for thread in threads(kernel)]
    found = [*in_python, *_native_threads(has_workers), *_tasks(), *_children(), *_open_things(kernel), *_shared(_shared_memory())]
    unique = list(dict.fromkeys(found))
    if len(unique) > MOST_CLAUSES:
        unique[MOST_CLAUSES - 1 :] = [f"{len(unique) - MOST_CLAUSES + 1} more things of these kinds"]
    return unique


def threads(kernel):
    """Of user code, and of libraries that are written in Python."""
    app = kernel.parent
    poller, heartbeat = getattr(app, "poller", None), getattr(app, "heartbeat", None)
    own = {threading.main_thread(), poller, heartbeat, kernel.control_thread, getattr(kernel, "shell_channel_thread", None)}
    own.add(getattr(kernel.iopub_thread, "thread", None))
    for thread in threading.enumerate():
        if thread in own or thread.name.startswith("omp-") or type(thread).__module__ in ("tqdm._monitor", "ipykernel.subshell"):
            continue
        yield thread


def _native_threads(has_workers):
    """Of libraries. OpenBLAS and Arrow prepare theirs for a fork, ZeroMQ's are made anew; others never run again in a copy."""
    in_python = {thread.native_id for thread in threading.enumerate()}
    own = _comm(os.getpid())
    names = []
    for task in os.listdir("/proc/self/task"):
        name = _comm(task)
        if int(task) in in_python or name is None or name.startswith(("ZMQbg", "jemalloc", "Arrow")):
            continue
        if name != own or has_workers:
            names.append(name)
    if names:
        listed = ", ".join(sorted(set(names))[:3])
        yield f"{len(names)} threads of libraries ({listed}): what uses them may hang"


def _comm(task):
    with contextlib.suppress(OSError), open(f"/proc/self/task/{task}/comm", encoding="utf-8", errors="replace") as file:
        return file.read().strip()
    return None


def _maps():
    with contextlib.suppress(OSError), open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        return file.readlines()
    return []


def _file_name(mapping):
    return mapping.rstrip("\n").rpartition("/")[2].removesuffix(" (deleted)")


def _tasks():
    with contextlib.suppress(RuntimeError):
        for task in asyncio.all_tasks():
            code = getattr(task.get_coro(), "cr_code", None)
            place = getattr(code, "co_filename", "")
            if not any(ours in place for ours in OUR_TASKS):
                yield f"the asyncio task {task.get_name()} ({getattr(code, 'co_name', '?')})"


def _children():
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError):
            with open(f"/proc/self/task/{task}/children", encoding="ascii") as file:
                pids = file.read().split()
            for pid in pids:
                with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
                    yield f"the child process {pid} ({file.read().strip()})"


def _open_things(kernel):
    for number, what in _descriptors():
        if what in _known:
            continue
        if what.startswith("socket:"):
            clause = _socket_clause(number, kernel.parent)
        elif what.startswith("pipe:"):
            clause = "a pipe"
        elif what.startswith("anon_inode:"):
            kind = what.partition(":")[2].strip("[]")
            clause = None if kind == "eventfd" else "a selector or event loop" if kind == "eventpoll" else f"a {kind}"
        else:
            clause = _file_clause(number, what)
        if clause is not None:
            yield clause


def _socket_clause(number, app):
    try:
        with socket.socket(fileno=os.dup(number)) as opened:
            own, family = opened.getsockname(), opened.family
            try:
                peer = opened.getpeername()
            except OSError:
                peer = None
    except OSError:
        return "a socket"
    if family == socket.AF_UNIX:
        name = own if isinstance(own, str) else ""
        # The kernel's own, also those of clients that have connected since.
        if name.startswith(f"{app.ip}-"):
            return None
        return f"a connection to {peer}" if peer else f"the socket {name}" if name else "a pair of sockets"
    if own[1] in (app.shell_port, app.iopub_port, app.control_port, app.stdin_port, app.hb_port):
        return None
    return f"an open connection to {peer[0]}:{peer[1]}" if peer else f"the socket of port {own[1]}"


def _file_clause(number, what):
    import fcntl
    import stat

    with contextlib.suppress(OSError):
        if not stat.S_ISREG(os.fstat(number).st_mode) or what.startswith(("/proc/", "/sys/", "/dev/shm/", "/memfd:")):
            return None
        with open(f"/proc/self/fd/{number}", "rb") as file:
            if file.read(len(SQLITE)) == SQLITE:
                return f"the open database {what}"
        if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
            return f"what is written to the open file {what}"
    return None


def _shared_memory():
    """Mappings that other processes see writes to: a copy shares them, too."""
    return {line.split(maxsplit=5)[-1].strip() for line in _maps() if " rw-s " in line}


def _shared(found):
    for name in sorted(found - _known):
        yield f"the shared memory {name}, which every copy writes to"


def _descriptors():
    listing = os.open("/proc/self/fd", os.O_RDONLY)
    try:
        for name in os.listdir(listing):
            if int(name) > 2 and int(name) != listing:
                with contextlib.suppress(OSError):
                    # A file of the kernel's own may have been removed with the directory of the kernel that this is a copy of.
                    yield int(name), os.readlink(f"/proc/self/fd/{name}").removesuffix(" (deleted)")
    finally:
        os.close(listing)

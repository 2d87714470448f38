"""Puts our streams in the place of ipykernel's, where the installed ipykernel has all that they need, and nothing halfway."""

import contextlib
import contextvars
import functools
import os
import sys

from _omp.descriptors import DescriptorTap
from _omp.outlet import Outlet
from _omp.streams import ChildStream, FastStream, OutStream, write_for

NEEDED = {
    "kernel": ("iopub_thread", "post_handler_hook", "session", "shell"),
    "iopub_thread": ("_events", "_really_send", "io_loop", "schedule", "send_multipart", "socket", "thread"),
    "stream": ("echo", "name", "parent_header", "topic", "_should_watch"),
    "watched stream": ("_fid", "_original_stdstream_copy", "watch_fd_thread"),
}
"""What of ipykernel is replaced or relied on below: there from 6.17 to 7.4 at least, and promised by none."""


def install(kernel):
    """Make sys.stdout and sys.stderr fast. Returns why not, with all as it was, or None when done."""
    streams = [sys.stdout, sys.stderr]
    if any(isinstance(stream, FastStream) for stream in streams):
        return None
    problem = _obstacle(kernel, streams)
    if problem is not None:
        return problem
    outlet = Outlet(kernel)
    for stream in streams:
        stream.flush()
    try:
        outlet.take_over()
        for stream in streams:
            _quicken(stream, outlet)
    except Exception:
        # Half-replaced streams lose all that is printed.
        _give_back(outlet, streams)
        raise
    os.register_at_fork(after_in_child=lambda: _after_fork(outlet, streams))
    _follow_cells(kernel.shell, streams)
    _deliver_before_idle(kernel, outlet, streams)
    # IPython 9 copies all printed text into memory that it never frees, through a slow write method.
    kernel.shell._tee = lambda channel: contextlib.nullcontext()
    # The wait before each reply was there to let the flush get through; order no longer depends on it.
    kernel._execute_sleep = 0
    return None


def _obstacle(kernel, streams):
    """Why the streams cannot be replaced in this kernel. Looked for before anything is touched."""
    for stream in streams:
        if type(stream) is not OutStream:
            return f"sys.stdout or sys.stderr is a {type(stream).__name__}"
    return (
        _lack("kernel", kernel)
        or _lack("iopub_thread", kernel.iopub_thread)
        or next(filter(None, (_stream_obstacle(stream) for stream in streams)), None)
    )


def _stream_obstacle(stream):
    lack = _lack("stream", stream) or (_lack("watched stream", stream) if stream._should_watch else None)
    if lack is None and stream.echo is not None:
        return "the kernel echoes its output"
    return lack


def _lack(kind, thing):
    for name in NEEDED[kind]:
        if not hasattr(thing, name):
            return f"this ipykernel has no {type(thing).__name__}.{name}"
    return None


def _quicken(stream, outlet):
    if not hasattr(stream, "_parent_header"):
        # Before ipykernel 6.29 there is one parent header for all, in a plain attribute: this variable is never set.
        stream._parent_header = contextvars.ContextVar("parent_header")
    if stream._should_watch and not hasattr(stream, "_original_stdstream_fd"):
        # Before 6.20 the number of the descriptor is not kept.
        stream._original_stdstream_fd = {"stdout": 1, "stderr": 2}[stream.name]
    stream._omp_outlet = outlet
    stream._omp_bytes = None
    stream._omp_line = ""
    stream._omp_tap = None
    stream._omp_write = write_for(stream, outlet)
    stream.__class__ = FastStream
    stream.write = stream._omp_write
    if stream._should_watch:
        stream._omp_tap = DescriptorTap(stream, outlet)


def _follow_cells(shell, streams):
    """ipykernel tells only what sys.stdout and sys.stderr are which cell runs. Code may have put something else there."""
    # In a woken kernel the shell has one already, with the streams of the kernel that it is a copy of.
    set_parent = getattr(shell.set_parent, "__wrapped__", shell.set_parent)

    @functools.wraps(set_parent)
    def set_parent_of_all(parent):
        set_parent(parent)
        for stream in streams:
            if stream is not sys.stdout and stream is not sys.stderr:
                stream.set_parent(parent)

    shell.set_parent = set_parent_of_all


def _deliver_before_idle(kernel, outlet, streams):
    """ipykernel flushes only those, too."""
    end_request = kernel.post_handler_hook

    def post_handler_hook():
        end_request()
        for original in (sys.__stdout__, sys.__stderr__):
            # What is printed there goes through the captured descriptors; None, closed or replaced is possible, too.
            with contextlib.suppress(Exception):
                original.flush()
        for stream in streams:
            if isinstance(stream, FastStream) and stream._omp_tap is not None:
                stream._omp_tap.settle()
        if outlet.pending:
            outlet.hand_over()

    kernel.post_handler_hook = post_handler_hook


def _give_back(outlet, streams):
    outlet.give_back()
    for stream in streams:
        if isinstance(stream, FastStream):
            stream._omp_become(OutStream)


def _after_fork(outlet, streams):
    """In the child: forget the parent's unsent text (the parent sends it) and write where the parent reads."""
    outlet.pending.clear()
    outlet.give_back()
    for stream in streams:
        # Begun by a child that forks again: it prints it.
        stream._omp_line = ""
        if isinstance(stream, FastStream):
            stream._omp_become(OutStream if stream._omp_tap is None else ChildStream)

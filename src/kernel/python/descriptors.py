"""Output that bypasses sys.stdout: child processes and C code writing to descriptors 1 and 2.

ipykernel puts a pipe under each descriptor and reads it in a thread, 1000 bytes at a time, cutting characters in two.
A tap takes that pipe over with larger reads and a decoder that keeps cut characters, and knows whether something is
still in the pipe, so that output which was written before the end of a cell is published before it.
"""

import contextlib
import fcntl
import os
import select
import struct
import sys
import termios
import threading
import time

from _omp import raw

READ_BYTES = 1 << 16
PIPE_BYTES = 1 << 20
ECHO_BYTES = 1 << 18
"""How much goes to the kernel's own log as well, as stock does without a limit."""

LINE_END_S = 0.02
"""How long output of child processes waits for the end of a line that the kernel has started."""

_F_SETPIPE_SZ = 1031
"""Python names it since 3.10."""

_NO_BYTES = struct.pack("i", 0)


class DescriptorTap:
    """Reads the pipe under one standard descriptor and writes its content to the stream."""

    def __init__(self, stream, outlet):
        self._stream = stream
        self._outlet = outlet
        self._pipe = stream._fid
        self._busy = False
        self._echo_left = ECHO_BYTES
        self._decoder = raw.decoder()
        _stop_stock_thread(stream)
        if sys.platform == "linux":
            # A C extension that prints while it holds the interpreter lock would wait for ever once the pipe is full.
            with contextlib.suppress(OSError):
                fcntl.fcntl(self._pipe, _F_SETPIPE_SZ, PIPE_BYTES)
        thread = threading.Thread(target=self._watch, name=f"omp-{stream.name}", daemon=True)
        stream.watch_fd_thread = thread
        thread.start()

    def _watch(self):
        stream, pipe = self._stream, self._pipe
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        while True:
            try:
                poll.poll()
                # Set while the bytes are still in the pipe, so that is_empty() never sees neither.
                self._busy = True
                data = os.read(pipe, READ_BYTES)
                if not data or not stream._should_watch:
                    return
                self._let_line_end()
                # The newest cell's, as in stock; ipykernel 6 would give this thread the cell that started it.
                self._outlet.add_bytes(stream, _newest_parent(stream), self._decoder, data)
                self._echo(data)
            except (OSError, ValueError):
                return
            finally:
                self._busy = False

    def _let_line_end(self):
        """print() writes a line and its end in two steps: what a child writes meanwhile does not go between them."""
        pending = self._outlet.pending
        deadline = time.monotonic() + LINE_END_S
        # A copy: the I/O thread may empty the list at any moment.
        while (last := pending[-3:]) and last[0] is self._stream and not last[2].endswith("\n"):
            if time.monotonic() > deadline:
                return
            time.sleep(0.0005)

    def _echo(self, data):
        if self._echo_left > 0:
            self._echo_left -= len(data)
            os.write(self._stream._original_stdstream_copy, data)

    def is_empty(self):
        if self._busy:
            return False
        try:
            return fcntl.ioctl(self._pipe, termios.FIONREAD, _NO_BYTES) == _NO_BYTES and not self._busy
        except OSError:
            return True

    def settle(self, timeout_s=0.25):
        """Wait until what is in the pipe has reached the stream; not for ever, as something may write without pause."""
        if self.is_empty() or threading.current_thread() is self._stream.watch_fd_thread:
            return
        deadline = time.monotonic() + timeout_s
        while not self.is_empty() and time.monotonic() < deadline:
            time.sleep(0.0005)


def _newest_parent(stream):
    """Before ipykernel 6.29 there is only one parent header, and it is the newest."""
    return getattr(stream, "_parent_header_global", None) or stream.parent_header


def _stop_stock_thread(stream):
    stream._should_watch = False
    os.write(stream._original_stdstream_fd, b"\0")
    stream.watch_fd_thread.join()
    stream._should_watch = True

"""sys.stdout and sys.stderr of the kernel: ipykernel's own objects, given faster methods.

The objects stay the same ones, only their class changes, so anything that kept a reference (logging handlers, the kernel,
ipykernel's thread bookkeeping) gets the fast ones, and the parent header rules of the installed ipykernel still hold.
"""

import io
import os
import sys

try:
    from ipykernel.iostream import OutStream
except ImportError:
    # Another kernel, with other streams.
    OutStream = io.TextIOBase

from _omp import raw
from _omp.outlet import CHUNK, MAX_WRITES, SMALL

FLUSH_TIMEOUT_S = 10.0
# Linux keeps what several processes write to one pipe whole up to here (PIPE_BUF).
WHOLE_LINE = 4096


class FastStream(OutStream):
    """A text stream that appends to the outlet."""

    errors = "backslashreplace"
    mode = "w"

    def __setattr__(self, name, value):
        # The cell that installs this stream runs inside IPython's copying of output, which at its end puts the
        # method back that it found.
        if name == "write" and getattr(value, "__func__", None) is OutStream.write:
            value = self._omp_write
        super().__setattr__(name, value)

    def write(self, text):
        """Usually hidden by the same function in the object itself, which is quicker; used once that is deleted."""
        return self._omp_write(text)

    def fileno(self):
        """The descriptor under which ipykernel captures output: what a child process writes there is seen."""
        if self._omp_tap is not None:
            return self._original_stdstream_fd
        return super().fileno()

    @property
    def buffer(self):
        if self._omp_bytes is None:
            self._omp_bytes = ByteStream(self)
        return self._omp_bytes

    def reconfigure(self, **_options):
        """Accepted and without effect: the encoding and the buffering of a kernel's stream are fixed."""

    def flush(self):
        outlet = self._omp_outlet
        if self._omp_tap is not None:
            self._omp_tap.settle()
        if not outlet.pending and not outlet.draining:
            return
        outlet.hand_over()
        # ipykernel flushes before it publishes, and order is kept without waiting. A flush in a cell is meant to get the
        # text out of the process, for example because the next line may crash it.
        caller = sys._getframe(1).f_globals.get("__name__") or ""
        if not caller.startswith("ipykernel.") and outlet.may_wait():
            outlet.wait_until_sent(FLUSH_TIMEOUT_S)

    def _flush(self):
        self._omp_outlet.hand_over()

    def close(self):
        self.flush()
        self._omp_become(OutStream)
        self.close()

    def _omp_become(self, stream_class):
        self.__dict__.pop("write", None)
        self.__class__ = stream_class


class ChildStream(OutStream):
    """What a stream becomes in a forked child: whole lines to the captured descriptor, read by the parent."""

    buffer = FastStream.buffer

    def fileno(self):
        return self._original_stdstream_fd

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._omp_line += text
        # print() writes a line and its end one after the other: another process may write in between.
        if "\n" in text or len(self._omp_line) > WHOLE_LINE:
            self.flush()
        return len(text)

    def write_bytes(self, data):
        self.flush()
        self._write_out(data)

    def flush(self):
        data = self._omp_line.encode("utf-8", "backslashreplace")
        self._omp_line = ""
        self._write_out(data)

    def _write_out(self, data):
        while data:
            data = data[os.write(self._original_stdstream_fd, data) :]

    _flush = flush

    def _schedule_flush(self):
        self.flush()

    def close(self):
        self.flush()


class ByteStream(io.BufferedIOBase):
    """sys.stdout.buffer: bytes in, text out where they are text. Characters may be cut between two writes."""

    def __init__(self, stream):
        super().__init__()
        self._stream = stream
        self._decoder = raw.decoder()

    def writable(self):
        return True

    def write(self, data):
        stream, data = self._stream, memoryview(data).cast("B")
        if isinstance(stream, FastStream):
            parent = stream._parent_header.get(None) or stream.parent_header
            for start in range(0, len(data), CHUNK):
                stream._omp_outlet.add_bytes(stream, parent, self._decoder, data[start : start + CHUNK])
        elif isinstance(stream, ChildStream):
            stream.write_bytes(data)
        else:
            stream.write(str(data, "utf-8", "replace"))
        return len(data)

    def flush(self):
        if not self.closed:
            self._stream.flush()

    def close(self):
        """Stays open: a text wrapper around it closes it when it is dropped, and the kernel's stream lives on."""
        self.flush()

    def fileno(self):
        return self._stream.fileno()

    def isatty(self):
        return False


def write_for(stream, outlet):
    """The stream's write as a closure: two million calls in a loop of a million prints."""
    pending = outlet.pending
    extend = pending.extend
    current_parent = stream._parent_header.get
    many = 3 * MAX_WRITES

    def write(text):
        if text.__class__ is not str:
            text = _exact_str(text)
        length = len(text)
        if length > CHUNK:
            for start in range(0, length, CHUNK):
                write(text[start : start + CHUNK])
            return length
        extend((stream, current_parent(None) or stream.parent_header, text))
        if not outlet.armed or length > SMALL or len(pending) > many:
            outlet.attend(length)
        return length

    return write


def _exact_str(text):
    if not isinstance(text, str):
        raise TypeError(f"write() argument must be str, not {type(text).__name__}")
    return str.__str__(text)

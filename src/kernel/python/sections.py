"""The file that variables are kept in, as it is written: one section after the other, each with its digest, within limits of size and time."""

import contextlib
import hashlib
import time

from _omp import values

SLICE = 4 << 20
STEPS = 4096
"""How many objects are pickled between two looks at the clock."""


class Refused(Exception):
    """A limit: the text is a clause about the value."""


class Output:
    def __init__(self, file, value_bytes, total_bytes, seconds):
        self.end = 0
        self._file = file
        self._value_bytes = value_bytes
        self._total_bytes = total_bytes
        self._deadline = time.monotonic() + seconds
        self._limit = f"the {seconds:g} seconds for it were over"
        self._steps = 0
        self._is_over = None

    def refusal(self, size):
        """Why something of about this size need not be tried; None when it may fit."""
        if self._is_over is not None:
            return self._is_over
        if size > self._value_bytes:
            return self._too_large()
        return self._no_room() if self.end + size > self._total_bytes else None

    def step(self):
        self._steps += 1
        if self._steps % STEPS == 0:
            self._look_at_clock()

    def why_not(self, error):
        if isinstance(error, KeyboardInterrupt):
            self._is_over = "it was interrupted"
            return self._is_over
        if isinstance(error, OSError) and error.errno is not None:
            self._is_over = f"it could not be written: {error.strerror}"
            return self._is_over
        return str(error) if isinstance(error, Refused) else values.why_not(error)

    @contextlib.contextmanager
    def section(self):
        """Bytes that belong together. Without success, nothing of it is left."""
        self._look_at_clock()
        section = Section(self, self.end)
        try:
            yield section
            section.write_buffers()
        except BaseException:
            self._file.seek(section.at)
            self._file.truncate()
            self.end = section.at
            raise

    def write(self, section, data):
        self._look_at_clock()
        if self.end + len(data) - section.at > self._value_bytes:
            raise Refused(self._too_large())
        if self.end + len(data) > self._total_bytes:
            raise Refused(self._no_room())
        section.digest.update(data)
        while len(data) > 0:
            written = self._file.write(data)
            self.end += written
            data = data[written:]

    def _look_at_clock(self):
        if self._is_over is None and time.monotonic() > self._deadline:
            self._is_over = self._limit
        if self._is_over is not None:
            raise Refused(self._is_over)

    def _too_large(self):
        return f"it is larger than {self._value_bytes / 1e6:g} MB"

    def _no_room(self):
        return f"there was no room for it in {self._total_bytes / 1e6:g} MB"


class Section:
    def __init__(self, output, at):
        self.at = at
        self.digest = hashlib.sha256()
        self._output = output
        self._buffers = []
        self._sizes = []

    def write(self, data):
        """Called by the pickler."""
        view = memoryview(data).cast("B")
        for start in range(0, len(view), SLICE):
            self._output.write(self, view[start : start + SLICE])
        return len(view)

    def add_buffer(self, buffer):
        self._buffers.append(buffer)

    def write_buffers(self):
        if self._sizes:
            return
        self._sizes.append(self._output.end - self.at)
        for buffer in self._buffers:
            before = self._output.end
            self.write(buffer.raw())
            self._sizes.append(self._output.end - before)

    def copy(self, sizes, read):
        """Takes over a section of another file, as it is. read: (start, size) -> bytes."""
        total = sum(sizes)
        for start in range(0, total, SLICE):
            self._output.write(self, memoryview(read(start, min(SLICE, total - start))))
        self._sizes = list(sizes)

    def place(self):
        return {"at": self.at, "sizes": self._sizes, "sha256": self.digest.hexdigest()}

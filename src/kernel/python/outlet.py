"""The one way out of the kernel for everything on iopub: pending text, back-pressure, nothing dropped.

Stock ipykernel keeps a buffer per stream and makes every flush wait for its I/O thread. Here both streams append to
one list, so their order is kept, and the I/O thread takes from it: when a timer fires, when something else is about
to be published, or when much is waiting. Only the I/O thread touches the socket, because a KeyboardInterrupt in the
middle of a multipart send would break the socket for good; signals are never raised in that thread.

No lock is taken by a thread that runs user code: a signal handler may print in the middle of anything here, and waits for
the I/O thread when it flushes.

Order needs no waiting: text is handed to the I/O thread through the same queue as displays, results, errors and
status messages. A hand-over says up to where the text goes, so that later text cannot overtake what is queued between.
"""

import atexit
import collections
import contextlib
import contextvars
import functools
import os
import sys
import threading
import time

from _omp.patient_socket import PatientSocket
from _omp.raw import RawPiece, decode

FLUSH_DELAY_S = 0.03
"""Longest time that printed text waits while the main thread is busy."""

CHUNK = 1 << 18
"""Longest text of one stream message, in characters: both sides work at once, and a client that does not read costs at most
a thousand of them, which is what libzmq keeps for it."""

SMALL = 1024
"""Writes up to this length are counted, longer ones are measured."""

MAX_WRITES = 2_048
"""Each is a message of its own where the two streams take turns, and an interrupt waits until all have been read: behind a
gateway a millisecond each. For one stream alone a higher limit makes nothing faster, a lower one does make it slower."""

MAX_CHARACTERS = 4 << 20
MAX_QUEUED_MESSAGES = 1000
LARGE_MESSAGE_BYTES = 1 << 16
"""Beyond these a thread that writes or publishes waits for the I/O thread."""


class Outlet:
    """Owns the text not yet sent and the I/O thread's queue."""

    def __init__(self, kernel):
        pub_thread = kernel.iopub_thread
        self.session = kernel.session
        self.pub_thread = pub_thread
        self.pid = os.getpid()
        # Flat triples stream, parent, text. Flat because extend() of three is atomic and, unlike a million small
        # tuples, costs the garbage collector nothing.
        self.pending = []
        self.armed = False
        self.draining = False
        self.long_text = 0
        self._taken = 0
        self._taking = 0
        self._waiters = collections.deque()
        self._drain_lock = threading.RLock()
        self._events = pub_thread._events
        self._waking = False
        self._timer = None
        self._loop = pub_thread.io_loop.asyncio_loop
        self._context = contextvars.Context()
        self._socket = PatientSocket(pub_thread, self._log)
        self._log_descriptor = getattr(sys.stderr, "_original_stdstream_copy", 2)
        waiting_forbidden = (pub_thread.thread, kernel.control_thread, getattr(kernel, "shell_channel_thread", None))
        self._never_waits = {thread.ident for thread in waiting_forbidden if thread is not None}

    def take_over(self):
        """Route all that ipykernel publishes through this outlet."""
        thread = self.pub_thread
        thread.schedule = self.schedule
        thread.send_multipart = self.send_multipart
        thread._really_send = self.send_now
        self.schedule(self._socket.configure)
        atexit.register(self.finish)

    def give_back(self):
        """Undo take_over: what a forked child needs, where the I/O thread does not exist."""
        for name in ("schedule", "send_multipart", "_really_send"):
            self.pub_thread.__dict__.pop(name, None)

    # -- the queue of the I/O thread ------------------------------------------------------------------------------

    def schedule(self, function):
        """Run function in the I/O thread, after all that was scheduled before; here and now if that thread ended."""
        if not self._io_thread_runs():
            function()
            return
        self._events.append(function)
        if self._waking:
            return
        try:
            self._waking = True
            self._loop.call_soon_threadsafe(self._run_events, context=self._context)
        except BaseException:
            # Interrupted, perhaps before the wake-up: let the next one, at the latest the error or idle message, do it again.
            self._waking = False
            if not self._loop.is_closed():
                raise
            self._run_events()

    def _run_events(self):
        self._waking = False
        events = self._events
        for _ in range(len(events)):
            try:
                function = events.popleft()
            except IndexError:
                return
            try:
                function()
            except Exception as error:
                self._log(f"output lost: {error!r}")

    def _log(self, line):
        # Not to descriptor 2: that is a pipe back into this outlet.
        with contextlib.suppress(OSError):
            os.write(self._log_descriptor, f"omp: {line}\n".encode())

    def _io_thread_runs(self):
        # Thread.is_alive() must not be asked while it runs: a KeyboardInterrupt inside it makes CPython before 3.13 believe
        # that the thread has ended, and then two threads would use one socket.
        # Before ipykernel 6.25.2 nothing says that it was stopped; its loop is closed then, which schedule() notices.
        return not getattr(self.pub_thread, "_stopped", False) or self.pub_thread.thread.is_alive()

    def may_wait(self):
        return threading.get_ident() not in self._never_waits and self._io_thread_runs()

    # -- text -----------------------------------------------------------------------------------------------------

    def add(self, stream, parent, text):
        """What a stream's write does, for text that is not the calling thread's own."""
        self.pending.extend((stream, parent, text))
        self.attend(len(text))

    def add_bytes(self, stream, parent, decoder, data):
        """The same for bytes that are mostly text."""
        source, text = decode(stream, decoder, data)
        if text:
            self.add(source, parent, text)

    def attend(self, length):
        """Called by a write that is long, one of many, or the first since the last drain."""
        if length > SMALL:
            self.long_text += length
        if not self.armed:
            self.armed = True
            self.schedule(self._arm)
        while self._is_full():
            self.hand_over()
            if not self.may_wait():
                return
            self._wait_for_room()

    def _is_full(self):
        return len(self.pending) > 3 * MAX_WRITES or self.long_text > MAX_CHARACTERS

    def _wait_for_room(self):
        waiter = threading.Lock()
        waiter.acquire()
        self._waiters.append(waiter)
        # Looked at again, as the text may have been taken before the waiter was in its place.
        if self._is_full():
            waiter.acquire(timeout=1.0)

    def _arm(self):
        # One timer: an older one, made for text that has gone since, would cut this text in two.
        self._disarm()
        self._timer = self._loop.call_later(FLUSH_DELAY_S, self.hand_over)

    def _disarm(self):
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def hand_over(self):
        """Queue the text written so far for publishing, after all that was queued before."""
        while True:
            taking = self._taking
            end = self._taken + len(self.pending)
            if taking % 2 == 0 and taking == self._taking:
                break
            # The I/O thread is between the two steps of taking text; let it finish.
            time.sleep(0)
        self.schedule(functools.partial(self._drain, end))

    def _drain(self, end):
        """Publish pending text up to a position. In the I/O thread, unless that has ended."""
        with self._drain_lock:
            self.draining = True
            try:
                self._publish(self._take(end))
            finally:
                self.draining = False

    def _take(self, end):
        # Cleared before the text is taken: a later write must see that no drain is on its way.
        self.armed = False
        self.long_text = 0
        pending = self.pending
        count = max(0, min(len(pending), end - self._taken))
        taken = pending[:count]
        self._taking += 1
        del pending[:count]
        self._taken += count
        self._taking += 1
        self._disarm()
        if pending:
            # Written while this hand-over was in the queue.
            self.armed = True
            self._arm()
        while self._waiters:
            self._waiters.popleft().release()
        return taken

    def _publish(self, triples):
        for stream, parent, texts in _runs(triples):
            text = "".join(texts)
            for start in range(0, len(text), CHUNK):
                self._publish_text(stream, parent, text[start : start + CHUNK])

    def _publish_text(self, stream, parent, text):
        for readable in (text, None):
            if readable is None:
                # Lone surrogates have no UTF-8 form; show them as escapes instead of losing the whole text.
                readable = text.encode("utf-8", "backslashreplace").decode("utf-8")
            metadata = stream.metadata if stream.__class__ is RawPiece else None
            content = {"name": stream.name, "text": readable}
            message = self.session.msg("stream", content, parent=parent, metadata=metadata)
            try:
                frames = self.session.serialize(message, ident=stream.topic)
            except (UnicodeError, ValueError):
                continue
            self.send_now(frames)
            return

    def wait_until_sent(self, timeout_s):
        """Wait until all that was queued so far has been given to libzmq."""
        sent = threading.Lock()
        sent.acquire()
        self.schedule(sent.release)
        # A signal handler that waits here may have interrupted the very call that was about to wake the I/O thread.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._run_events, context=self._context)
        return sent.acquire(timeout=timeout_s)

    # -- messages -------------------------------------------------------------------------------------------------

    def send_multipart(self, frames, *args, **kwargs):
        """What sessions call to publish; waits when the message is large or the I/O thread is far behind."""
        self.schedule(functools.partial(self.send_now, frames, *args, **kwargs))
        is_large = sum(map(len, frames)) > LARGE_MESSAGE_BYTES
        if (is_large or len(self._events) > MAX_QUEUED_MESSAGES) and self.may_wait():
            while not self.wait_until_sent(1.0) and self._io_thread_runs():
                continue

    def send_now(self, frames, flags=0, copy=True, track=False, **_ignored):
        """What the I/O thread does with a message."""
        self._socket.send(frames, copy)

    def finish(self):
        """At exit: send what is left, and give up on clients that do not read."""
        if os.getpid() != self.pid:
            return
        self.hand_over()
        if self.may_wait():
            self.wait_until_sent(1.0)
        self._socket.give_up()


def _runs(triples):
    """Neighbours with the same stream and parent, joined: (stream, parent, texts)."""
    streams, parents, texts = triples[0::3], triples[1::3], triples[2::3]
    count = len(texts)
    start = 0
    while start < count:
        stream, parent = streams[start], parents[start]
        if start == 0 and streams.count(stream) == count and parents.count(parent) == count:
            end = count
        else:
            end = start + 1
            while end < count and streams[end] is stream and parents[end] is parent:
                end += 1
        yield stream, parent, texts[start:end]
        start = end

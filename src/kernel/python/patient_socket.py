"""The kernel's iopub socket, made to wait for slow clients instead of dropping what they have not read.

A publishing socket drops messages for a client whose queue is full. With XPUB_NODROP it refuses them instead, and the
I/O thread waits. That has two limits: a client that is gone frees its queue, and one that does not read for a minute loses
messages, so that a suspended second client cannot hold up the kernel for ever. Only the I/O thread uses this.
"""

import contextlib
import time

with contextlib.suppress(ImportError):
    # Not there in a kernel that is not ipykernel, and whose socket this is not.
    import zmq

PATIENCE_S = 60.0
"""How long a client may not read before it, and only it, loses messages."""

_TRY_MS = 200


class PatientSocket:
    """Sends multipart messages to all clients or, after much patience, to those that read."""

    def __init__(self, pub_thread, log):
        self._pub_thread = pub_thread
        self._log = log
        self._patience_s = PATIENCE_S
        self._has_given_up = False

    def configure(self):
        socket = self._pub_thread.socket
        if hasattr(socket, "setsockopt"):
            # The high-water mark stays. libzmq tells a sender only at every 500th message what was read, so under a lower
            # mark all that was published before could look unread for ever.
            socket.setsockopt(zmq.XPUB_NODROP, 1)

    def give_up(self):
        """From now on wait for no client: the kernel is ending."""
        self._has_given_up = True

    def send(self, frames, copy):
        socket = self._pub_thread.socket
        if socket is None:
            return
        try:
            try:
                socket.send_multipart(frames, flags=zmq.NOBLOCK, copy=copy)
                self._patience_s = PATIENCE_S
            except zmq.Again:
                self._send_patiently(socket, frames, copy)
        except zmq.ZMQError as error:
            # Closed meanwhile: the kernel is ending.
            if error.errno not in (zmq.ENOTSOCK, zmq.ETERM):
                raise

    def _send_patiently(self, socket, frames, copy):
        deadline = time.monotonic() + self._patience_s
        socket.setsockopt(zmq.SNDTIMEO, _TRY_MS)
        try:
            while time.monotonic() < deadline and not self._has_given_up:
                try:
                    # libzmq counts whole messages, so one that is refused is refused at its first frame.
                    socket.send_multipart(frames, copy=copy)
                    return
                except zmq.Again:
                    continue
            if self._patience_s:
                self._log("a client stopped reading and loses output")
            # None at all until a message fits again.
            self._patience_s = 0.0
            socket.setsockopt(zmq.XPUB_NODROP, 0)
            try:
                socket.send_multipart(frames, flags=zmq.NOBLOCK, copy=copy)
            finally:
                socket.setsockopt(zmq.XPUB_NODROP, 1)
        finally:
            socket.setsockopt(zmq.SNDTIMEO, -1)

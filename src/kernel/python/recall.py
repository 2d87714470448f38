"""What the kernel published recently, for a client behind a gateway whose connection broke.

A gateway replays what arrived while no client was connected, but not what it had already written to a connection that it did not know to
be dead. So the kernel remembers the newest messages itself, and gives those after a certain one to the client that asks. It
asks on the control channel, which answers while a cell runs, and the answer goes to that client alone.
"""

import collections
import json

MAX_BYTES = 16 << 20
"""Of the messages that are remembered: more than passes while a dead connection goes unnoticed."""

MAX_MESSAGES = 20_000
MAX_REQUESTS = 100
REQUEST = "omp_recall_request"
REPLY = "omp_recall_reply"


class Recall:
    """Wraps the end of the outlet, which everything on iopub passes, and do_execute."""

    def __init__(self, kernel, outlet):
        self._kernel = kernel
        self._sent = collections.deque()
        self._bytes = 0
        self._forgot = False
        self._reply = None
        self._begun = collections.deque(maxlen=MAX_REQUESTS)
        self._do_execute = kernel.do_execute
        self._send_now = outlet.send_now
        outlet.send_now = outlet.pub_thread._really_send = self.send_now
        kernel.do_execute = self.do_execute
        kernel.control_handlers[REQUEST] = self.answer

    def send_now(self, frames, *args, **kwargs):
        self._send_now(frames, *args, **kwargs)
        size = sum(map(len, frames))
        self._sent.append((size, frames))
        self._bytes += size
        while self._bytes > MAX_BYTES or len(self._sent) > MAX_MESSAGES:
            self._bytes -= self._sent.popleft()[0]
            self._forgot = True

    async def do_execute(self, *args, **kwargs):
        request = self._kernel.get_parent("shell").get("header", {}).get("msg_id")
        self._begun.append(request)
        content = await self._do_execute(*args, **kwargs)
        self._reply = (request, content)
        return content

    async def answer(self, stream, ident, parent):
        """All messages after the one that the client saw last, oldest first, or all that are remembered."""
        after = parent["content"].get("after")
        messages = []
        is_complete = False
        # Newest first, so that only what was missed is parsed. The I/O thread may append meanwhile, so this is a copy.
        for _, frames in reversed(self._sent.copy()):
            header, *parts = _parts(frames)
            header = json.loads(header)
            if header["msg_id"] == after:
                is_complete = True
                break
            # Messages with buffers are for widgets, which no cell's output needs.
            if len(parts) == 3:
                parent_header, metadata, content = map(json.loads, parts)
                messages.append(
                    {"header": header, "parent_header": parent_header, "metadata": metadata, "content": content}
                )
        messages.reverse()
        request, reply = self._reply or (None, None)
        content = {
            "status": "ok",
            "messages": messages,
            "complete": is_complete or not self._forgot,
            "reply": reply,
            "request": request,
            "begun": list(self._begun),
        }
        self._kernel.session.send(stream, REPLY, content, parent, ident=ident)


def _parts(frames):
    """Header, parent header, metadata, content, and buffers: what follows the delimiter and the signature."""
    delimiter = next(index for index, frame in enumerate(frames) if bytes(frame) == b"<IDS|MSG>")
    return [bytes(frame) for frame in frames[delimiter + 2 :]]


def install(kernel):
    """Needs our streams: stock ipykernel has no single way out. Returns why not, or None when done."""
    import sys

    outlet = getattr(sys.stdout, "_omp_outlet", None)
    if outlet is None:
        return "the output streams are the stock ones"
    if REQUEST not in kernel.control_handlers:
        Recall(kernel, outlet)
    return None

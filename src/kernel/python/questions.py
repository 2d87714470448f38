"""Questions of a cell to omp, answered while the cell waits for the answer.

A question is a message of our own type on iopub, with the cell as its parent. The answer comes on the control channel, whose thread runs
while a cell does: on shell it would wait for the cell that waits for it. Only a cell whose request says that somebody answers asks.
"""

import os
import threading
import uuid

QUESTION = "omp_question"
ANSWER = "omp_answer"
WAIT_S = 30.0
"""A connection through a gateway may have to be made again first."""


class Questions:
    def __init__(self, kernel):
        self._kernel = kernel
        self._owner = os.getpid()
        self._waiting = {}
        kernel.control_handlers[ANSWER] = self._take

    def ask(self, about, **content):
        """The answer, a dict; None where nobody answers questions. TimeoutError when nobody does in time."""
        # A child of the kernel has its sockets, but not the threads that serve them.
        if os.getpid() != self._owner or threading.current_thread().name == "Control":
            return None
        parent = self._kernel.get_parent("shell") or {}
        if not (parent.get("metadata") or {}).get("omp_answers"):
            return None
        number = uuid.uuid4().hex
        waiting = self._waiting[number] = _Waiting()
        try:
            self._kernel.session.send(
                self._kernel.iopub_socket,
                QUESTION,
                content={"id": number, "about": about, **content},
                parent=parent,
                ident=QUESTION.encode(),
            )
            if not waiting.answered.wait(WAIT_S):
                raise TimeoutError("omp did not answer in time")
            return waiting.answer
        finally:
            del self._waiting[number]

    def _take(self, _stream, _ident, parent):
        content = parent["content"]
        waiting = self._waiting.get(content.get("id"))
        if waiting is not None:
            waiting.answer = content
            waiting.answered.set()


class _Waiting:
    def __init__(self):
        self.answered = threading.Event()
        self.answer = None


def install(kernel):
    return Questions(kernel)

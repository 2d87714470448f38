"""Questions of a cell to omp, answered while the cell waits for the answer.

A question is a message of our own type on iopub, with the cell as its parent. The answer comes on the control channel, whose thread runs
while a cell does: on shell it would wait for the cell that waits for it. Only a cell whose request says that somebody answers asks.
What takes long is followed by signs of life on the same channel, so that a cell does not wait for an omp that is gone.
"""

import asyncio
import contextlib
import os
import threading
import uuid

QUESTION = "omp_question"
ANSWER = "omp_answer"
WITHDRAWN = "withdrawn"
WAIT_S = 30.0
"""A connection through a gateway may have to be made again first."""


class Questions:
    def __init__(self, kernel):
        self._kernel = kernel
        self._owner = os.getpid()
        self._open = {}
        kernel.control_handlers[ANSWER] = self._take

    def ask(self, about, **content):
        """The answer, a dict; None where nobody answers questions. TimeoutError when nobody does in time."""
        question = self.new()
        return None if question is None else question.ask(about, content)

    def new(self):
        """A question that has not been asked yet; None where nobody answers."""
        # A child of the kernel has its sockets, but not the threads that serve them.
        if os.getpid() != self._owner or threading.current_thread().name == "Control":
            return None
        parent = self._kernel.get_parent("shell") or {}
        if not (parent.get("metadata") or {}).get("omp_answers"):
            return None
        return Question(self, parent)

    def open(self, question, about, content):
        self._open[question.id] = question
        self.send(question, about, content)

    def close(self, question):
        self._open.pop(question.id, None)

    def send(self, question, about, content):
        self._kernel.session.send(
            self._kernel.iopub_socket,
            QUESTION,
            content={**content, "id": question.id, "about": about},
            parent=question.parent,
            ident=QUESTION.encode(),
        )

    def _take(self, _stream, _ident, parent):
        content = parent["content"]
        question = self._open.get(content.get("id"))
        if question is not None:
            question.take(content)


class Question:
    def __init__(self, questions, parent):
        self.id = uuid.uuid4().hex
        self.parent = parent
        self._questions = questions
        self._answered = threading.Event()
        self._answer = None
        self._is_heard_of = False
        self._on_answer = None

    def ask(self, about, content):
        """Whatever ends the wait before the answer, such as an interrupt, withdraws the question."""
        try:
            self.begin(about, content)
            while not self._answered.wait(WAIT_S):
                self.expect_life()
            return self.end()
        except BaseException:
            self.withdraw()
            raise

    async def ask_async(self, about, content):
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()

        def wake():
            # The loop of a thread may have ended.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(arrived.set)

        try:
            self.begin(about, content, wake)
            while not self._answered.is_set():
                try:
                    await asyncio.wait_for(arrived.wait(), WAIT_S)
                except asyncio.TimeoutError:
                    self.expect_life()
            return self.end()
        except BaseException:
            self.withdraw()
            raise

    def begin(self, about, content, on_answer=None):
        """Asks without waiting; on_answer is called on the control thread."""
        self._on_answer = on_answer
        self._questions.open(self, about, content)

    def end(self):
        """The answer, which has arrived."""
        self._questions.close(self)
        return self._answer

    def withdraw(self):
        self._questions.close(self)
        self._questions.send(self, WITHDRAWN, {})

    def expect_life(self):
        """To be called when no answer has come for WAIT_S: TimeoutError when there was no sign of life either."""
        if not self._is_heard_of:
            raise TimeoutError("omp did not answer in time")
        self._is_heard_of = False

    def take(self, content):
        """On the control thread."""
        if content.get("pending"):
            self._is_heard_of = True
            return
        self._answer = content
        self._answered.set()
        if self._on_answer is not None:
            self._on_answer()


def install(kernel):
    return Questions(kernel)

"""How cells call omp: a question that omp answers with a dict, and the error of a call that came to nothing.

Only the shape of a call is here and in the modules that use this one. What may run, how often and at what price is decided by omp
(src/bridge).
"""

import base64
import sys
import threading


class ToolError(Exception):
    """A call failed or was refused: `text` is what a model would read of it, `details` are the facts."""

    def __init__(self, text, details=None):
        super().__init__(text)
        self.text = text
        self.details = details or {}


class Image:
    """A picture of a result: `data` is bytes, `media_type` such as image/png. display() shows it."""

    def __init__(self, media_type, data):
        self.media_type = media_type
        self.data = data

    def _repr_mimebundle_(self, **_options):
        return {self.media_type: base64.b64encode(self.data).decode()}

    def __repr__(self):
        return f"<{self.media_type}, {len(self.data)} bytes>"


class Calls:
    def __init__(self):
        self._questions = None

    @property
    def is_started(self):
        return self._questions is not None

    def start(self, questions):
        self._questions = questions

    def call(self, name, about, content):
        return checked(self.question(name).ask(about, content))

    async def call_async(self, name, about, content):
        return checked(await self.question(name).ask_async(about, content))

    def question(self, name):
        question = self._questions and self._questions.new()
        if question is None:
            raise ToolError(f"{name}: omp answers only cells that it runs itself, and only in the kernel's own process")
        return question


def checked(answer):
    """The answer, unless it is `error`, a line, or `cancelled`, after an interrupt or the end of the cell."""
    # The interrupt that is on its way to the cell ends it. Threads and tasks end by the error: an interrupt there would end the kernel.
    if answer.get("cancelled") and _is_cells_own():
        raise KeyboardInterrupt
    if answer.get("error") is not None:
        raise ToolError(answer["error"], answer.get("details"))
    return answer


def _is_cells_own():
    """Whether IPython, which catches everything, runs the code that asks; not where the event loop runs it, as a task or a callback."""
    if threading.current_thread() is not threading.main_thread():
        return False
    from IPython.core.interactiveshell import InteractiveShell

    frame = sys._getframe()
    while frame is not None and frame.f_code is not InteractiveShell.run_code.__code__:
        frame = frame.f_back
    return frame is not None


calls = Calls()

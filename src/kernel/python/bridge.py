"""The name `omp` in cells: calls that omp runs for the code, each with the checks, the approval and the log of a model's own call.

Only the shape of a call is here. What may run, how often and at what price is decided by omp (src/bridge).
"""

import base64
import threading

PLANNED = ("agent", "branch", "inputs", "install", "llm", "mcp")


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


class Result:
    """What a tool returned: `text` as a model would read it, `details` (a dict of facts), `images`."""

    def __init__(self, tool, answer):
        self._tool = tool
        self.text = answer.get("text", "")
        self.details = answer.get("details") or {}
        self.images = [Image(each["mediaType"], base64.b64decode(each["base64"])) for each in answer.get("images") or ()]

    def __await__(self):
        """`await omp.tools.read(…)` works as well; it is `aio` that lets several run at once."""
        return self
        yield

    def __str__(self):
        return self.text

    def __repr__(self):
        pictures = f", {len(self.images)} images" if self.images else ""
        return f"<{self._tool}: {len(self.text)} characters{pictures}>"


class Calls:
    """The way to omp. Every answer is a dict: with `error`, a line, when nothing came of it; with `cancelled` after an interrupt."""

    def __init__(self):
        self._questions = None

    def start(self, questions):
        self._questions = questions

    def call(self, name, about, content):
        return self._checked(self._question(name).ask(about, content))

    async def call_async(self, name, about, content):
        return self._checked(await self._question(name).ask_async(about, content))

    def _question(self, name):
        question = self._questions and self._questions.new()
        if question is None:
            raise ToolError(f"{name}: omp answers only cells that it runs itself, and only in the kernel's own process")
        return question

    def _checked(self, answer):
        # The interrupt that is on its way to the cell ends it; other threads end by this error.
        if answer.get("cancelled") and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        if answer.get("error") is not None:
            raise ToolError(answer["error"], answer.get("details"))
        return answer


calls = Calls()


class Tool:
    """One tool of the session: call it with its input as named arguments, or `await` its `aio`."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *positional, **arguments):
        return Result(self._name, calls.call(*self._request(positional, arguments)))

    async def aio(self, *positional, **arguments):
        return Result(self._name, await calls.call_async(*self._request(positional, arguments)))

    def _request(self, positional, arguments):
        called = f"omp.tools.{self._name}"
        if positional:
            raise TypeError(f"{called} takes named arguments only, such as {called}(path='x')")
        return called, "tool", {"name": self._name, "input": arguments}

    def __repr__(self):
        return f"<omp.tools.{self._name}>"


class Tools:
    """The session's tools by name: `omp.tools.read(path="x")`, `omp.tools["read"]`."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Tool(name)

    def __getitem__(self, name):
        return Tool(name)

    def __repr__(self):
        return "<omp.tools: omp.tools.read(path=…) and every other tool of the session>"


class Omp:
    """What cells may ask of omp."""

    ToolError = ToolError
    tools = Tools()

    def __getattr__(self, name):
        if name in PLANNED:
            raise AttributeError(f"omp.{name} is planned, but this version of omp does not have it yet")
        raise AttributeError(f"omp has no '{name}'")

    def __repr__(self):
        return "<omp: omp.tools.<name>(…)>"

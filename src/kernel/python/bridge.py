"""The name `omp` in cells: calls that omp runs for the code, each with the checks, the approval and the log of a model's own call."""

import base64

from _omp import arguments, questions
from _omp.agents import Agents
from _omp.branches import Branches
from _omp.calls import Image, ToolError, calls
from _omp.inputs import Inputs
from _omp.llm import Llm
from _omp.mcp import Mcp

PLANNED = ("install",)


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


class Tool:
    """One tool of the session: call it with its input as named arguments, or `await` its `aio`."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *positional, **given):
        return Result(self._name, calls.call(*self._request(positional, given)))

    async def aio(self, *positional, **given):
        return Result(self._name, await calls.call_async(*self._request(positional, given)))

    def _request(self, positional, given):
        called = f"omp.tools.{self._name}"
        if positional:
            raise TypeError(f"{called} takes named arguments only, such as {called}(path='x')")
        return called, "tool", {"name": self._name, "input": arguments.plain(called, given)}

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
    llm = Llm()
    branch = Branches(tools)
    agent = Agents(branch)
    mcp = Mcp(tools)
    inputs = Inputs()

    def __getattr__(self, name):
        if name in PLANNED:
            raise AttributeError(f"omp.{name} is planned but not available in this version of omp")
        raise AttributeError(f"omp has no '{name}'")

    def __repr__(self):
        return "<omp: omp.tools.<name>(…), omp.mcp.<server>.<tool>(…), omp.llm(prompt), omp.agent(task), omp.branch(name), omp.inputs>"


def attach():
    """Puts the name into a kernel that omp has not started, and nothing else. Returns what stands in the way, in a clause."""
    from IPython import get_ipython

    shell = get_ipython()
    if not hasattr(shell.kernel, "control_handlers"):
        return "it is not ipykernel"
    if not calls.is_started:
        calls.start(questions.install(shell.kernel))
    taken = shell.user_ns.get("omp")
    if taken is None:
        shell.push({"omp": Omp()}, interactive=False)
    return None if taken is None or isinstance(taken, Omp) else "the name omp is taken there"

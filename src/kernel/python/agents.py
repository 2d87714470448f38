"""`omp.agent`: a subagent does a task to its end; `omp.agent.start`: the cell goes on meanwhile, and later cells ask for the answer."""

import contextlib

from _omp import arguments
from _omp.calls import calls, checked

NAME = "omp.agent"
KERNELS = ("own", "branch", "shared")


class Agents:
    """omp.agent("Find out why the tests fail"): the answer of a subagent, which has tools, a kernel and a shell of its own."""

    def __init__(self, branches):
        self._branches = branches

    def __call__(self, task, *, agent=None, tools=None, model=None, kernel="own", max_turns=None):
        with self._copied(_request(task, agent, tools, model, kernel, max_turns)) as (request, branch):
            return Answer.of(calls.call(NAME, "agent", request)["text"], branch)

    async def aio(self, task, *, agent=None, tools=None, model=None, kernel="own", max_turns=None):
        with self._copied(_request(task, agent, tools, model, kernel, max_turns)) as (request, branch):
            return Answer.of((await calls.call_async(NAME, "agent", request))["text"], branch)

    def start(self, task, *, agent=None, tools=None, model=None, kernel="own", max_turns=None):
        """A handle at once: `done`, `result()`, `cancel()`, in this cell and in later ones. It ends with the session at the latest."""
        with self._copied(_request(task, agent, tools, model, kernel, max_turns)) as (request, branch):
            answer = calls.call(NAME, "agent", {**request, "background": True})
        return Handle(answer["details"]["agent"], branch)

    @contextlib.contextmanager
    def _copied(self, request):
        """The request, and the branch that the subagent works in, if it does: a copy of this kernel as it is now."""
        if request["kernel"] != "branch":
            yield request, None
            return
        branch = self._branches.copy_now("agent")
        try:
            yield {**request, "branch": branch.name}, branch
        except BaseException:
            with contextlib.suppress(Exception):
                branch.drop()
            raise

    def __repr__(self):
        return "<omp.agent: omp.agent(task), omp.agent.start(task)>"


class Answer(str):
    """Of a subagent in a branch: `branch.get("name")` is a value of its kernel, as a copy."""

    branch = None

    @classmethod
    def of(cls, text, branch):
        if branch is None:
            return text
        answer = cls(text)
        answer.branch = branch
        return answer


class Handle:
    """A subagent that works while cells go on. It belongs to the session: the handle only asks for it by its name."""

    def __init__(self, name, branch=None):
        self.name = name
        self.branch = branch
        """With kernel="branch": the copy that it works in. branch.get("name") is a value of it."""
        self._ended = None

    @property
    def done(self):
        return self._ended is not None or self._ask("done").get("isDone", False)

    def result(self):
        """Its answer, when it has one; omp.ToolError when it failed or was cancelled."""
        if self._ended is None:
            self._ended = self._ask("result")["ended"]
        return Answer.of(checked(self._ended)["text"], self.branch)

    async def aio(self):
        """As result(), for asyncio."""
        if self._ended is None:
            answer = await calls.call_async(NAME, "agent_handle", {"agent": self.name, "what": "result"})
            self._ended = answer["ended"]
        return Answer.of(checked(self._ended)["text"], self.branch)

    def __await__(self):
        return self.aio().__await__()

    def cancel(self):
        """Ends it, if it still works."""
        if self._ended is None:
            self._ended = self._ask("cancel")["ended"]

    def _ask(self, what):
        return calls.call(NAME, "agent_handle", {"agent": self.name, "what": what})

    def __repr__(self):
        return f"<omp.agent {self.name}>"


def _request(task, agent, tools, model, kernel, max_turns):
    if kernel not in KERNELS:
        raise ValueError(f"{NAME}: kernel must be one of {', '.join(KERNELS)}")
    if isinstance(tools, str):
        raise TypeError(f"{NAME}: tools must be a list of names")
    return {
        "prompt": str(task),
        "agent": arguments.text(NAME, "agent", agent),
        "tools": None if tools is None else [str(tool) for tool in tools],
        "model": arguments.text(NAME, "model", model),
        "kernel": kernel,
        "maxTurns": arguments.whole_number(NAME, "max_turns", max_turns),
    }

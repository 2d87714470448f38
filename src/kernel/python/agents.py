"""`omp.agent`: a subagent does a task to its end; `omp.agent.start`: the cell goes on meanwhile, and later cells ask for the answer."""

from _omp.calls import calls, checked

NAME = "omp.agent"
KERNELS = ("own", "branch", "shared")


class Agents:
    """omp.agent("Find out why the tests fail"): the answer of a subagent, which has tools, a kernel and a shell of its own."""

    def __call__(self, task, *, agent=None, tools=None, model=None, kernel="own", max_turns=None):
        return calls.call(NAME, "agent", _request(task, agent, tools, model, kernel, max_turns))["text"]

    async def aio(self, task, *, agent=None, tools=None, model=None, kernel="own", max_turns=None):
        request = _request(task, agent, tools, model, kernel, max_turns)
        return (await calls.call_async(NAME, "agent", request))["text"]

    def start(self, task, *, agent=None, tools=None, model=None, kernel="own", max_turns=None):
        """A handle at once: `done`, `result()`, `cancel()`, in this cell and in later ones. It ends with the session at the latest."""
        request = _request(task, agent, tools, model, kernel, max_turns)
        answer = calls.call(NAME, "agent", {**request, "background": True})
        return Handle(answer["details"]["agent"])

    def __repr__(self):
        return "<omp.agent: omp.agent(task), omp.agent.start(task)>"


class Handle:
    """A subagent that works while cells go on. It belongs to the session: the handle only asks for it by its name."""

    def __init__(self, name):
        self.name = name
        self._ended = None

    @property
    def done(self):
        return self._ended is not None or self._ask("done").get("isDone", False)

    def result(self):
        """Its answer, when it has one; omp.ToolError when it failed or was cancelled."""
        if self._ended is None:
            self._ended = self._ask("result")["ended"]
        return checked(self._ended)["text"]

    async def aio(self):
        """As result(), for asyncio."""
        if self._ended is None:
            answer = await calls.call_async(NAME, "agent_handle", {"agent": self.name, "what": "result"})
            self._ended = answer["ended"]
        return checked(self._ended)["text"]

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
        "agent": agent,
        "tools": None if tools is None else [str(tool) for tool in tools],
        "model": model,
        "kernel": kernel,
        "maxTurns": max_turns,
    }

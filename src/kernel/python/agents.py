"""`omp.agent`: a subagent does a task to its end; `omp.agent.start`: the cell goes on meanwhile."""

import threading

from _omp import questions
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
        """A handle at once: `done`, `result()`, `cancel()`. It ends with the cell at the latest."""
        return Handle(_request(task, agent, tools, model, kernel, max_turns))

    def __repr__(self):
        return "<omp.agent: omp.agent(task), omp.agent.start(task)>"


class Handle:
    """A subagent that works while the cell goes on."""

    def __init__(self, request):
        self._answered = threading.Event()
        self._answer = None
        self._question = calls.question(NAME)
        self._question.begin("agent", request, self._take)

    @property
    def done(self):
        return self._answered.is_set()

    def result(self):
        """Its answer, when it has one; omp.ToolError when it failed or was cancelled."""
        while not self._answered.wait(questions.WAIT_S):
            self._question.expect_life()
        # That its cell has ended is no interrupt of the one that asks.
        return checked({**self._answer, "cancelled": None})["text"]

    def cancel(self):
        if not self.done:
            self._answer = {"error": f"{NAME}: cancelled", "details": {"cancelled": True}}
            self._answered.set()
            self._question.withdraw()

    def _take(self):
        answer = self._question.end()
        if not self.done:
            self._answer = answer
            self._answered.set()

    def __repr__(self):
        return f"<omp.agent: {'done' if self.done else 'working'}>"


def _request(task, agent, tools, model, kernel, max_turns):
    if kernel not in KERNELS:
        raise ValueError(f"{NAME}: kernel must be one of {', '.join(KERNELS)}")
    if kernel != "own":
        raise NotImplementedError(f"{NAME}: kernel={kernel!r} is planned, but this version of omp does not have it yet")
    if isinstance(tools, str):
        raise TypeError(f"{NAME}: tools must be a list of names")
    return {
        "prompt": str(task),
        "agent": agent,
        "tools": None if tools is None else [str(tool) for tool in tools],
        "model": model,
        "maxTurns": max_turns,
    }

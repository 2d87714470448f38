"""Where an interrupt may strike: in the user's code and what runs on its behalf, and nowhere else.

Stock ipykernel lets SIGINT raise anywhere between the arrival of a request and its end. One that arrives when the cell has just
ended then costs the reply, or breaks the shell socket for good when it strikes halfway through a multipart message. Here it
raises only inside do_execute, which sends nothing on that socket.
"""

import signal


class InterruptGate:
    """Replaces the kernel's handler hooks, and wraps do_execute."""

    def __init__(self, kernel):
        self._kernel = kernel
        self._do_execute = kernel.do_execute
        self._between_requests = getattr(kernel, "saved_sigint_handler", signal.SIG_IGN)
        self._is_open = False
        self._came_early = False
        self.struck = 0
        """How often it has raised."""
        kernel.do_execute = self.do_execute
        kernel.pre_handler_hook = self.pre_handler_hook
        kernel.post_handler_hook = self.post_handler_hook

    def pre_handler_hook(self):
        self._came_early = False
        self._between_requests = signal.signal(signal.SIGINT, self._on_signal)

    def post_handler_hook(self):
        signal.signal(signal.SIGINT, self._between_requests)

    def _on_signal(self, _number, _frame):
        if self._is_open:
            self.struck += 1
            raise KeyboardInterrupt
        # The request has started, but its code has not, or has ended: in the first case it must not start.
        self._came_early = True

    async def do_execute(self, *args, **kwargs):
        try:
            self._is_open = True
            if self._came_early:
                raise KeyboardInterrupt
            return await self._do_execute(*args, **kwargs)
        except KeyboardInterrupt:
            # IPython has caught what struck the code itself; this one struck the code around it.
            self._is_open = False
            return self._interrupted()
        finally:
            self._is_open = False

    def _interrupted(self):
        return {
            "status": "error",
            "ename": "KeyboardInterrupt",
            "evalue": "",
            "traceback": [],
            "execution_count": self._kernel.shell.execution_count - 1,
            "user_expressions": {},
            "payload": [],
        }


def install(kernel):
    """Once a kernel. Only the main thread can set signal handlers, and only there do cells run."""
    if gate_of(kernel) is None:
        InterruptGate(kernel)


def gate_of(kernel):
    """None where it could not be installed."""
    gate = getattr(kernel.do_execute, "__self__", None)
    return gate if isinstance(gate, InterruptGate) else None


def spare_the_process():
    """In a kernel that is not ipykernel an interrupt is to end the code, and not the process, as it does in xeus-python."""
    signal.signal(signal.SIGINT, signal.default_int_handler)

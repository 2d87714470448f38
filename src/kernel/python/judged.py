"""Commands that a cell runs are judged by omp before they do, however the cell runs them.

Python itself reports each program that it is about to start (PEP 578): os.system, subprocess and what is built on them, so `!!`, `%sx`,
`%%bash` and libraries, too, and what removes a whole tree. IPython's `!` forks by itself, and bash() passes its command as an argument: those two say it themselves. What a
child of the kernel starts is not judged. This keeps mistakes from doing harm; code that wants to get around it can.
"""

import contextlib
import os
import re
import shlex
import sys
import threading

VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)")


class CommandBlocked(PermissionError):
    """omp has refused to let this command run."""


class Judge:
    def __init__(self):
        self._questions = None
        self._here = threading.local()
        self._is_hooked = False

    def start(self, questions):
        self._questions = questions
        if not self._is_hooked:
            self._is_hooked = True
            sys.addaudithook(self._on_event)

    def check(self, command, cwd=None):
        """Raises CommandBlocked for a command, as text for a shell, that may not run."""
        if self._questions is None or getattr(self._here, "is_judging", False):
            return
        # What runs when the kernel ends, such as the removal of temporary directories: nobody answers any longer.
        if not threading.main_thread().is_alive():
            return
        names = {name for name in VARIABLE.findall(command) if name in os.environ}
        with self._judging():
            answer = self._questions.ask(
                "command",
                command=command,
                cwd=os.path.abspath(cwd or os.curdir),
                variables={name: os.environ[name] for name in names},
            )
        if answer and answer.get("refusal"):
            raise CommandBlocked(answer["refusal"])

    @contextlib.contextmanager
    def judged(self, command, cwd=None):
        """The same for what is started inside: not judged again."""
        self.check(command, cwd)
        with self._judging():
            yield

    @contextlib.contextmanager
    def _judging(self):
        before = getattr(self._here, "is_judging", False)
        self._here.is_judging = True
        try:
            yield
        finally:
            self._here.is_judging = before

    def _on_event(self, event, arguments):
        # Called for everything that Python does: quick for all other events.
        describe = STARTS.get(event)
        if describe is not None:
            self.check(*describe(*arguments))


def _joined(arguments):
    words = [arguments] if isinstance(arguments, (str, bytes, os.PathLike)) else arguments
    return " ".join(shlex.quote(os.fsdecode(word)) for word in words)


STARTS = {
    "os.system": lambda command: (os.fsdecode(command),),
    "subprocess.Popen": lambda _program, arguments, cwd, _env: (_joined(arguments), cwd),
    "os.posix_spawn": lambda _path, arguments, _env: (_joined(arguments),),
    "os.exec": lambda _path, arguments, _env: (_joined(arguments),),
    "pty.spawn": lambda arguments: (_joined(arguments),),
    # No program, and as good as one.
    "shutil.rmtree": lambda path, _dir_fd=None: (_joined(["rm", "-rf", "--", path]),),
}

judge = Judge()

"""`omp.branch("try-2")`: a copy of this kernel that goes its own way, made where it is first named, in the middle of a cell, too."""

import os
import pickle
import secrets
import threading

from _omp.calls import ToolError, calls

NAME = "omp.branch"


class Branches:
    """omp.branch("try-2"): the branch of this name; one that is new has every variable as it is now."""

    def __init__(self, tools):
        self._tools = tools

    def __call__(self, name):
        if not ask("open", name)["isThere"]:
            _copy_here(name)
        return Branch(name, self._tools)

    def copy_now(self, prefix):
        """A new branch under a name that no other has."""
        return self(f"{prefix}-{secrets.token_hex(3)}")

    def __repr__(self):
        return '<omp.branch: omp.branch("name") is a copy of this kernel>'


class Branch:
    """`run(code)`, `get(expression)`, `keep()`, `drop()`."""

    def __init__(self, name, tools):
        self.name = name
        self._tools = tools

    def run(self, code, timeout=None):
        """Runs a cell there and returns its result: `.text`, `.details`, `.images`. omp.ToolError when it fails."""
        limit = {} if timeout is None else {"timeout": timeout}
        return self._tools.python(cells=[{"code": code}], branch=self.name, **limit)

    def get(self, expression):
        """The value of an expression there, as a copy. Its class is this kernel's own, where that has it, too."""
        try:
            return self._fetch(expression, by_value=False)
        except (AttributeError, ModuleNotFoundError) as error:
            why = f"this kernel does not know its type: {error}"
        try:
            return self._fetch(expression, by_value=True)
        except (AttributeError, ModuleNotFoundError):
            raise self._no_value(expression, why) from None

    def _fetch(self, expression, by_value):
        path = os.path.join(_directory(), f"value-{secrets.token_hex(8)}")
        try:
            self.run(f'__import__("sys").modules["_omp.branches"].dump({expression!r}, {path!r}, {by_value})')
            with open(path, "rb") as file:
                return pickle.load(file)
        except ToolError as error:
            raise self._no_value(expression, error.text.strip().splitlines()[-1]) from None
        finally:
            if os.path.exists(path):
                os.remove(path)

    def _no_value(self, expression, why):
        return ToolError(f"{NAME}({self.name!r}).get({expression!r}): {why}")

    def keep(self):
        """It becomes the session's kernel when this cell has ended, and this kernel ends."""
        ask("keep", self.name)

    def drop(self):
        """Ends it, and what it holds is gone."""
        ask("drop", self.name)

    def __repr__(self):
        return f"<omp.branch({self.name!r})>"


def ask(operation, name, **fields):
    return calls.call(NAME, "branch", {"op": operation, "name": name, **fields})


def dump(expression, path, by_value):
    """In the branch: the value, for the kernel that asks for it."""
    from IPython import get_ipython

    value = eval(expression, get_ipython().user_ns)
    try:
        data = _dumps(value, by_value)
    except Exception as error:
        raise TypeError(f"{expression} is a {type(value).__name__}, which cannot be passed on: {error}") from None
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)


def _dumps(value, by_value):
    """cloudpickle, where there is one, passes on functions and classes of cells by their content."""
    try:
        if not by_value:
            return pickle.dumps(value)
    except Exception:
        pass
    try:
        import cloudpickle as pickler
    except ImportError:
        pickler = pickle
    return pickler.dumps(value)


def _copy_here(name):
    from _omp import checkpoints

    if threading.current_thread() is not threading.main_thread():
        raise ToolError(f"{NAME}: a new branch is made by the cell itself, not by its threads")

    path = os.path.join(_directory(), f"b{secrets.token_hex(1)}")
    not_held = checkpoints.copy_running(path)
    ask("make", name, socket=path, notHeld=not_held)


def _directory():
    from IPython import get_ipython

    return os.path.dirname(get_ipython().kernel.parent.abs_connection_file)

"""`!command` in a cell: its standard input is empty, and an interrupt of it is one of the cell.

IPython runs such a command on a pseudo-terminal, which shows output as it is written; but nothing is ever typed there, so a command that
reads would wait until the cell's time limit. IPython also swallows the interrupt, and the lines after the command would still run when
the cell is interrupted.
"""

import functools
import os
import shlex
import shutil
from importlib.machinery import PathFinder

from _omp.judged import judge

FAMILY_OF_SH = ("sh", "ash", "bash", "dash", "ksh", "zsh")
"""Those that take `exec < file`."""


END_OF_SCRIPT = "END_OF_THE_CELL_S_SCRIPT"


def judge_scripts(shell):
    """`%%bash`, `%%script sh` and their like give the cell to a program's standard input: as a here-document it is a command."""
    magics = shell.magics_manager.registry["ScriptMagics"]
    stock = magics.shebang

    # With its attributes: it looks its parser up by its own name.
    @functools.wraps(stock)
    def shebang(line, cell):
        _, program = stock.parser.parse_known_args(line.split())
        judge.check(f"{shlex.join(program)} <<'{END_OF_SCRIPT}'\n{cell}\n{END_OF_SCRIPT}\n")
        return stock(line, cell)

    # The magics of single programs call the first, `%%script` is the second.
    magics.shebang = shebang
    shell.magics_manager.magics["cell"]["script"] = shebang


_gates = []
"""The newest last: a woken kernel has another, and the same shell."""


def install(shell, gate):
    """gate counts the interrupts that struck, where there is one. Only where commands get a terminal: not on Windows."""
    _gates[:] = [gate]
    # The name that the method itself looks up: which module that is in has changed from version to version.
    names = shell.system.__func__.__globals__
    stock = names.get("system")
    handler = getattr(stock, "__self__", None)
    if not hasattr(type(handler), "sh"):
        return

    def system(command):
        judge.check(command)
        if os.path.basename(handler.sh) not in FAMILY_OF_SH:
            handler._sh = shutil.which("sh")
        (gate,) = _gates
        struck = gate and gate.struck
        code = stock(f"exec </dev/null; {_same_path(handler.sh)}{command}")
        if gate and gate.struck != struck:
            raise KeyboardInterrupt
        return code

    names["system"] = system


def _same_path(sh):
    """zsh reads ~/.zshenv also for a single command, and what that does to PATH would hide the kernel's environment."""
    path = os.environ.get("PATH")
    return f"PATH={shlex.quote(path)}; " if path and os.path.basename(sh) == "zsh" else ""


def lend_pip(shell):
    """`%pip` for an environment without pip: omp has put one on PATH that works for it (src/python/lent-pip.ts)."""
    own = shell.magics_manager.magics["line"]["pip"]

    def pip(line):
        lent = shutil.which("pip")
        if lent is None or "/python-loans/" not in lent or PathFinder.find_spec("pip") is not None:
            return own(line)
        shell.system(f"{shlex.quote(lent)} {line}")
        print("Note: you may need to restart the kernel to use updated packages.")
        return None

    pip.__doc__ = own.__doc__
    shell.register_magic_function(pip, magic_kind="line", magic_name="pip")

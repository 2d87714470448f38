"""What happens inside a kernel before the first cell: directory, environment, streams, plots, input, history, helpers.

boot() runs as a user expression of a silent, empty request: no counter moves, no variable of IPython changes, no name is
left behind but the prelude's, and IPython does not parse our sources as a cell (100 ms). Its value says,
under the MIME type application/x-omp-boot, what was found and what went wrong.
"""

import contextlib
import os
import sys

from _omp import (
    calls,
    commands,
    completion,
    fast_output,
    holdings,
    imports,
    interrupts,
    judged,
    kernel_app,
    keyboard,
    modules,
    pictures,
    prelude,
    progress_bars,
    questions,
    recall,
    tracebacks,
    whereabouts,
)

BOOT_MIME = "application/x-omp-boot"
FAST_OUTPUT = "fast output"
COMMAND_CHECK = "a check of the commands that cells run, and the calls of omp"
INLINE_BACKEND = "module://matplotlib_inline.backend_inline"


def boot(config):
    """config: cwd, elsewhere, origin, env, recall, woken; every key may be missing."""
    from IPython import get_ipython

    shell = get_ipython()
    kernel = shell.kernel
    missing = _boot_again(shell, kernel) if config.get("woken") else _boot_first(shell, kernel, config)
    _attempt(holdings.remember)
    result = {
        **whereabouts.look(config.get("cwd"), config.get("origin")),
        "fastStreams": FAST_OUTPUT not in missing,
        "problems": [f"{what}: {why}" for what, why in missing.items()],
        "helpers": prelude.describe_prelude(),
    }
    if not config.get("elsewhere"):
        result["seesOurFiles"] = True
    return whereabouts.Answer(BOOT_MIME, result)


def _boot_first(shell, kernel, config):
    _enter(config.get("cwd"), is_elsewhere=config.get("elsewhere", False))
    imports.install()
    os.environ.update(config.get("env") or {})
    # Figures are shown at the end of the cell by the backend itself, which loads with matplotlib and not before.
    os.environ["MPLBACKEND"] = INLINE_BACKEND
    _put_working_directory_first()
    _stop_history(shell)
    # Every kernel_info_reply has a banner, whose tip would be drawn from the random numbers of the user's code.
    if hasattr(shell, "enable_tip"):
        shell.enable_tip = False
    missing = _install(shell, kernel, config)
    modules.prepare(shell, prelude.helpers())
    for finder in sys.meta_path:
        # Where the kernel's packages are lent: lend.py.
        getattr(finder, "kernel_started", lambda: None)()
    return missing


def _boot_again(shell, kernel):
    """In a kernel that was woken: the shell is the one that there was, and everything in it stays as the user's code has left it."""
    missing = _install_in_kernel(shell, kernel, {})
    kernel_app.put_back()
    return missing


def _install(shell, kernel, config):
    """Whatever of omp's the kernel has a place for. Returns what is missing, and why."""
    # Without these, results are only less handy: not worth a word.
    _attempt(pictures.install, shell)
    _attempt(progress_bars.install)
    _attempt(tracebacks.install, shell)
    _attempt(commands.lend_pip, shell)
    if not hasattr(kernel, "do_execute"):
        interrupts.spare_the_process()
        return {f"{FAST_OUTPUT}, and without what child processes print": "it is not ipykernel"}
    missing = _install_in_kernel(shell, kernel, config)
    unjudged = _attempt(commands.judge_scripts, shell)
    return missing if unjudged is None else {COMMAND_CHECK: unjudged, **missing}


def _install_in_kernel(shell, kernel, config):
    missing = {
        "an explanation of input()": _attempt(keyboard.install, kernel),
        "its own interrupts": _attempt(interrupts.install, kernel),
        "an empty standard input for `!` commands": _attempt(commands.install, shell, interrupts.gate_of(kernel)),
        "its own completion": _attempt(completion.install, shell, kernel),
        COMMAND_CHECK: _attempt(_answer_questions, kernel),
        "crash reports": _attempt(_report_crashes),
        FAST_OUTPUT: _attempt(fast_output.install, kernel),
        "a memory of what was published": _attempt(recall.install, kernel) if config.get("recall") else None,
    }
    return {what: why for what, why in missing.items() if why is not None}


def _attempt(function, *arguments):
    """Run a step without which the kernel still works; returns what went wrong as one line."""
    try:
        return function(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _enter(cwd, is_elsewhere):
    """Behind a gateway the directory may not exist: the kernel then stays where it was started."""
    if not cwd:
        return
    started_in = os.getcwd()
    try:
        os.chdir(cwd)
    except OSError:
        if not is_elsewhere:
            raise
        return
    # A kernel of omp's own is started in a private directory that has nothing to import.
    sys.path[:] = [cwd if entry == started_in and not is_elsewhere else entry for entry in sys.path]


def _put_working_directory_first():
    """'' means the working directory of the moment, so it follows os.chdir(); what is here stays importable after that."""
    here = os.getcwd()
    sys.path[:] = ["", here, *(entry for entry in sys.path if entry not in ("", here))]


def _stop_history(shell):
    """Keep this session out of the user's history file, also when the kernel was started without that argument."""
    history = shell.history_manager
    if history is None or not history.enabled:
        return
    history.enabled = False
    thread = getattr(history, "save_thread", None)
    if thread is not None:
        with contextlib.suppress(Exception):
            thread.stop()
        history.save_thread = None


def _answer_questions(kernel):
    asked = questions.install(kernel)
    calls.calls.start(asked)
    judged.judge.start(asked)
    keyboard.keyboard.start(asked)


def _report_crashes():
    """A crash of the interpreter says where it happened, in the file that omp reads when the kernel is gone.

    Not to descriptor 2, which ipykernel has turned into a pipe to itself.
    """
    import faulthandler

    descriptor = getattr(sys.stderr, "_original_stdstream_copy", None)
    if descriptor is not None:
        faulthandler.enable(file=descriptor, all_threads=False)

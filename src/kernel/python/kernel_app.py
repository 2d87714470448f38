"""Makes the kernel's application in a process of the fork server's, and makes it anew in one that was parked."""

import asyncio
import atexit
import contextlib
import functools
import gc
import os
import re
import sys

from _omp import apart

_kept = []
"""What belonged to the kernel that a woken process is a copy of: its destructors must not run here."""

_afterwards = []
"""Puts back what belongs to the user's code, when the boot code has had what it needs."""


def make(connection_file, parent, arguments):
    """@param parent the process to watch: ipykernel reads JPY_PARENT_PID when it is imported, long before."""
    from ipykernel.kernelapp import IPKernelApp

    app = IPKernelApp.instance()
    app.connection_file = connection_file
    arguments = [f"--IPKernelApp.parent_handle={parent}", *arguments]
    config = _plain_config(arguments)
    if config is not None:
        # The real parser first describes every option of every class to argparse, a fifth of the whole start.
        app.parse_command_line = lambda _arguments: app.update_config(config)
    return app, arguments


def initialize(app, arguments):
    # What IPython creates in an empty home is private to the user, as is everything that omp creates.
    usual = os.umask(0o077)
    app.initialize(arguments)
    os.umask(usual)


def run(app):
    """Until the kernel ends; also every kernel that this process becomes when it, or a copy of it, is woken."""
    from _omp.parking import Awakening

    while True:
        try:
            app.start()
            return
        except Awakening as awakening:
            request, server = awakening.request, awakening.server
        app = _wake(app, request, server)


def run_here(awakening):
    """In a copy of a kernel that was running a cell: ends the process when the kernel ends, because nothing below may go on."""
    from ipykernel.kernelapp import IPKernelApp

    code = 1
    try:
        asyncio._set_running_loop(None)
        app = _wake(IPKernelApp.instance(), awakening.request, awakening.server)
        # The cell below has put the shell's hook in place; that of the new application has replaced it.
        app.shell.display_trap._nested_level = 0
        run(app)
        code = 0
    finally:
        atexit._run_exitfuncs()
        os._exit(code)


def _wake(old, request, server):
    """A new application around the same shell: variables, counters, magics, hooks and extensions are what they were."""
    import zmq
    from ipykernel.iostream import OutStream

    _redirect(os.devnull, os.O_RDONLY, 0)
    _redirect(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 1)
    os.dup2(1, 2)
    shell, kernel = old.shell, old.kernel
    _kept.append((old, kernel, asyncio.get_event_loop_policy()))
    with contextlib.suppress(RuntimeError):
        _kept.append(asyncio.get_event_loop())
    for exit_code in (old.close, old.cleanup_connection_file, old.iopub_thread.stop):
        atexit.unregister(exit_code)
    for owner in (type(old), type(kernel)):
        owner.clear_instance()
    zmq.Context._instance = None
    _forget_child_processes()
    asyncio.set_event_loop(asyncio.new_event_loop())
    # Free ports, for one, are tried at random.
    _afterwards[:] = [apart.keep_random_state()]
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, OutStream):
            _afterwards.append(functools.partial(setattr, sys, name, stream))
            # The new one is made of the one that there is, which need not be a file.
            setattr(sys, name, getattr(sys, f"__{name}__"))
    _leave_removed_directory()
    collects = gc.isenabled()
    gc.disable()
    app, arguments = make(request["connection_file"], server, request["arguments"])
    for done_before in ("init_code", "init_extensions", "init_gui_pylab", "init_path", "init_crash_handler", "configure_tornado_logger"):
        setattr(app, done_before, lambda *_arguments: None)
    initialize(app, arguments)
    # The kernel's class has found the shell that there was, instead of making one.
    shell.kernel = shell.parent = app.kernel
    if collects:
        gc.enable()
    return app


def put_back():
    """After the boot code, which needs streams of the kernel's own to work with."""
    while _afterwards:
        _afterwards.pop()()


def _leave_removed_directory():
    """IPython does not start in one. Where there is one of its name again, that is meant; otherwise the code finds itself where it was."""
    with contextlib.suppress(FileNotFoundError):
        os.getcwd()
        return
    path = os.readlink("/proc/self/cwd").removesuffix(" (deleted)")
    if os.path.isdir(path):
        os.chdir(path)
        return
    removed = os.open(os.curdir, os.O_RDONLY)
    os.chdir("/")
    _afterwards.append(functools.partial(_return_to, removed))


def _return_to(directory):
    os.fchdir(directory)
    os.close(directory)


def _forget_child_processes():
    """As multiprocessing does in its own children: at its exit it would end processes that are not this one's."""
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None:
        processes._children = set()
    finalizers = sys.modules.get("multiprocessing.util")
    if finalizers is not None:
        finalizers._finalizer_registry.clear()
        finalizers._run_after_forkers()


def _plain_config(arguments):
    """The configuration that --Class.option=value arguments mean; None when there is any other kind."""
    from traitlets.config.loader import Config, DeferredConfigString

    config = Config()
    for argument in arguments:
        match = re.fullmatch(r"--(\w+)\.(\w+)=(.*)", argument, re.DOTALL)
        if match is None:
            return None
        section, option, value = match.groups()
        config[section][option] = DeferredConfigString(value)
    return config


def _redirect(path, flags, number):
    opened = os.open(path, flags, 0o600)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)

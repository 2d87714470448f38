"""Stock kernels, forked from a process that has imported what they import: a hundred of them in the time of ten.

`serve <socket> <packages>` forks a kernel for each line with its connection file and directory. `start <socket> <connection file>` asks for one and
lasts as long as it does, which is what jupyter_client takes for the kernel's process. Ends with its standard input.
"""

import os
import socket
import sys

OF_KERNELS = (
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "IPython.core.pylabtools",
    "psutil",
    "pydoc",
    "tornado.platform.asyncio",
)
"""What a kernel imports while it starts: most of its time."""

OF_NOTEBOOKS = (
    "matplotlib.figure",
    "matplotlib.backends.backend_agg",
    "PIL.PngImagePlugin",
    "rich.progress",
    "rich.table",
    "tqdm",
)
"""Not what looks for a kernel when it is imported: ipywidgets, matplotlib.pyplot, pandas."""


def import_all(names):
    import contextlib
    import importlib

    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def serve(path, packages):
    import contextlib
    import select

    import_all(OF_KERNELS)
    sys.path.append(packages)
    import_all(OF_NOTEBOOKS)
    sys.path.remove(packages)

    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([server, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        connection, _ = server.accept()
        cwd, file = connection.makefile().readline().rstrip("\n").split("\t")
        if os.fork() == 0:
            be_kernel(cwd, file)
        connection.close()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0] > 0:
                pass


def be_kernel(cwd, file):
    from ipykernel.kernelapp import IPKernelApp

    os.setsid()
    os.chdir(cwd)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    sys.path[0] = ""
    arguments = ["-f", file, "--HistoryManager.enabled=False", f"--IPKernelApp.parent_handle={os.getppid()}"]
    IPKernelApp.launch_instance(arguments)
    os._exit(0)


def start(path, file):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connection.sendall(f"{os.getcwd()}\t{file}\n".encode())
    connection.recv(1)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(*sys.argv[2:4])
    else:
        # nbclient adds options of its own, which these kernels have already.
        start(*sys.argv[2:4])

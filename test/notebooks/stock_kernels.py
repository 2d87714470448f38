"""Stock kernels, forked from a process that has imported ipykernel: a hundred of them in the time of ten.

`serve <socket>` forks a kernel for each line with its connection file and directory. `start <socket> <connection file>` asks for one and
lasts as long as it does, which is what jupyter_client takes for the kernel's process. Ends with its standard input.
"""

import os
import socket
import sys


def serve(path):
    import contextlib
    import select

    from ipykernel import kernelapp  # noqa: F401

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
        serve(sys.argv[2])
    else:
        # nbclient adds options of its own, which these kernels have already.
        start(*sys.argv[2:4])

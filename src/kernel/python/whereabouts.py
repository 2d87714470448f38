"""Where a kernel is that was running before omp came. Looks, and changes nothing: the kernel is somebody else's.

Evaluated as a user expression of a silent, empty request, in a namespace of its own: no counter moves, no name is left behind,
no module of ours is loaded.
"""

import os
import socket
import sys


def whereabouts(directory, origin):
    """directory: the project's; origin: its inode, host and date as omp sees them, or None."""
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = ""
    return Answer(
        {
            "python": sys.version.split()[0],
            "executable": sys.executable,
            "ipykernel": getattr(sys.modules.get("ipykernel"), "__version__", None),
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "cwd": cwd,
            "seesOurFiles": _is_ours(directory, origin or {}),
        }
    )


def _is_ours(directory, origin):
    """Another machine may have a directory of the same name; ours has its inode, and elsewhere also its date."""
    try:
        found = os.stat(directory)
    except OSError:
        return False
    if str(found.st_ino) != origin.get("inode"):
        return False
    return socket.gethostname() == origin.get("host") or str(found.st_mtime_ns) == origin.get("mtimeNs")


class Answer:
    """A value that travels in the reply as JSON instead of as its repr."""

    def __init__(self, result):
        self._result = result

    def _repr_mimebundle_(self, **_options):
        return {"application/x-omp-whereabouts": self._result}

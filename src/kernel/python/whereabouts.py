"""Where a kernel is, as it sees itself. Looks, and changes nothing: it also runs in existing kernels, which omp has not started.

There it is evaluated as a user expression of a silent, empty request, in a namespace of its own: no counter moves, no name is left behind,
no module of ours is loaded.
"""

import json
import os
import socket
import sys

MIME = "application/x-omp-whereabouts"


class Answer:
    """A value that travels in the reply as JSON instead of as its repr."""

    def __init__(self, mime, result):
        self._bundle = {mime: result}

    def _repr_mimebundle_(self, **_options):
        return self._bundle


def whereabouts(text):
    """text: JSON with the arguments of look()."""
    given = json.loads(text)
    return Answer(MIME, look(given["directory"], given["origin"]))


def look(directory, origin):
    """directory: the project's; origin: its inode, host and date as omp sees them, or None."""
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = ""
    return {
        "python": sys.version.split()[0],
        "executable": sys.executable,
        "ipykernel": getattr(sys.modules.get("ipykernel"), "__version__", None),
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "cwd": cwd,
        "seesOurFiles": _is_ours(directory, origin or {}),
    }


def _is_ours(directory, origin):
    """Another machine may have a directory of the same name; ours has its inode, and elsewhere also its date."""
    try:
        found = os.stat(directory)
    except (OSError, TypeError):
        return False
    if str(found.st_ino) != origin.get("inode"):
        return False
    # On one machine the inode is enough, and the date may have changed a moment ago.
    return socket.gethostname() == origin.get("host") or str(found.st_mtime_ns) == origin.get("mtimeNs")

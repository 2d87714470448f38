"""Commands started by bash() have process groups of their own, so the kernel's end does not end them. The guard does.

It is one small shell process in its own session that is sent the groups over a pipe. The pipe ends with the kernel, however
that ends, and then the guard kills the groups that it still knows.
"""

import contextlib
import os
import subprocess

_SCRIPT = """
trap '' INT TERM HUP QUIT
groups=' '
while read -r action group; do
  case $action in
    add) groups="$groups$group " ;;
    drop) groups="${groups%% $group *} ${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -KILL -"$group" 2>/dev/null; done
"""


class Guard:
    """Starts with the first group."""

    def __init__(self):
        self._process = None
        self._owner = 0
        self._groups = set()

    def add(self, group):
        for known in list(self._groups):
            if not _is_alive(known):
                self.drop(known)
        if self._process is None or self._owner != os.getpid():
            self._start()
        self._groups.add(group)
        self._send(f"add {group}\n")

    def release(self, group):
        """The command has ended. What it left running in the background stays guarded."""
        if not _is_alive(group):
            self.drop(group)

    def drop(self, group):
        if group in self._groups:
            self._groups.discard(group)
            self._send(f"drop {group}\n")

    def _start(self):
        self._groups = set()
        self._owner = os.getpid()
        self._process = subprocess.Popen(
            ["sh", "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            start_new_session=True,
        )

    def _send(self, line):
        # A guard that someone killed must not break the command that it would have guarded.
        with contextlib.suppress(OSError):
            self._process.stdin.write(line.encode())


def _is_alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


guard = Guard()

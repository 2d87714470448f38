"""The fork server: kernels that are like plainly started ones, answers about their ends, nothing left behind."""

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

from kernels import SOURCES, Kernel, digest, sources


class ForkServer:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", (SOURCES / "fork_server.py").read_text()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        payload = json.dumps({"digest": digest(), "sources": sources()})
        self.send({"loader": (SOURCES / "loader.py").read_text(), "payload": payload})
        self._rest = b""
        self.ready = self.read()

    def send(self, message):
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[self.process.stdin.write(data) :]

    def read(self):
        while b"\n" not in self._rest:
            data = self.process.stdout.read(65536)
            assert data, "the fork server ended"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


class ForkedProcess:
    def __init__(self, server, pid):
        self.server = server
        self.pid = pid
        self.exit = None

    def wait(self):
        if self.exit is None and self.server.process.poll() is None:
            self.exit = self.server.read()
        return self.exit


class ForkedKernel(Kernel):
    def __init__(self, server, **options):
        self.server = server
        super().__init__(**options)

    def start(self, env, arguments):
        self.server.send(
            {
                "id": 7,
                "connection_file": str(self.connection_file),
                "cwd": str(self.directory),
                "env": {**env, "ONLY_HERE": "1"},
                "argv": ["--HistoryManager.enabled=False", *arguments],
                "stderr_log": str(self.directory / "kernel.log"),
            }
        )
        answer = self.server.read()
        assert answer["id"] == 7, answer
        return ForkedProcess(self.server, answer["pid"])


shared = []


@contextlib.contextmanager
def fork_server():
    """One server for the checks that leave it as they found it, and another when one of them did not get that far."""
    if not shared:
        shared.append(ForkServer())
        atexit.register(close_shared)
    try:
        yield shared[0]
    except BaseException:
        close_shared()
        raise


def close_shared():
    while shared:
        shared.pop().close()


def check_a_forked_kernel_has_its_own_place_session_and_environment():
    with fork_server() as server:
        assert server.ready["ready"] is True and server.ready["pid"] == server.process.pid, server.ready
        k = ForkedKernel(server, environment={"TZ": "Asia/Tokyo", "PYTHONPATH": "/added"})
        try:
            assert k.boot_result["fastStreams"] is True and k.boot_result["pid"] == k.process.pid
            out, _ = k.output(
                """
import json, os, sys, time
print(json.dumps([os.getcwd(), os.getsid(0) == os.getpid() == os.getpgid(0), os.environ.get('ONLY_HERE'), time.tzname[0], os.getppid()]))
print('/added' in sys.path, repr(sys.path[0]), 'debugpy' in sys.modules, repr(sys.stdin.read()))
"""
            )
            first, second = out.splitlines()
            assert json.loads(first) == [os.path.realpath(k.directory), True, "1", "JST", server.process.pid], first
            assert second == "True '' False ''", second
        finally:
            k.stop()


def check_kernels_do_not_share_their_random_numbers():
    with fork_server() as server:
        numbers = []
        for _ in range(2):
            k = ForkedKernel(server)
            numbers.append(k.output("import random, uuid; print(random.random(), uuid.uuid4())")[0])
            k.stop()
        assert numbers[0] != numbers[1]


def check_what_ipython_makes_in_a_home_is_private_and_cells_keep_the_users_mask():
    with fork_server() as server:
        usual = os.umask(0)
        os.umask(usual)
        k = ForkedKernel(server)
        try:
            assert k.output("import os; mask = os.umask(0); os.umask(mask); print(mask)")[0] == f"{usual}\n"
            # Nobody else gets past the directories: the one file in them is a copy, with the modes of its original.
            home = k.directory / "ipython"
            made = [home, *(path for path in home.rglob("*") if path.is_dir())]
            assert len(made) > 3, made
            assert not [path for path in made if path.stat().st_mode & 0o077], made
        finally:
            k.stop()


def check_the_end_of_a_kernel_is_reported():
    with fork_server() as server:
        k = ForkedKernel(server)
        k.send("import os; os._exit(3)")
        assert k.process.wait() == {"exited": k.process.pid, "status": 3, "signal": None}
        k.stop()
        k = ForkedKernel(server)
        k.stop()
        assert k.process.exit == {"exited": k.process.pid, "status": None, "signal": 9}
        k = ForkedKernel(server)
        k.client.shutdown()
        assert k.process.wait() == {"exited": k.process.pid, "status": 0, "signal": None}
        k.stop()


def check_interrupts_reach_a_forked_kernel():
    with fork_server() as server:
        k = ForkedKernel(server)
        try:
            msg_id = k.send("print('busy')\nwhile True: pass")
            while k.client.get_iopub_msg(timeout=20)["msg_type"] != "stream":
                pass
            k.interrupt()
            _, reply = k.collect(msg_id)
            assert reply["ename"] == "KeyboardInterrupt"
            assert k.output("print('next')")[0] == "next\n"
        finally:
            k.stop()


def gone(pid):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def check_kernels_and_their_children_end_with_the_input_of_the_server():
    server = ForkServer()
    k = ForkedKernel(server)
    child = int(k.output("import subprocess; p = subprocess.Popen(['sleep', '1000']); print(p.pid)")[0])
    server.close()
    assert server.process.returncode == 0
    assert gone(k.process.pid) and gone(child)
    k.stop()


def check_a_kernel_ends_by_itself_when_the_server_was_killed():
    server = ForkServer()
    k = ForkedKernel(server)
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    assert gone(k.process.pid)
    k.stop()
    server.close()


def check_a_server_that_cannot_load_our_modules_says_so():
    process = subprocess.Popen(
        [sys.executable, "-c", (SOURCES / "fork_server.py").read_text()], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    loader = (SOURCES / "loader.py").read_text()
    payload = json.dumps({"digest": "x", "sources": [["bad", "raise ValueError('broken')"]]})
    out, _ = process.communicate(json.dumps({"loader": loader, "payload": payload}).encode() + b"\n")
    assert json.loads(out) == {"ready": False, "error": "ValueError: broken"}, out
    assert process.returncode == 1

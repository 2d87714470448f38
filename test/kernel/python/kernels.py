"""Real kernels for the drivers in this folder: start, boot, run a cell, collect what it published."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import zmq
from jupyter_client import BlockingKernelClient

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "src" / "kernel" / "python"
PROGRAM = (SOURCES / "init-code.ts").read_text()


def sources():
    """As the program embeds them, in its order."""
    names = re.findall(r'^  \["(\w+)", \w+Source\],$', PROGRAM, re.MULTILINE)
    return [[name, (SOURCES / f"{name}.py").read_text()] for name in names]


def digest():
    return hashlib.sha256(json.dumps(sources()).encode()).hexdigest()[:16]


def boot_request(config):
    """As bootRequest() in init-code.ts makes it; init-code.test.ts holds the two together."""
    return loader_request({"sources": sources(), "boot": config})


def loader_request(payload):
    payload = json.dumps({"digest": digest(), **payload})
    loader = (SOURCES / "loader.py").read_text()
    expression = (
        f"(lambda space: (exec({json.dumps(loader)}, space), space['run']({json.dumps(payload)}))[1])"
        "({'__name__': '_omp_loader'})"
    )
    return {"code": "", "silent": True, "user_expressions": {"omp": expression}}


class Kernel:
    """One kernel and one client. Everything it makes is in one temporary directory."""

    def __init__(self, *, booted=True, config=None, environment=None, arguments=(), transport="ipc", client_queue=1000):
        self.client_queue = client_queue
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="omp-k-"))
        self.connection_file = self.directory / "c.json"
        self.connection_file.write_text(
            json.dumps(
                {
                    "transport": transport,
                    "ip": str(self.directory / "s") if transport == "ipc" else "127.0.0.1",
                    "key": "secret",
                    "signature_scheme": "hmac-sha256",
                    **{f"{name}_port": 0 for name in ("shell", "iopub", "stdin", "control", "hb")},
                }
            )
        )
        self.log = open(self.directory / "log", "wb")
        env = {**os.environ, "HOME": str(self.directory), "IPYTHONDIR": str(self.directory / "ipython")}
        env.update(environment or {})
        self.process = self.start(env, list(arguments))
        self.client = None
        try:
            self.client = self.connect()
            self.boot_result = self.boot(config or {}) if booted else None
        except BaseException:
            self.stop()
            raise

    def start(self, env, arguments):
        return subprocess.Popen(
            [sys.executable, "-m", "ipykernel_launcher", "-f", str(self.connection_file), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env=env,
            cwd=self.directory,
            start_new_session=True,
        )

    def connect(self):
        while True:
            with contextlib.suppress(ValueError, FileNotFoundError):
                if all(port for name, port in json.loads(self.connection_file.read_text()).items() if "port" in name):
                    break
            time.sleep(0.002)
        client = BlockingKernelClient(connection_file=str(self.connection_file))
        client.load_connection_file()
        client.context.setsockopt(zmq.RCVHWM, self.client_queue)
        client.start_channels()
        client.wait_for_ready(timeout=30)
        return client

    def boot(self, config):
        _, reply = self.run(**boot_request(config))
        answer = reply["user_expressions"]["omp"]
        assert answer["status"] == "ok", answer
        return answer["data"]["application/x-omp-boot"]

    def load_module(self, module):
        """What the module printed, and the answer."""
        messages, reply = self.run(**loader_request({"sources": [], "module": module}))
        printed = "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")
        return printed, reply["user_expressions"]["omp"]["data"]["application/x-omp-module"]

    def send(self, code, **options):
        options.setdefault("allow_stdin", False)
        return self.client.execute(code, **options)

    def collect(self, msg_id, timeout=60):
        """All iopub messages of one request until idle, and the content of its reply."""
        messages = []
        while True:
            message = self.client.get_iopub_msg(timeout=timeout)
            if message["parent_header"].get("msg_id") != msg_id:
                continue
            messages.append(message)
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
        while True:
            reply = self.client.get_shell_msg(timeout=timeout)
            if reply["parent_header"].get("msg_id") == msg_id:
                return messages, reply["content"]

    def run(self, code, **options):
        return self.collect(self.send(code, **options))

    def output(self, code, **options):
        """(stdout, stderr) of a cell that must succeed."""
        messages, reply = self.run(code, **options)
        assert reply["status"] == "ok", reply
        return text(messages, "stdout"), text(messages, "stderr")

    def interrupt(self):
        os.kill(self.process.pid, signal.SIGINT)

    def stop(self):
        if self.client is not None:
            self.client.stop_channels()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)


def text(messages, name):
    return "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream" and m["content"]["name"] == name)


@contextlib.contextmanager
def kernel(**options):
    running = Kernel(**options)
    try:
        yield running
    finally:
        running.stop()

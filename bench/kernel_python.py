"""The Python side of the kernel compared with stock ipykernel, through jupyter_client, on the interpreter that runs this.

    .venv/bin/python bench/kernel_python.py

Stock and ours take turns, so that load on the machine affects both. The ratio is ours to stock: smaller is better.
"""

import contextlib
import itertools
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test" / "kernel" / "python"))

import ipykernel  # noqa: E402
from fork_server_checks import ForkedKernel, fork_server  # noqa: E402
from jupyter_client import BlockingKernelClient  # noqa: E402
from kernels import Kernel, kernel  # noqa: E402

CELLS = {
    "pass": ("pass", 300),
    "1 + 1": ("1 + 1", 100),
    "print('x')": ("print('x')", 100),
    "10^6 prints": ("for i in range(10**6): print(i)", 3),
    "one 100 MB write": ("import sys; n = sys.stdout.write('x' * 99_999_999 + '\\n')", 5),
    "2000 flushed prints": ("for i in range(2000): print(i, flush=True)", 5),
}


def seconds(function, *arguments):
    started = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - started


def until_kernel_info(k):
    """Connects as soon as possible: from the start of the process to the first reply."""
    while True:
        with contextlib.suppress(ValueError, FileNotFoundError):
            ports = [v for name, v in json.loads(k.connection_file.read_text()).items() if name.endswith("_port")]
            if all(ports):
                break
        time.sleep(0.001)
    client = BlockingKernelClient(connection_file=str(k.connection_file))
    client.load_connection_file()
    client.start_channels()
    client.kernel_info()
    client.get_shell_msg(timeout=60)
    return client


class TimedKernel(Kernel):
    connect = until_kernel_info


class TimedForkedKernel(ForkedKernel):
    connect = until_kernel_info


def cells():
    with kernel(booted=False) as stock, kernel() as ours:
        for name, (code, times) in CELLS.items():
            taken = {stock: [], ours: []}
            for _ in range(times):
                for k in taken:
                    taken[k].append(seconds(k.run, code))
            yield name, statistics.median(taken[stock]), statistics.median(taken[ours])


def starts(times=15):
    plain, forked = [], []
    with fork_server() as server:
        for _ in range(times):
            for kinds, start in ((plain, TimedKernel), (forked, lambda **o: TimedForkedKernel(server, **o))):
                started = time.perf_counter()
                k = start(booted=False)
                kinds.append(time.perf_counter() - started)
                k.stop()
    yield "start to kernel_info", statistics.median(plain), statistics.median(forked)


def main():
    print(f"ipykernel {ipykernel.__version__}, Python {sys.version.split()[0]}, median")
    print(f"{'what':24}{'stock ms':>12}{'ours ms':>12}{'ratio':>8}")
    for name, stock, ours in itertools.chain(cells(), starts()):
        print(f"{name:24}{stock * 1000:12.2f}{ours * 1000:12.2f}{ours / stock:8.2f}", flush=True)


if __name__ == "__main__":
    main()

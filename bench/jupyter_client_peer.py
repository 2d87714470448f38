"""The peer of bench/kernel.ts: the same work through jupyter_client, on the same interpreter, over ipc.

Reads one command per line from stdin and answers with one line of JSON: {"ms": …, "characters": …}.
"""

import json
import sys
import time

from jupyter_client.manager import KernelManager


def start_kernel():
    manager = KernelManager(kernel_name="python3", transport="ipc")
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    return manager, client


def run(client, code):
    """Runs code until idle and reply; returns the number of characters of output."""
    message_id = client.execute(code)
    idle = replied = False
    characters = 0
    while not (idle and replied):
        if not idle:
            message = client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != message_id:
                continue
            if message["msg_type"] == "stream":
                characters += len(message["content"]["text"])
            idle = message["msg_type"] == "status" and message["content"]["execution_state"] == "idle"
        else:
            replied = client.get_shell_msg(timeout=120)["parent_header"].get("msg_id") == message_id
    return characters


def main():
    manager = client = None
    for line in sys.stdin:
        command, _, code = line.rstrip("\n").partition(" ")
        started = time.perf_counter()
        characters = 0
        if command == "start":
            if manager is not None:
                client.stop_channels()
                manager.shutdown_kernel(now=True)
            started = time.perf_counter()
            manager, client = start_kernel()
        elif command == "run":
            characters = run(client, json.loads(code))
        print(json.dumps({"ms": (time.perf_counter() - started) * 1000, "characters": characters}), flush=True)
    if manager is not None:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


main()

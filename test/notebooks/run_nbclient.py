"""Runs notebooks with nbclient, each in a stock kernel and a directory of its own, and writes outputs and replies as lines of JSON.

Reads {"python", "packages", "setUp", "directory", "parallel", "notebooks": [{"name", "cells"}]} from standard input. `python` is the interpreter
of the kernels; this script needs nbclient alone. `setUp` is code that each kernel runs first, without a trace.
"""

import asyncio
import json
import os
import subprocess
import sys

# A checker of addresses that jsonschema would import: it builds forty grammars, for more than a second.
sys.modules["rfc3987_syntax"] = None

import nbformat
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec
from nbclient import NotebookClient

STOCK_KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stock_kernels.py")


class Kernels(AsyncKernelManager):
    """Kernels that need no kernelspec on the disk."""

    launch = ()

    @property
    def kernel_spec(self):
        return KernelSpec(argv=list(self.launch), display_name="Python", language="python")


class Client(NotebookClient):
    """Runs the set-up before the first cell; the counter of the cells does not move."""

    set_up = ""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.replies = []

    async def _check_raise_for_error(self, cell, cell_index, exec_reply):
        content = (exec_reply or {}).get("content", {})
        self.replies.append({key: content.get(key) for key in ("status", "ename", "evalue")})

    async def async_start_new_kernel_client(self):
        client = await super().async_start_new_kernel_client()
        await client._async_execute_interactive(self.set_up, silent=True, store_history=False, allow_stdin=False)
        return client

    async def async_wait_for_reply(self, msg_id, cell=None):
        """Only used for the kernel's description after the last cell, whose reply is lost where an Output widget was used."""


async def run(notebook, request, launch, places):
    async with places:
        directory = os.path.join(request["directory"], notebook["name"])
        os.makedirs(directory)
        cells = [nbformat.v4.new_code_cell(source) for source in notebook["cells"]]
        document = nbformat.v4.new_notebook(cells=cells)
        # An absolute path: the kernel has another directory than this process.
        manager = Kernels(transport="ipc", ip=f"{directory}.sock")
        manager.launch = launch
        resources = {"metadata": {"path": directory}}
        # nbclient now and then loses the reply of a cell in which an Output widget took an error, and waits for it until this limit.
        client = Client(document, km=manager, allow_errors=True, timeout=20, resources=resources)
        client.set_up = request["setUp"]
        client.owns_km = True
        await client.async_execute(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        outputs = [cell.outputs for cell in document.cells]
        print(json.dumps({"name": notebook["name"], "outputs": outputs, "replies": client.replies}), flush=True)


async def main():
    request = json.load(sys.stdin)
    socket = os.path.join(request["directory"], "serve.sock")
    python = request["python"]
    command = [python, STOCK_KERNELS, "serve", socket, request["packages"]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        server.stdout.readline()
        launch = (python, "-S", "-E", STOCK_KERNELS, "start", socket, "{connection_file}")
        places = asyncio.Semaphore(request["parallel"])
        await asyncio.gather(*(run(notebook, request, launch, places) for notebook in request["notebooks"]))


asyncio.run(main())

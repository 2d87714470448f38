"""Asks for a checkpoint of this kernel: evaluated as a user expression of a silent, empty request, as boot() is.

The fork itself happens when the request has been handled, from the event loop: a copy can leave that by an exception, and not the frames
of a request, where IPython catches everything.
"""

import asyncio
import json
import os
import socket

from _omp import holdings, kernel_app, parking, still, whereabouts
from _omp.calls import ToolError

MIME = "application/x-omp-checkpoint"


def take(config_json):
    """config: socket, the path where the checkpoint listens."""
    from IPython import get_ipython

    config = json.loads(config_json)
    kernel = get_ipython().kernel
    refusal = holdings.obstacle(kernel)
    if refusal is not None:
        return whereabouts.Answer(MIME, {"refusal": refusal})
    not_held = _not_held(kernel)
    parked = parking.Parked(_listen(config["socket"]), os.getppid(), [*holdings.threads(kernel)])
    asyncio.get_running_loop().call_soon(parked.fork)
    return whereabouts.Answer(MIME, {"notHeld": not_held})


def copy_running(path):
    """In the middle of a cell: what is woken goes on with a kernel on top of the cell's frames, which never go on there."""
    from IPython import get_ipython

    kernel = get_ipython().kernel
    refusal = holdings.obstacle(kernel)
    if refusal is not None:
        raise ToolError(f"omp.branch: this kernel cannot be copied: {refusal}")
    not_held = _not_held(kernel)
    try:
        parking.Parked(_listen(path), os.getppid(), [*holdings.threads(kernel)]).fork()
    except parking.Awakening as raised:
        awakening = raised
    else:
        return not_held
    # Not in the handler: every error in the copy would show what woke it as its context.
    return kernel_app.run_here(awakening)


def _not_held(kernel):
    return holdings.not_copied(kernel, has_workers=not still.dismiss_openmp())


def _listen(path):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(1)
    return listener

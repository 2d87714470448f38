"""Asks for a checkpoint of this kernel: evaluated as a user expression of a silent, empty request, as boot() is.

The fork itself happens when the request has been handled, from the event loop: a copy can leave that by an exception, and not the frames
of a request, where IPython catches everything.
"""

import asyncio
import json
import os
import socket

from _omp import holdings, parking, whereabouts

MIME = "application/x-omp-checkpoint"


def take(config_json):
    """config: socket, the path where the checkpoint listens."""
    from IPython import get_ipython

    config = json.loads(config_json)
    kernel = get_ipython().kernel
    refusal = holdings.obstacle(kernel)
    if refusal is not None:
        return whereabouts.Answer(MIME, {"refusal": refusal})
    not_held = holdings.not_copied(kernel)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(config["socket"])
    listener.listen(1)
    parked = parking.Parked(listener, os.getppid())
    asyncio.get_running_loop().call_soon(parked.fork)
    return whereabouts.Answer(MIME, {"notHeld": not_held})

"""A second client of a kernel, made with jupyter_client as Jupyter's own tools are. Reads a JSON line, answers with a JSON line.

{"op": "run", "code"} runs a cell to its end; {"op": "begin", "code"} answers when the cell has started, and {"op": "end"} when it
has ended; {"op": "type", "text"} waits until that cell asks for input, and answers; {"op": "shutdown"} ends the kernel, as a notebook
server does.
"""

import json
import sys

from jupyter_client import BlockingKernelClient

TIMEOUT_S = 60


def collect(client, message_id, until):
    """Output of the cell, up to its start or its end."""
    result = {"stdout": "", "value": None, "error": None}
    while True:
        message = client.get_iopub_msg(timeout=TIMEOUT_S)
        if message["parent_header"].get("msg_id") != message_id:
            continue
        kind, content = message["msg_type"], message["content"]
        if kind == until or (kind == "status" and content["execution_state"] == until):
            return result
        if kind == "stream":
            result["stdout"] += content["text"]
        elif kind == "execute_result":
            result["value"] = content["data"]["text/plain"]
        elif kind == "error":
            result["error"] = content["ename"]


def main(connection_file):
    client = BlockingKernelClient(connection_file=connection_file)
    client.load_connection_file()
    client.start_channels()
    client.wait_for_ready(timeout=TIMEOUT_S)
    running = None
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        answer = {}
        if request["op"] == "run":
            answer = collect(client, client.execute(request["code"]), "idle")
        elif request["op"] == "begin":
            running = client.execute(request["code"])
            answer = collect(client, running, "execute_input")
        elif request["op"] == "end":
            answer = collect(client, running, "idle")
        elif request["op"] == "type":
            prompt = client.get_stdin_msg(timeout=TIMEOUT_S)["content"]["prompt"]
            client.input(request["text"])
            answer = {"prompt": prompt}
        elif request["op"] == "shutdown":
            client.shutdown()
        print(json.dumps(answer), flush=True)
    client.stop_channels()


main(sys.argv[1])

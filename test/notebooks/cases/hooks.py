# Hooks of IPython and of Python.
shell = get_ipython()
shell.events.register("post_run_cell", lambda result: print("ran", result.success))
# %%
"a value"
# %%
shell.events.callbacks["post_run_cell"].clear() if hasattr(shell.events, "callbacks") else None
# %%
import sys
result = shell.run_cell("print('nested'); 7")
result.result
# %%
def handler(shell, kind, value, tb, tb_offset=None):
    print("handled", kind.__name__)

shell.set_custom_exc((ZeroDivisionError,), handler)
1 / 0
# %%
shell.set_custom_exc((), None)
shell.input_transformers_cleanup.append(lambda lines: [line.replace("HELLO", "'hello'") for line in lines])
# %%
HELLO

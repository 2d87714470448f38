# Output that is captured and shown later.
from IPython.utils.capture import capture_output
with capture_output() as caught:
    print("out")
    display("shown")
print("captured:", caught.stdout.strip(), len(caught.outputs))
# %%
caught.show()
# %%
caught()
# %%
%%capture --no-stderr quiet
import sys
print("kept")
print("let through", file=sys.stderr)
# %%
quiet.stdout

# The two streams in the order of writing.
import sys
for i in range(4):
    print("out", i)
    print("err", i, file=sys.stderr)
# %%
print("begin", end="", flush=True)
print("!", file=sys.stderr, flush=True)
print("end")
# %%
print("result follows")
"the result"
# %%
print("before", file=sys.stderr)
display("shown")
print("after")

# Recursion without an end. A low limit: stock kernels format every frame, which takes them seconds.
import inspect, sys
sys.setrecursionlimit(len(inspect.stack()) + 115)

def forever(n):
    return forever(n + 1)

forever(0)
# %%
sys.setrecursionlimit(1000)
"after it"

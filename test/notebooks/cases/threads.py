# Threads that end with their cell.
import threading
def say(n):
    print("thread", n)

for i in range(3):
    thread = threading.Thread(target=say, args=(i,))
    thread.start()
    thread.join()
# %%
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(1) as pool:
    print(list(pool.map(lambda n: n * n, range(5))))
# %%
def fail():
    raise ValueError("in a thread")

threading.excepthook = lambda args: print("hook:", args.exc_type.__name__, args.exc_value)
thread = threading.Thread(target=fail)
thread.start()
thread.join()
# %%
ready = threading.Event()
def later():
    ready.wait()
    print("later")

background = threading.Thread(target=later)
background.start()
print("started")
# %%
ready.set()
background.join()
print("joined")

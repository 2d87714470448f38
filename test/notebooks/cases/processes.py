# Children of the kernel.
import multiprocessing
context = multiprocessing.get_context("fork")
with context.Pool(2) as pool:
    print(pool.map(abs, [-1, 2, -3]))
# %%
queue = context.Queue()
process = context.Process(target=queue.put, args=("from a process",))
process.start()
print(queue.get())
process.join()
# %%
import os, sys
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    os.write(1, b"child\n")
    os._exit(0)
_ = os.waitpid(pid, 0)
print("parent")

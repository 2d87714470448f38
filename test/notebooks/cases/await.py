# Top-level await.
import asyncio
async def work(n):
    await asyncio.sleep(0)
    return n * 2

await work(21)
# %%
await asyncio.gather(work(1), work(2))
# %%
async def numbers():
    for i in range(3):
        yield i

async for i in numbers():
    print(i)
# %%
[i async for i in numbers()]
# %%
async with asyncio.timeout(1) if hasattr(asyncio, "timeout") else asyncio.Lock():
    print("inside")
# %%
await work("a") + await work("b")
# %%
async def fail():
    raise ValueError("in a coroutine")

await fail()
# %%
asyncio.get_event_loop().is_running()
# %%
work(1).close()

# Tasks that outlive their cell.
import asyncio
async def speak(text):
    await asyncio.sleep(0)
    print(text)
    return text

task = asyncio.ensure_future(speak("from the task"))
# %%
await task
# %%
started = asyncio.Event()
async def wait_for_it():
    await started.wait()
    print("went on")

waiting = asyncio.create_task(wait_for_it())
# %%
started.set()
await waiting
# %%
async def fails():
    raise KeyError("lost")

failing = asyncio.create_task(fails())
try:
    await failing
except KeyError as error:
    print("caught", error)

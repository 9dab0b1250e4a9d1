import asyncio

n = 0


async def count(to):
    global n
    while n < to:
        n += 1
        await asyncio.sleep(0)
    return n


task = asyncio.ensure_future(count(3))
await asyncio.sleep(0)
# %%
await task
# %%
queue = asyncio.Queue()
await queue.put("x")
# %%
print(await queue.get(), task.done(), n)
# %%
await asyncio.gather(count(5), count(7))

import asyncio


async def double(n):
    await asyncio.sleep(0.01)
    return 2 * n


print(await asyncio.gather(double(1), double(2)))
async for x in (double_ async for double_ in (await double(i) for i in range(2))):
    print(x)
await double(21)

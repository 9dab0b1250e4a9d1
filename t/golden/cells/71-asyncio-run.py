import asyncio


async def one():
    return 1


asyncio.run(one())

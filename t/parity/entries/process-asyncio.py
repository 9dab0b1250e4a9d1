# SPDX-License-Identifier: Apache-2.0
#: title asyncio: tasks, a child, a timeout, a socket pair
#: out [1, 2] b'child\n' late b'ping'
import asyncio
import socket


async def later(value):
    await asyncio.sleep(0.01 * value)
    return value


async def main():
    values = await asyncio.gather(later(1), later(2))
    child = await asyncio.create_subprocess_exec("echo", "child", stdout=-1)
    said, _ = await child.communicate()
    try:
        await asyncio.wait_for(asyncio.sleep(60), 0.05)
        word = "never"
    except TimeoutError:
        word = "late"
    a, b = socket.socketpair()
    a.setblocking(False)
    b.send(b"ping")
    got = await asyncio.get_running_loop().sock_recv(a, 10)
    a.close()
    b.close()
    print(values, said, word, got)


asyncio.run(main())

# SPDX-License-Identifier: Apache-2.0
#: title shared memory between processes
#: out 42 b'text'
import mmap
import os
from multiprocessing import shared_memory

block = shared_memory.SharedMemory(create=True, size=4096)
pages = mmap.mmap(-1, 4096)
child = os.fork()
if child == 0:
    block.buf[0] = 42
    pages[:4] = b"text"
    os._exit(0)
os.waitpid(child, 0)
print(block.buf[0], pages[:4])
block.close()
block.unlink()

# SPDX-License-Identifier: Apache-2.0
"""int80: the 32-bit entry of the kernel, which goes round a 64-bit filter."""

import ctypes
import mmap
import os

GETPID = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret
pid = os.fork()
if pid == 0:
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(GETPID)
    call = ctypes.CFUNCTYPE(ctypes.c_int)(
        ctypes.addressof(ctypes.c_char.from_buffer(code))
    )
    os._exit(99 if call() == os.getpid() else 1)
status = os.waitpid(pid, 0)[1]
works = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 99
print("WORKS" if works else f"refused {status}")

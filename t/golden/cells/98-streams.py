import ctypes
import os
import subprocess
import sys

libc = ctypes.CDLL(None)
os.system("echo one")
os.write(1, b"two\n")
subprocess.run(["sh", "-c", "echo three; echo err one >&2"])
libc.puts(b"four")
libc.fflush(None)
os.write(2, b"err two\n")
6

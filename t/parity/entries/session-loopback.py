# SPDX-License-Identifier: Apache-2.0
#: title loopback connections and pipes hold over a turn, with what was under way in them
#: turns 0 0
#: out b'under way' b'and back' b'in the pipe'
import os
import socket

server = socket.create_server(("127.0.0.1", 0))
near = socket.create_connection(server.getsockname())
far = server.accept()[0]
near.sendall(b"under way")
read_end, write_end = os.pipe()
os.write(write_end, b"in the pipe")
# %%
got = far.recv(99)
far.sendall(b"and back")
print(got, near.recv(99), os.read(read_end, 99))

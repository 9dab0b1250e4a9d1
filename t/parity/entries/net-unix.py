# SPDX-License-Identifier: Apache-2.0
#: title Unix sockets: by name, abstract, with a descriptor sent along
#: out b'x' b'text' named
#: out b'x' b'text' abstract
import array
import os
import socket

with open("file", "w") as f:
    f.write("text")
for name, word in (("socket", "named"), ("\0parity", "abstract")):
    server = socket.socket(socket.AF_UNIX)
    server.bind(name)
    server.listen()
    client = socket.socket(socket.AF_UNIX)
    client.connect(name)
    there, _ = server.accept()
    fd = os.open("file", os.O_RDONLY)
    socket.send_fds(client, [b"x"], [fd])
    data, fds, _, _ = socket.recv_fds(there, 10, 1)
    print(data, os.pread(fds[0], 10, 0), word)
    assert array.array("i", fds)[0] != fd

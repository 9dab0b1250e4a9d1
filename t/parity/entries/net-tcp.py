# SPDX-License-Identifier: Apache-2.0
#: title TCP on loopback, by address and as localhost, IPv6 too
#: out b'ping' 127.0.0.1
#: out b'ping' 127.0.0.1
#: out b'ping' ::1
import socket

for family, host in (
    (socket.AF_INET, "127.0.0.1"),
    (socket.AF_INET, "localhost"),
    (socket.AF_INET6, "::1"),
):
    server = socket.create_server((host, 0), family=family)
    client = socket.create_connection((host, server.getsockname()[1]))
    there, address = server.accept()
    client.sendall(b"ping")
    print(there.recv(10), address[0])

# SPDX-License-Identifier: Apache-2.0
#: title UDP on loopback, IPv6 too
#: out b'ping' 127.0.0.1
#: out b'ping' ::1
import socket

for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    with (
        socket.socket(family, socket.SOCK_DGRAM) as a,
        socket.socket(family, socket.SOCK_DGRAM) as b,
    ):
        a.bind((host, 0))
        a.settimeout(20)
        b.sendto(b"ping", (host, a.getsockname()[1]))
        data, address = a.recvfrom(10)
        print(data, address[0])

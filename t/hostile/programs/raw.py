# SPDX-License-Identifier: Apache-2.0
"""raw: sockets that see or make whole packets."""

import socket

KINDS = {
    "packet": (17, socket.SOCK_RAW, 3),
    "packet-dgram": (17, socket.SOCK_DGRAM, 3),
    "icmp": (socket.AF_INET, socket.SOCK_RAW, 1),
    "ip": (socket.AF_INET, socket.SOCK_RAW, 255),
    "icmp6": (socket.AF_INET6, socket.SOCK_RAW, 58),
}
for name, how in KINDS.items():
    try:
        socket.socket(*how).close()
        print("OPENED", name)
    except OSError as e:
        print("refused", name, e.errno)

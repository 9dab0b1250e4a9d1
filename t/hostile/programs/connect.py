# SPDX-License-Identifier: Apache-2.0
"""connect PORT ADDRESS...: knocks there and at what is commonly within reach."""

import socket
import sys
import time

COMMON = [
    "10.0.0.1",
    "100.100.100.200",
    "169.254.169.254",
    "192.0.2.1",
    "255.255.255.255",
    "1.1.1.1",
    "fd00:ec2::254",
    "2606:4700:4700::1111",
]


def knock(address, port, kind):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, kind) as s:
        s.settimeout(5)
        s.connect((address, port))
        s.send(b"knock\n")


port = int(sys.argv[1])
for address in sys.argv[2:] + COMMON:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        begin = time.monotonic()
        try:
            knock(address, port, kind)
            word = "SENT"
        except OSError as e:
            word = f"errno={e.errno}"
        speed = "slow" if time.monotonic() - begin > 2 else "quick"
        print(word, speed, kind.name, address)

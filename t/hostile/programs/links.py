# SPDX-License-Identifier: Apache-2.0
"""links: the network's interfaces and routes, and an attempt to make another."""

import os
import socket
import struct

NLMSG_ERROR, RTM_NEWLINK, ACK_CREATE_EXCL = 2, 16, 0x605
IFLA_IFNAME, IFLA_LINKINFO, IFLA_INFO_KIND = 3, 18, 1


def attribute(kind, body):
    return struct.pack("HH", 4 + len(body), kind) + body + b"\0" * (-len(body) % 4)


def new_link():
    body = struct.pack("BxHiII", 0, 0, 0, 0, 0)
    body += attribute(IFLA_IFNAME, b"pai0\0")
    body += attribute(IFLA_LINKINFO, attribute(IFLA_INFO_KIND, b"dummy\0"))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as s:
        s.settimeout(2)
        head = struct.pack("IHHII", 16 + len(body), RTM_NEWLINK, ACK_CREATE_EXCL, 1, 0)
        s.sendto(head + body, (0, 0))
        answer = s.recv(4096)
        if struct.unpack_from("H", answer, 4)[0] != NLMSG_ERROR:
            return 0
        return -struct.unpack_from("i", answer, 16)[0]


print("links", [name for _, name in socket.if_nameindex()])
if os.path.isdir("/sys/class/net"):
    print("sysfs", sorted(os.listdir("/sys/class/net")))
for path in ("/proc/net/route", "/proc/net/arp"):
    try:
        with open(path) as f:
            print(path, len(f.read().splitlines()) - 1)
    except OSError:
        print(path, 0)
try:
    print("new link", new_link())
except OSError as e:
    print("new link", e.errno)
print("links", [name for _, name in socket.if_nameindex()])

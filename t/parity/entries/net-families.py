# SPDX-License-Identifier: Apache-2.0
#: title only AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, no raw sockets, no vsock
#: out [1, 2, 10, 16]
#: out 17 EAFNOSUPPORT
#: out 38 EAFNOSUPPORT
#: out 40 EAFNOSUPPORT
#: out 44 EAFNOSUPPORT
#: out raw IPv4 EPERM
#: out raw IPv6 EPERM
import errno
import socket


def refusal(family, kind, protocol=0):
    try:
        socket.socket(family, kind, protocol).close()
    except OSError as e:
        return errno.errorcode[e.errno]


kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM)
print([f for f in range(64) if any(refusal(f, k) is None for k in kinds)])
for family in (17, 38, 40, 44):  # packet, alg, vsock, xdp
    print(family, refusal(family, socket.SOCK_STREAM))
print("raw IPv4", refusal(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
print("raw IPv6", refusal(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6))

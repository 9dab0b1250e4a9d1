# SPDX-License-Identifier: Apache-2.0
#: title whatever leaves the sandbox fails at once, with ENETUNREACH
#: out tcp 192.0.2.1 ENETUNREACH
#: out udp 192.0.2.1 ENETUNREACH
#: out tcp 169.254.169.254 ENETUNREACH
#: out udp 169.254.169.254 ENETUNREACH
#: out tcp 10.0.0.1 ENETUNREACH
#: out udp 10.0.0.1 ENETUNREACH
#: out tcp 2001:db8::1 ENETUNREACH
#: out udp 2001:db8::1 ENETUNREACH
#: out gaierror True
#: out ['lo']
import errno
import socket
import time

begin = time.monotonic()
for host in ("192.0.2.1", "169.254.169.254", "10.0.0.1", "2001:db8::1"):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for kind, word in ((socket.SOCK_STREAM, "tcp"), (socket.SOCK_DGRAM, "udp")):
        with socket.socket(family, kind) as s:
            s.settimeout(20)
            try:
                if kind == socket.SOCK_STREAM:
                    s.connect((host, 80))
                else:
                    s.sendto(b"x", (host, 53))
                print(word, host, "LEFT")
            except OSError as e:
                print(word, host, errno.errorcode.get(e.errno, e))
try:
    socket.getaddrinfo("example.com", 80)
except socket.gaierror as e:
    print(type(e).__name__, time.monotonic() - begin < 10)
print([name for _, name in socket.if_nameindex()])

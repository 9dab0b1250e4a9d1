# SPDX-License-Identifier: Apache-2.0
"""unix PATH ABSTRACT: sockets of the host, by path and by name."""

import socket
import sys

COMMON = [
    "/run/docker.sock",
    "/var/run/docker.sock",
    "/run/containerd/containerd.sock",
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
    "/tmp/.X11-unix/X0",
    "\0/tmp/.X11-unix/X0",
    "\0/containerd-shim/",
]


def seen():
    try:
        with open("/proc/net/unix") as f:
            words = [line.split() for line in f.read().splitlines()[1:]]
            return [w[7].replace("@", "\0", 1) for w in words if len(w) > 7]
    except OSError:
        return []


path, name = sys.argv[1:]
for address in [path, "/proc/1/root" + path, "\0" + name, *COMMON, *seen()]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        with socket.socket(socket.AF_UNIX, kind) as s:
            s.settimeout(2)
            try:
                s.connect(address)
                s.send(b"knock\n")
                print("REACHED", repr(address))
            except OSError as e:
                print("refused", repr(address), e.errno)

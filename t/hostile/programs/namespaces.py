# SPDX-License-Identifier: Apache-2.0
"""namespaces: new ones, by every call that makes them; and what one would allow."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
CLONE, UNSHARE, SETNS, CLONE3 = 56, 272, 308, 435
SIGCHLD = 17
KINDS = {
    "user": 0x10000000,
    "mount": 0x00020000,
    "pid": 0x20000000,
    "net": 0x40000000,
    "ipc": 0x08000000,
    "uts": 0x04000000,
    "cgroup": 0x02000000,
    "time": 0x00000080,
}


def in_child(call):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if call() >= 0 else ctypes.get_errno())
    return os.WEXITSTATUS(os.waitpid(pid, 0)[1])


def cloned(flags):
    pid = libc.syscall(CLONE, flags | SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)
    return pid


def cloned3(flags):
    words = (ctypes.c_uint64 * 8)(flags, 0, 0, 0, SIGCHLD, 0, 0, 0)
    pid = libc.syscall(CLONE3, words, ctypes.sizeof(words))
    if pid == 0:
        os._exit(0)
    return pid


def say(name, error):
    print("refused" if error else "DONE", name, error)


for kind, flag in KINDS.items():
    say("unshare " + kind, in_child(lambda flag=flag: libc.syscall(UNSHARE, flag)))
    if kind != "time":  # its bit is a part of clone's signal number
        say("clone " + kind, in_child(lambda flag=flag: cloned(flag)))
    say("clone3 " + kind, in_child(lambda flag=flag: cloned3(flag)))
say("user and mount", in_child(lambda: libc.syscall(UNSHARE, 0x10020000)))
own = os.open("/proc/self/ns/mnt", os.O_RDONLY)
say("setns", in_child(lambda: libc.syscall(SETNS, own, 0)))

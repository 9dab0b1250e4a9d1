# SPDX-License-Identifier: Apache-2.0
"""doors: calls that have opened kernels before, each with arguments that would do."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
buf = ctypes.create_string_buffer(4096)
DOORS = {
    "io_uring_setup": (425, 8, buf),
    "io_uring_enter": (426, 0, 0, 0, 0, 0, 0),
    "io_uring_register": (427, 0, 0, 0, 0),
    "bpf program": (321, 5, buf, 128),
    "bpf map": (321, 0, buf, 72),
    "perf_event_open": (298, buf, 0, -1, -1, 0),
    "userfaultfd": (323, 0),
    "userfaultfd for users": (323, 1),
    "add_key": (248, b"user", b"pai", b"x", 1, -4),
    "keyctl": (250, 1, 0),
    "request_key": (249, b"user", b"pai", 0, -4),
    "kexec_load": (246, 0, 0, 0, 0),
    "kexec_file_load": (320, -1, -1, 0, 0, 4),
    "init_module": (175, buf, 16, b""),
    "finit_module": (313, 0, b"", 0),
    "delete_module": (176, b"x", 0),
    "ptrace of 1": (101, 0x4206, 1, 0, 0),
    "process_vm_readv": (310, 1, buf, 1, buf, 1, 0),
    "process_vm_writev": (311, 1, buf, 1, buf, 1, 0),
    "iopl": (172, 3),
    "ioperm": (173, 0, 8, 1),
    "modify_ldt": (154, 1, buf, 16),
    "fanotify_init": (300, 0, 0),
    "pidfd_getfd": (438, 0, 0, 0),
    "kcmp": (312, 1, 1, 0, 0, 0),
    "memfd_secret": (447, 0),
    "setns": (308, 0, 0),
    "quotactl": (179, 0, 0, 0, 0),
    "acct": (163, 0),
    "swapon": (167, b"/tmp/x", 0),
    "swapoff": (168, b"/tmp/x"),
    "reboot": (169, 0, 0, 0, 0),
    "sethostname": (170, b"x", 1),
    "setdomainname": (171, b"x", 1),
    "settimeofday": (164, buf, 0),
    "clock_settime": (227, 0, buf),
    "clock_adjtime": (305, 0, buf),
    "syslog": (103, 3, buf, 4096),
    "lookup_dcookie": (212, 0, 0, 0),
    "vhangup": (153,),
    "mount": (165, b"x", b"/tmp", b"tmpfs", 0, 0),
    "seccomp with a listener": (317, 1, 8, buf),
}
for name, (number, *args) in DOORS.items():
    pid = os.fork()
    if pid == 0:
        r = libc.syscall(ctypes.c_long(number), *args)
        os._exit(ctypes.get_errno() if r == -1 else 255)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        print("signal", os.WTERMSIG(status), name)
    elif os.WEXITSTATUS(status) == 255:
        print("OPEN", name)
    else:
        print("refused", name, os.WEXITSTATUS(status))

# SPDX-License-Identifier: Apache-2.0
#: title kernel doors are shut, and each says so with an error
#: out bpf EPERM
#: out chroot EPERM
#: out clone newuser EPERM
#: out clone3 ENOSYS
#: out fsopen EPERM
#: out io_uring_setup EPERM
#: out keyctl EPERM
#: out mount EPERM
#: out open_by_handle_at EPERM
#: out perf_event_open EPERM
#: out pivot_root EPERM
#: out process_vm_readv EPERM
#: out ptrace EPERM
#: out reboot EPERM
#: out setns EPERM
#: out settimeofday EPERM
#: out syslog EPERM
#: out umount2 EPERM
#: out unshare mount EPERM
#: out unshare user EPERM
#: out userfaultfd EPERM
import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)
CALLS = {
    "bpf": (321, 0, 0, 0),
    "chroot": (161, b"/"),
    "clone newuser": (56, 0x10000000 | 17, 0, 0, 0, 0),
    "clone3": (435, 0, 0),
    "fsopen": (430, b"tmpfs", 0),
    "io_uring_setup": (425, 1, 0),
    "keyctl": (250, 0, 0),
    "mount": (165, b"t", b"/tmp", b"tmpfs", 0, 0),
    "open_by_handle_at": (304, -1, 0, 0),
    "perf_event_open": (298, 0, 0, -1, -1, 0),
    "pivot_root": (155, b"/", b"/"),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "ptrace": (101, 0, 0, 0, 0),
    "reboot": (169, 0, 0, 0, 0),
    "setns": (308, 0, 0),
    "settimeofday": (164, 0, 0),
    "syslog": (103, 3, 0, 0),
    "umount2": (166, b"/tmp", 0),
    "unshare mount": (272, 0x20000),
    "unshare user": (272, 0x10000000),
    "userfaultfd": (323, 0),
}
for name, args in sorted(CALLS.items()):
    done = libc.syscall(*args) >= 0
    print(name, "DONE" if done else errno.errorcode[ctypes.get_errno()])

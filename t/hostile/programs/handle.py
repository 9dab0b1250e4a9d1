# SPDX-License-Identifier: Apache-2.0
"""handle: files by number instead of by name, past all folders above them."""

import ctypes
import struct

libc = ctypes.CDLL(None, use_errno=True)
NAME_TO_HANDLE_AT, OPEN_BY_HANDLE_AT = 303, 304
handle = ctypes.create_string_buffer(struct.pack("IiQ", 8, 1, 2), 144)  # inode 2
mount = ctypes.c_int()
calls = {
    "open_by_handle_at": (OPEN_BY_HANDLE_AT, -100, handle, 0),
    "name_to_handle_at": (
        NAME_TO_HANDLE_AT,
        -100,
        b"/",
        handle,
        ctypes.byref(mount),
        0,
    ),
}
for name, args in calls.items():
    if libc.syscall(*args) >= 0:
        print("DONE", name)
    else:
        print("refused", name, ctypes.get_errno())

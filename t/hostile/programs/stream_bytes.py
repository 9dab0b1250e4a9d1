# SPDX-License-Identifier: Apache-2.0
"""stream_bytes: every byte on both streams, and a character that is cut."""

import os

os.write(1, bytes(range(256)) * 64)
os.write(2, bytes(reversed(range(256))) * 64)
os.write(1, b"no newline at the end \xe2\x82")

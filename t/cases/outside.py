# SPDX-License-Identifier: Apache-2.0
import socket
import time
import urllib.request

for what in (
    lambda: urllib.request.urlopen("https://example.org/", timeout=20),
    lambda: socket.create_connection(("192.0.2.1", 80), timeout=20),
    lambda: socket.create_connection(("169.254.169.254", 80), timeout=20),
):
    t = time.time()
    try:
        what()
        print("REACHED")
    except OSError as e:
        print(type(e).__name__, time.time() - t < 2)

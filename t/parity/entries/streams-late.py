# SPDX-License-Identifier: Apache-2.0
#: title threads and atexit run to their end, and what they print is kept
#: out main
#: out thread
#: out atexit
import atexit
import threading
import time


def late():
    time.sleep(0.2)
    print("thread")


atexit.register(print, "atexit")
threading.Thread(target=late).start()
print("main")

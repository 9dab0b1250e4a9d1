# SPDX-License-Identifier: Apache-2.0
import time

print("up")
time.sleep(600)

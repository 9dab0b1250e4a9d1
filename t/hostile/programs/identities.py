# SPDX-License-Identifier: Apache-2.0
"""identities: what must differ from one clone to the next, a line each."""

import os
import random
import secrets
import socket
import sys
import tempfile
import uuid

print("urandom", os.urandom(16).hex())
print("getrandom", os.getrandom(16).hex())
print("random", random.getrandbits(128))
print("secrets", secrets.token_hex(16))
print("uuid4", uuid.uuid4())
print("uuid1", uuid.uuid1())
print("tempfile", tempfile.mkdtemp())
print("host name", socket.gethostname())
print("auxv", sys.flags.hash_randomization, secrets.randbits(64))
with open("/proc/sys/kernel/random/uuid") as f:
    print("kernel uuid", f.read().strip())
if len(sys.argv) > 1:
    import numpy

    print("numpy", numpy.random.random(), numpy.random.default_rng().random())

# SPDX-License-Identifier: Apache-2.0
#: title random sources answer, and two draws differ
#: out 16 16 True True
import os
import random
import uuid

a, b = os.urandom(16), os.getrandom(16)
print(
    len(a),
    len(b),
    a != b,
    uuid.uuid4() != uuid.uuid4() and random.random() != random.random(),
)

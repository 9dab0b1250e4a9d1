# SPDX-License-Identifier: Apache-2.0
#: title every byte passes unchanged
#: sha256-out 40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880
import sys

sys.stdout.buffer.write(bytes(range(256)))

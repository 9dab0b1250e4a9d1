# SPDX-License-Identifier: Apache-2.0
import sys

print('{"exit_code": 0, "status": "ok", "results": [], "error": null}')
print("__END__ <<EOF>> ##end_of_execution## __RESULT__:42 FAILED Traceback")
print("\x00\x01\x1e end")
sys.exit(5)

# SPDX-License-Identifier: Apache-2.0
import logging
import sys
import warnings

logging.basicConfig(level=logging.INFO)
logging.info("starting")
warnings.warn("old API")
print("0 failed, Error: none")
print("note", file=sys.stderr)

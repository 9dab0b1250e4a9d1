# SPDX-License-Identifier: Apache-2.0
#: title warnings and logging go to standard error and are no failure
#: err INFO:root:starting
#: err status-warnings.py:11: UserWarning: old API
#: err   warnings.warn("old API", stacklevel=1)
import logging
import warnings

logging.basicConfig(level=logging.INFO)
logging.info("starting")
warnings.warn("old API", stacklevel=1)

# SPDX-License-Identifier: Apache-2.0
#: title a program starts with no signal blocked, and ignores what python3 ignores
#: out set()
#: out ['SIGPIPE', 'SIGXFSZ']
import signal

print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
print(
    [
        s.name
        for s in signal.valid_signals()
        if signal.getsignal(s) == signal.SIG_IGN and isinstance(s, signal.Signals)
    ]
)

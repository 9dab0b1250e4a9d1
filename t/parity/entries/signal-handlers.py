# SPDX-License-Identifier: Apache-2.0
#: title handlers run: SIGUSR1, SIGALRM by setitimer, sigwait, SIGCHLD
#: out ['SIGUSR1', 'SIGALRM', 'SIGCHLD']
#: out SIGUSR2
import os
import signal
import time

seen = []


def note(number, frame):
    seen.append(signal.Signals(number).name)


for each in (signal.SIGUSR1, signal.SIGALRM, signal.SIGCHLD):
    signal.signal(each, note)
os.kill(os.getpid(), signal.SIGUSR1)
signal.setitimer(signal.ITIMER_REAL, 0.05)
while len(seen) < 2:
    time.sleep(1)
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
print(seen)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
os.kill(os.getpid(), signal.SIGUSR2)
print(signal.sigwait({signal.SIGUSR2}).name)

# SPDX-License-Identifier: Apache-2.0
#: title threads count as processes
#: options --pids=20
#: out can't start new thread True
# Under gVisor some more get through, as with processes.
import threading

end = threading.Event()
threads = []
try:
    while len(threads) < 200:
        threads.append(threading.Thread(target=end.wait))
        threads[-1].start()
except RuntimeError as e:
    print(e, len(threads) - 1 >= 19)
end.set()

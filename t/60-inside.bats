# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# What the program finds inside: nothing of the host, no rights, no network.

load helper

@test "uid 1000, no groups, no capabilities, no_new_privs, a system call filter" {
	run -0 pai -l shell -c "id; grep -E '^(Groups|Cap|NoNewPrivs|Seccomp):?' /proc/self/status | grep -v '0000000000000000'"
	[ "${lines[0]}" = 'uid=1000(user) gid=1000(user) groups=1000(user)' ]
	[[ $output != *Cap* ]]
	[[ $output == *NoNewPrivs:$'\t'1* ]]
	[[ $output == *Seccomp:$'\t'2* ]]
}

@test "the root is read-only; /workspace, /tmp, /dev/shm and HOME can be written" {
	run -0 pai -c 'import os
for d in ("/", "/usr", "/etc", "/home", "/run", "/var", "/mnt", "/dev", "/usr/lib/pai"):
    try: open(d + "/x", "w"); print("WRITTEN", d)
    except OSError: pass
for d in ("/workspace", "/tmp", "/dev/shm", os.path.expanduser("~"), "/var/tmp"):
    open(d + "/x", "w").write("x")
print("fine")'
	[ "$output" = fine ]
}

@test "no namespaces, mounts or other kernel doors, and they fail with an error" {
	run -0 pai -c 'import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
calls = {"unshare user": (272, 0x10000000), "unshare mnt": (272, 0x20000), "mount": (165, b"t", b"/tmp", b"tmpfs", 0, 0),
 "setns": (308, 0, 0), "chroot": (161, b"/"), "pivot_root": (155, b"/", b"/"), "bpf": (321, 0, 0, 0), "keyctl": (250, 0, 0),
 "io_uring_setup": (425, 1, 0), "userfaultfd": (323, 0), "perf_event_open": (298, 0, 0, -1, -1, 0), "ptrace": (101, 0, 0, 0, 0),
 "open_by_handle_at": (304, -1, 0, 0), "sethostname": (170, b"x", 1), "clone user": (56, 0x10000000 | 17, 0, 0, 0, 0)}
for name, args in calls.items():
    if libc.syscall(*args) >= 0: print("OPEN", name)
print("end")'
	[ "$output" = end ]
}

@test "only known socket families" {
	run -0 pai -c 'import socket
ok = []
for f in range(64):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socket(f, kind).close(); ok.append(f); break
        except OSError: pass
print(ok)'
	[ "$output" = '[1, 2, 10, 16]' ] || [ "$output" = '[1, 2, 10]' ]
}

@test "loopback works, everything else is refused at once" {
	run -0 --separate-stderr pai "$cases/loop.py"
	[ "$output" = 200 ]
	run -0 pai "$cases/outside.py"
	[ "$output" = 'URLError True
OSError True
OSError True' ]
	run -0 pai -c 'import socket
name = socket.gethostname()
with socket.create_server((name, 0)) as s: socket.create_connection(s.getsockname())
print(socket.gethostbyname(name).split(".")[0], socket.getfqdn() == name)
for act in (lambda: open("/etc/hosts", "a"), lambda: open("/etc/hosts").write("")):
    try: act(); print("WRITTEN")
    except OSError: pass'
	[ "$output" = '127 True' ]
	run -0 pai -c 'import socket; print([n for _, n in socket.if_nameindex()])'
	[ "$output" = "['lo']" ]
}

@test "/dev holds what programs need and no more" {
	run -0 pai -c 'import os
print(sorted(n for n in os.listdir("/dev") if n not in ("char",)))
print(os.listdir("/sys"))'
	[ "${lines[0]}" = "['fd', 'full', 'null', 'ptmx', 'pts', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'tty', 'urandom', 'zero']" ]
	[ "${lines[1]}" = '[]' ]
}

@test "the environment is an allow-list" {
	run -0 pai -c 'import os; print("\n".join(sorted(os.environ)))'
	[ "$output" = "HOME
LANG
LOGNAME
MPLBACKEND
OMP_NUM_THREADS
OPENBLAS_NUM_THREADS
PATH
PYTHONDONTWRITEBYTECODE
PYTHONHASHSEED
PYTHON_CPU_COUNT
SHELL
TZ
USER" ]
}

@test "only descriptors 0, 1 and 2 are open" {
	run -0 pai -l shell -c 'exec ls /proc/self/fd'
	[ "$(xargs <<<"$output")" = '0 1 2 3' ]	# 3 is ls's own
	exec 7<"$BATS_TEST_FILENAME"
	run -0 pai -l shell -c 'exec ls /proc/self/fd'
	[ "$(xargs <<<"$output")" = '0 1 2 3' ]
}

@test "the program cannot reach pai-guest" {
	run -0 pai -c 'import os
for act in (lambda: os.kill(1, 9), lambda: os.kill(1, 0), lambda: open("/proc/1/environ").read(), lambda: open("/proc/1/mem", "rb+")):
    try: act(); print("REACHED")
    except OSError: pass
try: os.kill(-1, 9)
except OSError: pass
print("alive")'
	[[ $output != *REACHED* ]]
}

@test "host name and host identity stay outside" {
	run -0 pai -c 'import os, socket; print(socket.gethostname(), os.path.exists("/etc/machine-id"), os.path.exists("/etc/resolv.conf"))'
	[[ $output =~ ^pai-[0-9a-f]{8}\ False\ False$ ]]
	[[ $output != *"$(hostname)"* ]]
}

@test "limits cannot be raised" {
	run -0 pai --disk=10M -c 'import resource
for n in ("RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_CORE"):
    r = getattr(resource, n); soft, hard = resource.getrlimit(r)
    try: resource.setrlimit(r, (hard + 1, hard + 1)); print("RAISED", n)
    except (ValueError, OSError): pass
print("end")'
	[ "$output" = end ]
}

@test "scipy, IPython, plotly, openpyxl, a CJK font and the font list are there" {
	run -0 --separate-stderr pai -c 'import scipy.stats, IPython, plotly.express, openpyxl, sqlite3, zoneinfo, time
t = time.time()
import matplotlib.pyplot as plt, warnings
warnings.simplefilter("error")
plt.rcParams["font.sans-serif"] = ["WenQuanYi Zen Hei"]
plt.title("売上 отчёт"); plt.savefig("x.png")
print("ok")'
	[ "$output" = ok ]
	[ -z "$stderr" ]
	[ "$(pai -l shell -c 'python -c "print(6 * 7)"')" = 42 ]
}

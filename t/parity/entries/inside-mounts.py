# SPDX-License-Identifier: Apache-2.0
#: title what is mounted where, and how
#: out / erofs ro
#: out /dev rw
#: out /dev/pts devpts rw
#: out /dev/shm tmpfs nodev nosuid rw
#: out /etc/hosts tmpfs nodev nosuid rw
#: out /home/user tmpfs nodev nosuid rw
#: out /proc proc noexec nosuid rw
#: out /run/pai tmpfs nodev nosuid rw
#: out /tmp tmpfs nodev nosuid rw
#: out /workspace tmpfs nodev nosuid rw
# Of the places that nobody may write, more options than these are no promise.
PROMISED = {
    "/": {"ro"},
    "/dev": {"rw"},
    "/dev/pts": {"rw"},
    "/proc": {"rw", "nosuid", "noexec"},
}
FLAGS = {"ro", "rw", "nosuid", "nodev", "noexec"}
seen = {}
with open("/proc/self/mounts") as f:
    for line in f:
        _, path, kind, options, *_ = line.split()
        flags = FLAGS & set(options.split(","))
        flags &= PROMISED.get(path, FLAGS)
        kind = "" if path == "/dev" else kind
        seen[path] = " ".join([path, kind, *sorted(flags)]).replace("  ", " ")
hidden = ("/proc/", "/sys/")
for path in sorted(seen):
    if not path.startswith(hidden):
        print(seen[path])

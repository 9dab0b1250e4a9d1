# SPDX-License-Identifier: Apache-2.0
#: title hard limits cannot be raised, soft ones can
#: out EPERM NOFILE
#: out EPERM NPROC
#: out EPERM CORE
#: out 4096
import errno
import resource


def set_limit(name, soft, hard):
    try:
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (soft, hard))
    except ValueError:
        return "EPERM"  # as the module tells it
    except OSError as e:
        return errno.errorcode[e.errno]
    return "raised"


for name in ("NOFILE", "NPROC", "CORE"):
    hard = resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1]
    print(set_limit(name, hard + 1, hard + 1), name)
set_limit("NOFILE", 4096, 4096)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])

/* SPDX-License-Identifier: Apache-2.0 */
/* fcconf - the configuration of a microVM that starts cold, for --config-file. */
#ifndef PAI_BACKEND_FCCONF_H
#define PAI_BACKEND_FCCONF_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* In the keeper's root: the files vmlinux, initrd and rootfs. */
#define FCCONF_VM "/vm"
/* In Firecracker's working directory: its configuration, and the socket of its vsock;
 * a port that the guest dials has "_" and the number of it behind that. */
#define FCCONF_FILE "vm.json"
#define FCCONF_SOCKET "v.sock"

/* Writes FCCONF_FILE, and what it names, into the working directory. COUNT: the machine
 * counts the pages that it writes, and may be saved (fcsnap.h). */
int fcconf_write(uint64_t cpus, uint64_t mib, bool count, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* boot - what pai-guest does where no other kernel does it for us: as the init
 * of a microVM it loads the modules of its initrd, mounts the image, makes /dev
 * and dials the host. Under gVisor nothing of this is called. */
#ifndef PAI_GUEST_BOOT_H
#define PAI_GUEST_BOOT_H

#include "guest/guest.h"

/* The modules, without which there is nobody to talk to. */
int boot_modules(struct err *e);
/* Makes the image our root, with the folders that gVisor gives. */
int boot_root(struct guest *g, struct err *e);
/* Connects to the host: the control channel and the two raw streams. Again
 * after a snapshot was loaded, for that resets all connections. */
int boot_dial(struct guest *g, struct err *e);
/* The clock and the random numbers that the host gives for this run. */
int boot_refresh(const struct msg_run *run, struct err *e);

#endif

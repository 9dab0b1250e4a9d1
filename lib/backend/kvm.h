/* SPDX-License-Identifier: Apache-2.0 */
/* kvm - whether a guest can run here. That /dev/kvm opens proves nothing (kvm_pvm
 * passes every check and starts no ordinary kernel): what counts is a guest that
 * has answered, and its word is kept until the next boot. */
#ifndef PAI_BACKEND_KVM_H
#define PAI_BACKEND_KVM_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define KVM_DEVICE "/dev/kvm"
#define KVM_AGAIN_S 600		/* after a time-out it is tried again */

/* 0 if a guest may be tried: the device opens, the CPU has what it takes. */
int kvm_probe(struct err *e);
/* -1 and the reason if a guest was silent so lately that it is not worth while. */
int kvm_doubt(struct err *e);
/* A guest has answered, or was silent. */
void kvm_told(bool answered);
/* True if one has answered since this host was booted. */
bool kvm_is_known(void);

#endif

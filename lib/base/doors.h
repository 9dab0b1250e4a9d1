/* SPDX-License-Identifier: Apache-2.0 */
/* doors - system calls into the kernel that nothing of a sandbox needs: neither
 * the program inside nor the backend around it. X(name) for each. */
#ifndef PAI_BASE_DOORS_H
#define PAI_BASE_DOORS_H

#define DOORS(X) \
	/* kernel subsystems with a history */ \
	X(bpf) X(perf_event_open) X(userfaultfd) X(keyctl) X(add_key) X(request_key) \
	X(io_uring_setup) X(io_uring_enter) X(io_uring_register) X(fanotify_init) \
	X(open_by_handle_at) X(lookup_dcookie) X(memfd_secret) \
	/* the kernel itself, and the CPU */ \
	X(kexec_load) X(kexec_file_load) X(init_module) X(finit_module) X(delete_module) \
	X(modify_ldt) X(iopl) X(ioperm) \
	/* the machine */ \
	X(acct) X(swapon) X(swapoff) X(reboot) X(settimeofday) X(clock_settime) \
	X(clock_adjtime) X(adjtimex) X(quotactl) X(quotactl_fd) X(syslog) X(vhangup)

#endif

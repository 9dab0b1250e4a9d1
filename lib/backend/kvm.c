/* SPDX-License-Identifier: Apache-2.0 */
/* kvm - see kvm.h */
#include "backend/kvm.h"

#include "base/fd.h"
#include "state/known.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One word for this host, this boot; the node's times change with each. */
#define WORD "kvm"

static int check_device(struct err *e)
{
	AUTO_FD fd = open(KVM_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return ioctl(fd, KVM_GET_API_VERSION, 0) == KVM_API_VERSION ? 0
		     : err_set(e, ERR_BACKEND, KVM_DEVICE ": not the KVM that we know");
	int why = errno;
	struct stat st = { 0 };
	bool shared = stat(KVM_DEVICE, &st) == 0 && st.st_gid != 0 && (st.st_mode & 060) == 060;
	/* EPERM is a container's list of devices */
	const char *cure = why == ENOENT || why == EPERM ? " (a container needs --device /dev/kvm)"
		: why != EACCES ? ""
		: shared ? " (`usermod -aG kvm USER` as root gives it to USER, from the next login on)"
		: " (`chmod 666 " KVM_DEVICE "` as root gives it to all)";
	return err_set(e, ERR_BACKEND, KVM_DEVICE ": %s%s", strerror(why), cure);
}

/* Where neither is, KVM is there in name only. */
static int check_cpu(struct err *e)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[8192];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "flags", 5) && (strstr(line, " vmx ") || strstr(line, " svm ") ||
						       strstr(line, " svm\n") || strstr(line, " vmx\n"));
	if (f)
		fclose(f);
	return found ? 0 : err_set(e, ERR_BACKEND, "the CPU has neither vmx nor svm here (a virtual "
				   "machine without nested virtualization)");
}

/* The time of the last silence in seconds since 1970, 0 for an answer, -1 for
 * neither. */
static long verdict(void)
{
	char text[KNOWN_MAX];

	if (!known_get(KVM_DEVICE, WORD, text))
		return -1;
	return !strncmp(text, "yes", 3) ? 0 : !strncmp(text, "no ", 3) ? strtol(text + 3, NULL, 10) : -1;
}

bool kvm_is_known(void)
{
	return verdict() == 0;
}

int kvm_probe(struct err *e)
{
	struct err cpu = { 0 };

	if (check_device(e) == 0)
		return check_cpu(e);
	/* a device is of no use then */
	if (check_cpu(&cpu) < 0)
		*e = cpu;
	return -1;
}

int kvm_doubt(struct err *e)
{
	long silent = verdict(), ago = (long)time(NULL) - silent;

	if (silent > 0 && ago >= 0 && ago < KVM_AGAIN_S)
		return err_set(e, ERR_BACKEND, "no guest answered %ld s ago (it is tried again after "
			       "%d s)", ago, KVM_AGAIN_S);
	return 0;
}

void kvm_told(bool answered)
{
	char text[KNOWN_MAX];

	if (answered && verdict() == 0)
		return;
	snprintf(text, sizeof(text), answered ? "yes" : "no %ld", (long)time(NULL));
	known_put(KVM_DEVICE, WORD, text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* fcconf - see fcconf.h */
#include "backend/fcconf.h"

#include "base/fd.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#define CPU_FILE "cpu.json"

/* Quiet, with what a microVM has not left out; cryptomgr's tests and the jitter
 * generator are half of a boot. */
#define BOOT_ARGS "reboot=k panic=-1 pci=off quiet loglevel=0 8250.nr_uarts=0 i8042.noaux " \
		  "i8042.nomux i8042.nopnp i8042.dumbkbd cryptomgr.notests " \
		  "initcall_blacklist=jent_mod_init"

#define MACHINE \
	"{\"boot-source\":{\"kernel_image_path\":\"" FCCONF_VM "/vmlinux\",\"initrd_path\":\"" FCCONF_VM "/initrd\"," \
	"\"boot_args\":\"" BOOT_ARGS "\"}," \
	"\"drives\":[{\"drive_id\":\"image\",\"path_on_host\":\"" FCCONF_VM "/rootfs\"," \
	"\"is_root_device\":false,\"is_read_only\":true}]," \
	"\"machine-config\":{\"vcpu_count\":%" PRIu64 ",\"mem_size_mib\":%" PRIu64 "," \
	"\"track_dirty_pages\":%s},\"cpu-config\":\"" CPU_FILE "\"," \
	"\"vsock\":{\"guest_cid\":3,\"uds_path\":\"" FCCONF_SOCKET "\"}}"

/* The processor as it is, without its own virtualisation: bits vmx and svm. */
#define CPU_LEAF(leaf, bits) "{\"leaf\":\"" leaf "\",\"subleaf\":\"0x0\",\"flags\":0," \
			     "\"modifiers\":[{\"register\":\"ecx\",\"bitmap\":\"0b" bits "\"}]}"
static const char cpu_config[] = "{\"cpuid_modifiers\":["
	CPU_LEAF("0x1", "xxxxxxxxxxxxxxxxxxxxxxxxxx0xxxxx") ","
	CPU_LEAF("0x80000001", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxx0xx") "]}";

static int write_text(const char *name, const char *text, size_t n, struct err *e)
{
	AUTO_FD fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	return fd < 0 || fd_write_all(fd, text, n) < 0 ? err_sys(e, ERR_HOST, "write %s", name) : 0;
}

int fcconf_write(uint64_t cpus, uint64_t mib, bool count, struct err *e)
{
	char text[2048];
	int n = snprintf(text, sizeof(text), MACHINE, cpus, mib, count ? "true" : "false");

	return write_text(FCCONF_FILE, text, (size_t)n, e) < 0 ? -1
	       : write_text(CPU_FILE, cpu_config, sizeof(cpu_config) - 1, e);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ociconf - see ociconf.h */
#include "backend/ociconf.h"

/* What pai-guest needs: to mount, to set limits above its own, to become the
 * program's user and drop everything, to end its processes, to give it files. */
#define CAPS "[\"CAP_SYS_ADMIN\",\"CAP_SYS_RESOURCE\",\"CAP_SETPCAP\",\"CAP_SETUID\"," \
	     "\"CAP_SETGID\",\"CAP_KILL\",\"CAP_CHOWN\"]"

#define CONF(root, annotations) \
	"{\"ociVersion\":\"1.0.2\",\"hostname\":\"pai\"," \
	"\"process\":{\"terminal\":false,\"user\":{\"uid\":0,\"gid\":0}," \
	"\"args\":[\"/usr/lib/pai/pai-guest\"],\"cwd\":\"/\"," \
	"\"env\":[\"PATH=/usr/bin:/bin\"],\"noNewPrivileges\":true," \
	"\"capabilities\":{\"bounding\":" CAPS ",\"permitted\":" CAPS ",\"effective\":" CAPS "}}," \
	"\"root\":{\"path\":\"" root "\",\"readonly\":true}," \
	"\"mounts\":[" \
	"{\"destination\":\"/proc\",\"type\":\"proc\",\"source\":\"proc\"," \
	"\"options\":[\"nosuid\",\"nodev\",\"noexec\"]}," \
	"{\"destination\":\"/dev/shm\",\"type\":\"tmpfs\",\"source\":\"shm\"," \
	"\"options\":[\"nosuid\",\"nodev\",\"mode=1777\",\"size=4096\"]}]," \
	"\"linux\":{\"namespaces\":[{\"type\":\"pid\"},{\"type\":\"network\"},{\"type\":\"ipc\"}," \
	"{\"type\":\"uts\"},{\"type\":\"mount\"}]," \
	"\"maskedPaths\":[\"/proc/kcore\",\"/proc/keys\",\"/proc/timer_list\"]}" annotations "}"

const char ociconf_image[] = CONF(OCI_ROOT, ",\"annotations\":"
	"{\"dev.gvisor.spec.rootfs.source\":\"" OCI_IMAGE "\",\"dev.gvisor.spec.rootfs.type\":\"erofs\"}");
const char ociconf_folder[] = CONF(OCI_FOLDER, "");

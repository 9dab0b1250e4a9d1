/* SPDX-License-Identifier: Apache-2.0 */
/* config - see config.h */
#include "plan/config.h"

#include "base/fd.h"
#include "plan/conffile.h"
#include "plan/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The value of a variable, or NULL; one that is empty counts as not set. */
static const char *variable(const struct plan *p, const char *name)
{
	const char *value = plan_environment(p, name, strlen(name));

	return value && *value ? value : NULL;
}

/* Whoever can write a file decides which programs we start. BY named it. */
static int check_file(int fd, const char *by, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_USAGE, "%s'%s': not a regular file", by, path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return conffile_fault(e, path, 1, 1, "belongs to another user (uid %u)", st.st_uid);
	if (st.st_mode & 022)
		return conffile_fault(e, path, 1, 1, "others can write it; chmod go-w mends that");
	return 0;
}

static bool is_env(const char *path)
{
	size_t n = strlen(path);

	return n >= 4 && !strcmp(path + n - 4, ".env");
}

/* With another's HOME (as with setpriv or sudo) the folder is shut: what is in
 * there is not our user's. Leaves errno as it is. */
static bool is_elsewhere(const char *path, enum plan_layer layer)
{
	int sys = errno;
	struct stat st;
	bool shut = layer == LAYER_USER && stat(path, &st) < 0 && errno == EACCES;

	errno = sys;
	return shut;
}

/* Reads one file; if it is not MUST, it need not be there. */
static int load_file(struct plan *p, const char *path, enum plan_layer layer, bool must,
		     struct err *e)
{
	const char *by = !must ? "" : p->config ? "--config: " : "PAI_CONFIG: ";
	/* without O_NONBLOCK a FIFO would hold us */
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 && !must && (errno == ENOENT || errno == ENOTDIR || is_elsewhere(path, layer)))
		return 0;
	if (fd < 0)
		return err_sys(e, ERR_USAGE, "%s'%s'", by, path);
	if (check_file(fd, by, path, e) < 0)
		return -1;
	char *text = malloc(CONFFILE_MAX + 1);
	ssize_t n = text ? fd_read_all(fd, text, CONFFILE_MAX + 1) : -1;
	int rc = n < 0 ? err_sys(e, ERR_USAGE, "%s", path)
	       : is_env(path) ? conffile_env(path, text, (size_t)n, layer, p, e)
			      : conffile_yaml(path, text, (size_t)n, layer, p, e);
	free(text);
	return rc;
}

/* A YAML file and the .env beside it. */
static int load_pair(struct plan *p, const char *path, enum plan_layer layer, bool must,
		     struct err *e)
{
	const char *slash = strrchr(path, '/');
	char beside[PATH_MAX];

	if (load_file(p, path, layer, must, e) < 0)
		return -1;
	if (is_env(path))
		return 0;
	snprintf(beside, sizeof(beside), "%.*s.env", slash ? (int)(slash - path) + 1 : 0, path);
	return load_file(p, beside, layer, false, e);
}

static int load_user(struct plan *p, struct err *e)
{
	const char *config = variable(p, "XDG_CONFIG_HOME"), *home = variable(p, "HOME");
	char path[PATH_MAX];

	if (config && *config == '/')
		snprintf(path, sizeof(path), "%s/pai/pai.yaml", config);
	else if (home && *home == '/')
		snprintf(path, sizeof(path), "%s/.config/pai/pai.yaml", home);
	else
		return 0;
	return load_pair(p, path, LAYER_USER, false, e);
}

/* Others of our name are not ours to judge: scripts have some, PAI_TRACE is one. */
static int load_environment(struct plan *p, struct err *e)
{
	char name[KEY_PATH], near[KEY_PATH];

	for (char **at = p->environ; at && *at; at++) {
		size_t n = strcspn(*at, "=");

		if (strncmp(*at, "PAI_", 4) || !(*at)[n] || !(*at)[n + 1])
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)n, *at);
		const struct key *k = key_find_variable(name);
		if (!k && !strncmp(name, "PAI_CODE_INTERPRETER", 20))
			return err_set(e, ERR_USAGE, "%s: unknown variable; the nearest one is %s", name,
				       key_nearest_variable(name, near));
		if (k && key_set(p, k, *at + n + 1, LAYER_ENV, name, e) < 0)
			return err_in(e, "%s", name);
	}
	return 0;
}

int config_load(struct plan *p, struct err *e)
{
	const char *given = p->config ? p->config : variable(p, "PAI_CONFIG");

	if (!variable(p, "PAI_CONFIG_NOSYSTEM") &&
	    load_pair(p, CONFIG_SYSTEM, LAYER_SYSTEM, false, e) < 0)
		return -1;
	if (load_user(p, e) < 0)
		return -1;
	if (given && load_pair(p, given, LAYER_GIVEN, true, e) < 0)
		return -1;
	return load_environment(p, e);
}

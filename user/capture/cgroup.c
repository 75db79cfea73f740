// SPDX-License-Identifier: GPL-2.0
#include "capture/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"

static struct error *cgroup_root(bool unified, struct strbuf *ret)
{
	_cleanup_fclose_ FILE *mounts = setmntent("/proc/mounts", "re");
	struct mntent *m;

	while (mounts && (m = getmntent(mounts))) {
		bool own = !unified && !strcmp(m->mnt_type, "cgroup") &&
			   hasmntopt(m, "perf_event");

		if (!own && strcmp(m->mnt_type, "cgroup2"))
			continue;
		strbuf_reset(ret);
		strbuf_addstr(ret, m->mnt_dir);
		if (own)
			break;
	}
	if (ret->failed)
		return &error_no_memory;
	if (ret->len)
		return NULL;
	return error_hint(error_new(ENOENT, "-G needs cgroups, and none are mounted"),
			  "As root: mount -t cgroup2 none /sys/fs/cgroup");
}

struct error *cgroup_open(const char *name, bool unified, int *ret)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct error *err;

	err = cgroup_root(unified, &path);
	if (err)
		return err;
	strbuf_addf(&path, "/%s", name);
	if (path.failed)
		return &error_no_memory;
	*ret = open(path.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret < 0)
		return error_errno(errno, "Cannot open the cgroup %s", path.data);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "capture/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"

/* Whether a mount is the hierarchy of cgroup v1 that perf_event uses. */
static bool is_of_perf_event(const struct mntent *m)
{
	return !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "perf_event");
}

bool cgroup_is_unified(void)
{
	_cleanup_fclose_ FILE *mounts = setmntent("/proc/mounts", "re");
	struct mntent *m;

	while (mounts && (m = getmntent(mounts)))
		if (is_of_perf_event(m))
			return false;
	return true;
}

static struct error *cgroup_root(bool unified, struct strbuf *ret)
{
	_cleanup_fclose_ FILE *mounts = setmntent("/proc/mounts", "re");
	struct mntent *m;

	while (mounts && (m = getmntent(mounts))) {
		bool own = !unified && is_of_perf_event(m);

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

/*
 * The kernel's id of a cgroup is in the handle of its folder.  In 64-bit kernels it is also the
 * inode number, which works without handles, too (CONFIG_FHANDLE).
 */
static bool cgroup_id(const char *path, uint64_t *ret)
{
	struct {
		struct file_handle handle;
		uint64_t id;
	} file = { .handle.handle_bytes = sizeof(file.id) };
	struct stat folder;
	int mount;

	if (!name_to_handle_at(AT_FDCWD, path, &file.handle, &mount, 0)) {
		memcpy(ret, file.handle.f_handle, sizeof(*ret));
		return file.handle.handle_bytes == sizeof(file.id);
	}
	if (errno != ENOSYS || sizeof(long) < sizeof(*ret) || stat(path, &folder))
		return false;
	*ret = folder.st_ino;
	return true;
}

static struct error *cgroup_walk_below(struct strbuf *path, size_t root,
				       struct error *(*call)(void *data, uint64_t id,
							     const char *path), void *data)
{
	_cleanup_closedir_ DIR *dir = NULL;
	struct error *err = NULL;
	struct dirent *entry;
	size_t len = path->len;
	uint64_t id;

	if (!cgroup_id(path->data, &id))
		return NULL;
	err = call(data, id, path->len > root ? path->data + root : "/");
	dir = err ? NULL : opendir(path->data);
	while (dir && !err && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		strbuf_addf(path, "/%s", entry->d_name);
		err = path->failed ? &error_no_memory :
				     cgroup_walk_below(path, root, call, data);
		path->len = len;
		if (!path->failed)
			path->data[len] = '\0';
	}
	return err;
}

struct error *cgroup_walk(struct error *(*call)(void *data, uint64_t id, const char *path),
			  void *data)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct error *err = cgroup_root(false, &path);

	return err ? err : cgroup_walk_below(&path, path.len, call, data);
}

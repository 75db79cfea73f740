// SPDX-License-Identifier: GPL-2.0
#include "symbol/task_files.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

static uint64_t device_number(unsigned int major, unsigned int minor)
{
	return (uint64_t)major << 32 | minor;
}

/*
 * Read the kernel's numbers of the file that is mapped at @address here: on some file systems
 * stat() returns other numbers.
 */
static bool find_own_map(uintptr_t address, struct file_numbers *ret)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *line = NULL;
	size_t alloc = 0;

	while (maps && getline(&line, &alloc, maps) > 0) {
		unsigned long long start, end, inode;
		unsigned int major, minor;

		if (sscanf(line, "%llx-%llx %*s %*s %x:%x %llu", &start, &end, &major, &minor,
			   &inode) != 5 || address < start || address >= end)
			continue;
		*ret = (struct file_numbers){ inode, device_number(major, minor) };
		return true;
	}
	return false;
}

static bool find_mapped_numbers(int fd, struct file_numbers *ret)
{
	void *map = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	bool found;

	if (map == MAP_FAILED)
		return false;
	found = find_own_map((uintptr_t)map, ret);
	munmap(map, 1);
	return found;
}

static bool has_numbers(const struct file_numbers *own, const struct file_numbers *wanted)
{
	return own->inode == wanted->inode && (!wanted->device || own->device == wanted->device);
}

enum file_match file_match(int fd, const struct file_numbers *numbers)
{
	struct file_numbers own;
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st))
		return FILE_UNKNOWN;
	own = (struct file_numbers){ st.st_ino, device_number(major(st.st_dev), minor(st.st_dev)) };
	if (has_numbers(&own, numbers))
		return FILE_SAME;
	if (!find_mapped_numbers(fd, &own))
		return FILE_UNKNOWN;
	if (has_numbers(&own, numbers))
		return FILE_SAME;
	if (own.inode == numbers->inode && !(numbers->device >> 32))
		return FILE_UNKNOWN;
	return fstatfs(fd, &fs) || fs.f_type == OVERLAYFS_SUPER_MAGIC ? FILE_UNKNOWN : FILE_OTHER;
}

static bool is_open_as(const char *path, const struct stat *open)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == open->st_dev && st.st_ino == open->st_ino;
}

bool task_file_path(int32_t pid, const char *path, struct strbuf *ret)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char root[32], link[64], real[PATH_MAX];
	_cleanup_close_ int root_fd = -1, fd = -1;
	struct stat st;
	ssize_t len;

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return false;
	fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	if (fd < 0 || fstat(fd, &st))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, real, sizeof(real) - 1);
	if (len <= 0)
		return false;
	real[len] = '\0';
	/* The kernel returns the path from the root of the mount namespace, which may be ours. */
	strbuf_reset(ret);
	strbuf_addstr(ret, real);
	if (!ret->failed && is_open_as(ret->data, &st))
		return true;
	strbuf_reset(ret);
	strbuf_addf(ret, "%s%s", root, real);
	return !ret->failed && is_open_as(ret->data, &st);
}

bool task_map_path(const struct task_map *map, const char *path, unsigned int nr,
		   struct strbuf *ret)
{
	if (!nr)
		return task_file_path(map->pid, path, ret);
	strbuf_reset(ret);
	if (nr == 1)
		strbuf_addf(ret, "/proc/%d/map_files/%llx-%llx", map->pid,
			    (unsigned long long)map->start, (unsigned long long)map->end);
	else
		strbuf_addf(ret, "/proc/%d/exe", map->pid);
	return !ret->failed;
}

/* The wall time when a task began, from its start since boot in /proc/PID/stat. */
static bool find_start(int32_t pid, time_t *ret)
{
	_cleanup_free_ char *text = NULL;
	unsigned long long ticks;
	struct timespec now, up;
	const char *after;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	error_free(file_read(path, &text, NULL));
	after = text ? strrchr(text, ')') : NULL;
	/* The state follows, as the third word, and the start is the 22nd. */
	for (int i = 3; after && i <= 22; i++)
		after = strchr(after + 1, ' ');
	if (!after || clock_gettime(CLOCK_REALTIME, &now) || clock_gettime(CLOCK_BOOTTIME, &up))
		return false;
	ticks = strtoull(after, NULL, 10);
	*ret = now.tv_sec - up.tv_sec + ticks / sysconf(_SC_CLK_TCK);
	return true;
}

bool task_identify(int32_t pid, time_t then, struct task_identity *ret)
{
	_cleanup_free_ char *status = NULL;
	const char *line, *end;
	unsigned int uid;
	time_t start;
	char path[32];

	if (!find_start(pid, &start) || start > then)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	error_free(file_read(path, &status, NULL));
	line = status ? strstr(status, "\nUid:") : NULL;
	if (!line || sscanf(line, " Uid: %*u %u", &uid) != 1)
		return false;
	*ret = (struct task_identity){ .uid = uid, .inner_pid = pid };
	line = strstr(status, "\nNSpid:");
	if (!line)
		return true;
	end = line + 1 + strcspn(line + 1, "\n");
	while (end[-1] >= '0' && end[-1] <= '9')
		end--;
	ret->inner_pid = strtol(end, NULL, 10);
	return true;
}

// SPDX-License-Identifier: GPL-2.0
#include "states/descriptor_paths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"

/* Larger descriptors are ignored: a recording may claim any number. */
#define DESCRIPTORS_MAX	65536

struct descriptor {
	char *path;		/* NULL: unknown */
	bool asked;		/* /proc has no path for it */
};

struct descriptor_process {
	int32_t pid;
	ARRAY_OF(struct descriptor) fds;
};

struct descriptor_paths {
	bool live;
	ARRAY_OF(struct descriptor_process) processes;
	struct hash_table by_pid;
};

struct error *descriptor_paths_create(bool live, struct descriptor_paths **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return &error_no_memory;
	(*ret)->live = live;
	return NULL;
}

static void descriptor_process_clear(struct descriptor_process *p)
{
	array_free_each(&p->fds, .path);
	p->fds.items = NULL;
	p->fds.nr = p->fds.alloc = 0;
}

void descriptor_paths_destroy(struct descriptor_paths *paths)
{
	if (!paths)
		return;
	for (size_t i = 0; i < paths->processes.nr; i++)
		descriptor_process_clear(&paths->processes.items[i]);
	free(paths->processes.items);
	hash_table_deinit(&paths->by_pid);
	free(paths);
}

static struct descriptor_process *descriptor_process_find(struct descriptor_paths *paths,
							  int32_t pid)
{
	hash_table_each(&paths->by_pid, hash_key_number(pid), n) {
		struct descriptor_process *p = &paths->processes.items[n];

		if (p->pid == pid)
			return p;
	}
	return NULL;
}

/* NULL: out of memory, or an invalid descriptor. */
static struct descriptor *descriptor_make(struct descriptor_paths *paths, int32_t pid, int32_t fd)
{
	struct descriptor_process *p = descriptor_process_find(paths, pid);

	if (fd < 0 || fd >= DESCRIPTORS_MAX)
		return NULL;
	if (!p) {
		const struct descriptor_process made = { .pid = pid };

		if (!array_push(&paths->processes, made))
			return NULL;
		if (!hash_table_add(&paths->by_pid, hash_key_number(pid),
				    paths->processes.nr - 1)) {
			paths->processes.nr--;
			return NULL;
		}
		p = &paths->processes.items[paths->processes.nr - 1];
	}
	return array_at(&p->fds, fd, 0);
}

static void descriptor_ask(struct descriptor *d, int32_t pid, int32_t fd)
{
	char link[64], path[PATH_MAX];
	ssize_t len;

	d->asked = true;
	snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0)
		return;
	path[len] = '\0';
	d->path = strdup(path);
}

const char *descriptor_paths_get(struct descriptor_paths *paths, int32_t pid, int32_t fd)
{
	struct descriptor_process *p;
	struct descriptor *d;

	if (!paths->live) {
		p = descriptor_process_find(paths, pid);
		return p && fd >= 0 && (size_t)fd < p->fds.nr ? p->fds.items[fd].path : NULL;
	}
	d = descriptor_make(paths, pid, fd);
	if (!d)
		return NULL;
	if (!d->path && !d->asked)
		descriptor_ask(d, pid, fd);
	return d->path;
}

void descriptor_paths_set(struct descriptor_paths *paths, int32_t pid, int32_t fd,
			  const char *path)
{
	struct descriptor_process *p = descriptor_process_find(paths, pid);
	struct descriptor *d;

	/* Dropping an unknown path needs no memory. */
	if (!path && (!p || fd < 0 || (size_t)fd >= p->fds.nr))
		return;
	d = descriptor_make(paths, pid, fd);
	if (!d)
		return;
	free(d->path);
	*d = (struct descriptor){ .path = path ? strdup(path) : NULL };
}

void descriptor_paths_forget(struct descriptor_paths *paths, int32_t pid)
{
	struct descriptor_process *p = descriptor_process_find(paths, pid);

	if (p)
		descriptor_process_clear(p);
}

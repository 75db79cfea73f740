/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that a living task has mapped.  They are in its own mount namespace, and may have been
 * deleted or replaced.  So a path alone does not identify the file.
 */
#ifndef KTRACE_SYMBOL_TASK_FILES_H
#define KTRACE_SYMBOL_TASK_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "lib/strbuf.h"

/* The numbers of a file in /proc/PID/maps and MMAP2 records. */
struct file_numbers {
	uint64_t inode;		/* 0: there is no file, or it is unknown */
	uint64_t device;	/* the major number << 32 | the minor one; 0: unknown */
};

enum file_match {
	FILE_SAME,
	FILE_OTHER,
	/*
	 * The numbers differ, but the file may be the same: files of an overlay have two inodes,
	 * and devices without hardware get other numbers after a reboot.
	 */
	FILE_UNKNOWN,
};

/* Whether the open file is the one with @numbers, whose inode is known. */
enum file_match file_match(int fd, const struct file_numbers *numbers);

/* A mapping of a file in a task. */
struct task_map {
	int32_t pid;
	uint64_t start, end;
};

/* The number of paths of task_map_path(). */
#define TASK_MAP_PATHS	3

/*
 * Append a path by which this process may open the file at @map, which the task calls @path: the
 * @nr-th of TASK_MAP_PATHS.  The caller must check that it is that file, since the task may have
 * ended.  False: there is no such path.
 */
bool task_map_path(const struct task_map *map, const char *path, unsigned int nr,
		   struct strbuf *ret);

/*
 * Append the path by which this process opens the file that a task calls @path.  Symbolic links are
 * followed as the task follows them.  False: the task has ended, has no such file, or we may not
 * inspect it.
 */
bool task_file_path(int32_t pid, const char *path, struct strbuf *ret);

/* A living task. */
struct task_identity {
	uid_t uid;		/* the effective one */
	int32_t inner_pid;	/* its number in its own pid namespace */
};

/*
 * Identify a living task that already lived at @then, so that its number was not reused meanwhile.
 * False: there is none.
 */
bool task_identify(int32_t pid, time_t then, struct task_identity *ret);

#endif

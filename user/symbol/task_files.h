/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that a task has mapped, as long as it lives: in its own mount namespace, and also
 * after they were deleted or replaced.  A path alone does not tell which file that is.
 */
#ifndef KTRACE_SYMBOL_TASK_FILES_H
#define KTRACE_SYMBOL_TASK_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "lib/strbuf.h"

/* What /proc/PID/maps and MMAP2 records say of a file. */
struct file_numbers {
	uint64_t inode;		/* 0: there is no file, or it is not told */
	uint64_t device;	/* the major number << 32 | the minor one; 0: not told */
};

enum file_match {
	FILE_SAME,
	FILE_OTHER,
	/*
	 * The numbers differ, but need not: files of an overlay have two inodes, and devices
	 * without hardware other numbers after a reboot.
	 */
	FILE_UNKNOWN,
};

/* Whether the open file is the one with @numbers, whose inode is told. */
enum file_match file_match(int fd, const struct file_numbers *numbers);

/* Where a task has mapped a file. */
struct task_map {
	int32_t pid;
	uint64_t start, end;
};

/* How many paths task_map_path() has. */
#define TASK_MAP_PATHS	3

/*
 * Give a path by which this process may open the file that is mapped at @map and that the task
 * calls @path: the @nr-th of TASK_MAP_PATHS.  Whether it is that file is to be looked at: the task
 * may have ended.  False: there is none.
 */
bool task_map_path(const struct task_map *map, const char *path, unsigned int nr,
		   struct strbuf *ret);

/*
 * Give the path by which this process opens what @path is for a task, whose symbolic links lead
 * where they lead the task.  False: the task has ended, has no such file, or may not be looked at.
 */
bool task_file_path(int32_t pid, const char *path, struct strbuf *ret);

/* A task that lives. */
struct task_identity {
	uid_t uid;		/* the effective one */
	int32_t inner_pid;	/* its number in its own pid namespace */
};

/*
 * Find a task that lives and already lived at @then, so that no number was used again meanwhile.
 * False: there is none.
 */
bool task_identify(int32_t pid, time_t then, struct task_identity *ret);

#endif

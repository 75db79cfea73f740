/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole small files (proc, sysfs, tracefs) and whole reads and writes.
 * Errors name the path.
 */
#ifndef KTRACE_LIB_FILE_H
#define KTRACE_LIB_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"

/* The whole file, NUL-terminated, trailing newlines kept; free() it. */
struct error *file_read(const char *path, char **ret, size_t *ret_len);

/*
 * Open for reading what a recording names, or what lies where anybody may put
 * something: regular files alone, and none of those that the kernel makes up as they
 * are read, which have no size.  Pipes and devices would wait, or do something.
 * @flags are added to open()'s.  -1 and errno; *ret is the file's state.
 */
struct stat;
int file_open_regular(const char *path, int flags, struct stat *ret);

/* As file_read(), of a file that file_open_regular() opens. */
struct error *file_read_regular(const char *path, char **ret, size_t *ret_len);

/* As file_read(), without trailing white space. */
struct error *file_read_text(const char *path, char **ret);

/*
 * The number that the next entry of @dir has for a name, as tasks in /proc do;
 * 0: none is left, or @dir is NULL.
 */
pid_t dir_next_number(DIR *dir);

/* Write all of @data to @fd, restarting after signals; 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t len);

/* Read up to @len bytes, short only at the end of file; count or -errno. */
ssize_t fd_read_all(int fd, void *data, size_t len);

/* As fd_read_all(), at @offset. */
ssize_t fd_pread_all(int fd, void *data, size_t len, off_t offset);

/*
 * What to do around a wait for data that another process writes, set by whoever
 * has something else to do meanwhile.  interrupted() is asked after a signal:
 * true gives up the wait.  Members may be NULL.
 */
struct fd_wait {
	void (*begin)(void);
	void (*end)(void);
	bool (*interrupted)(void);
};

extern struct fd_wait fd_wait;

/*
 * read() from a pipe with fd_wait around it; count, 0 at the end or when
 * interrupted, or -errno.
 */
ssize_t fd_read_pipe(int fd, void *data, size_t len);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading of whole small files (proc, sysfs, tracefs), and complete reads and writes. Errors
 * name the path.
 */
#ifndef KTRACE_LIB_FILE_H
#define KTRACE_LIB_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"

/*
 * Read the whole file.  The text is NUL-terminated and keeps trailing newlines; the caller
 * frees it.
 */
struct error *file_read(const char *path, char **ret, size_t *ret_len);

/*
 * Open a file for reading whose path a recording names, or that is in a folder where other users
 * may create files.  Only regular files that have a size are accepted: opening a pipe or device
 * could block or have side effects, and files that the kernel generates during the read have no
 * size.  @flags are added to those of open().  Returns the descriptor and the result of fstat() in
 * *ret, or -1 with errno set.
 */
struct stat;
int file_open_regular(const char *path, int flags, struct stat *ret);

/* As file_read(), for a file that file_open_regular() accepts. */
struct error *file_read_regular(const char *path, char **ret, size_t *ret_len);

/* As file_read(), without trailing white space. */
struct error *file_read_text(const char *path, char **ret);

/* Whether both paths lead to the same file; false if one of them leads to no file. */
bool file_is_same(const char *a, const char *b);

/*
 * Whether the bytes, or the file @path, begin with the magic of a recording, in either byte order.
 */
bool bytes_are_recording(const void *bytes, size_t size);
bool file_is_recording(const char *path);

/*
 * Read @dir up to its next entry whose name is a number, as those of tasks in /proc are.  Returns
 * the number, or 0 if no entry is left or @dir is NULL.
 */
pid_t dir_next_number(DIR *dir);

/* Write all of @data to @fd, restarting after signals.  Returns 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t len);

/* Read @len bytes, or fewer only at the end of the file.  Returns the count or -errno. */
ssize_t fd_read_all(int fd, void *data, size_t len);

/* As fd_read_all(), at @offset. */
ssize_t fd_pread_all(int fd, void *data, size_t len, off_t offset);

/* Read a file in memory, such as the output of a program, and append a NUL; free() it. */
struct error *fd_read_text(int fd, char **ret);

/*
 * Hooks around a wait for data of another process, for code that has other work to do meanwhile.
 * interrupted() is called before each wait, hence also after a signal; if it returns true, the wait
 * is given up.  Members may be NULL.
 */
struct fd_wait {
	void (*begin)(void);
	void (*end)(void);
	bool (*interrupted)(void);
};

extern struct fd_wait fd_wait;

/*
 * Call read() on a pipe, with the hooks of fd_wait around it.  Returns the count, 0 at the
 * end of the data or when interrupted, or -errno.
 */
ssize_t fd_read_pipe(int fd, void *data, size_t len);

/* Was the last fd_read_pipe() of this thread interrupted, so that more data may come? */
bool fd_read_was_interrupted(void);

#endif

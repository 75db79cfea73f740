// SPDX-License-Identifier: GPL-2.0
#include "lib/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"

/* The size that a file reports is trusted up to this many bytes. */
#define SIZE_BELIEVED	(16 * 1024 * 1024)

/* The least number of bytes that is read at a time. */
#define ROOM		4096

int file_open_regular(const char *path, int flags, struct stat *ret)
{
	_cleanup_close_ int fd = -1;

	/*
	 * Check first, as opening alone can have side effects; later fstat() checks again,
	 * because the file can have been replaced meanwhile.
	 */
	if (stat(path, ret))
		return -1;
	if (S_ISREG(ret->st_mode) && ret->st_size) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
		if (fd < 0 || fstat(fd, ret))
			return -1;
	}
	if (fd < 0 || !S_ISREG(ret->st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return take_fd(fd);
}

static struct error *read_fd(int fd, const char *path, char **ret, size_t *ret_len)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_size <= SIZE_BELIEVED &&
	    !strbuf_reserve(&text, st.st_size + ROOM + 1))
		return &error_no_memory;
	for (;;) {
		ssize_t n;

		/* The size of a file in proc or sysfs is known only after it was read. */
		if (!strbuf_reserve(&text, ROOM))
			return &error_no_memory;
		n = read(fd, text.data + text.len, text.alloc - text.len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(errno, "Cannot read %s", path);
		if (n == 0)
			break;
		text.len += n;
	}
	text.data[text.len] = '\0';
	if (ret_len)
		*ret_len = text.len;
	*ret = take_ptr(text.data);
	return NULL;
}

struct error *file_read(const char *path, char **ret, size_t *ret_len)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? error_errno(errno, "Cannot open %s", path) :
			read_fd(fd, path, ret, ret_len);
}

struct error *file_read_regular(const char *path, char **ret, size_t *ret_len)
{
	struct stat st;
	_cleanup_close_ int fd = file_open_regular(path, 0, &st);

	return fd < 0 ? error_errno(errno, "Cannot open %s", path) :
			read_fd(fd, path, ret, ret_len);
}

struct error *file_read_text(const char *path, char **ret)
{
	struct error *err;
	size_t len;

	err = file_read(path, ret, &len);
	if (err)
		return err;
	while (len && isspace((unsigned char)(*ret)[len - 1]))
		(*ret)[--len] = '\0';
	return NULL;
}

bool file_is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool bytes_are_recording(const void *bytes, size_t size)
{
	return size >= 8 && (!memcmp(bytes, "PERFILE2", 8) || !memcmp(bytes, "2ELIFREP", 8) ||
			     !memcmp(bytes, "PERFFILE", 8));
}

bool file_is_recording(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char magic[8];

	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	       bytes_are_recording(magic, sizeof(magic));
}

pid_t dir_next_number(DIR *dir)
{
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			return atoi(entry->d_name);
	return 0;
}

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= n;
	}
	return 0;
}

/* @offset NULL: from where the last read ended. */
static ssize_t fd_read_whole(int fd, void *data, size_t len, const off_t *offset)
{
	size_t done = 0;

	while (done < len) {
		char *to = (char *)data + done;
		ssize_t n = offset ? pread(fd, to, len - done, *offset + done) :
				     read(fd, to, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += n;
	}
	return done;
}

ssize_t fd_read_all(int fd, void *data, size_t len)
{
	return fd_read_whole(fd, data, len, NULL);
}

ssize_t fd_pread_all(int fd, void *data, size_t len, off_t offset)
{
	return fd_read_whole(fd, data, len, &offset);
}

struct error *fd_read_text(int fd, char **ret)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = size < 0 ? NULL : malloc(size + 1);
	ssize_t len = text ? fd_pread_all(fd, text, size, 0) : -ENOMEM;

	if (len < 0) {
		free(text);
		return &error_no_memory;
	}
	text[len] = '\0';
	*ret = text;
	return NULL;
}

struct fd_wait fd_wait;

static __thread bool was_interrupted;

bool fd_read_was_interrupted(void)
{
	return was_interrupted;
}

ssize_t fd_read_pipe(int fd, void *data, size_t len)
{
	ssize_t n = -EINTR;

	was_interrupted = false;
	while (n == -EINTR) {
		/*
		 * A signal may also have come before the wait.  Where data never stops coming, no
		 * wait would ever be interrupted by it.
		 */
		was_interrupted = fd_wait.interrupted && fd_wait.interrupted();
		if (was_interrupted)
			return 0;
		if (fd_wait.begin)
			fd_wait.begin();
		n = read(fd, data, len);
		if (n < 0)
			n = -errno;
		if (fd_wait.end)
			fd_wait.end();
	}
	return n;
}

// SPDX-License-Identifier: GPL-2.0
#include "perfdata/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "terminal/progress.h"

/* Large enough to hide the cost of system calls, small enough for any machine's cache. */
#define WINDOW_BYTES	(1024 * 1024)
/*
 * The most bytes to prefetch from a disk: the kernel's own read-ahead is too small to keep a fast
 * disk busy.
 */
#define MAX_AHEAD_BYTES	(8 * WINDOW_BYTES)

void input_init(struct input *input, int fd, bool is_pipe)
{
	*input = (struct input){ .fd = fd, .is_pipe = is_pipe, .end = UINT64_MAX };
}

void input_deinit(struct input *input)
{
	for (size_t i = 0; i < input->parts.nr; i++)
		close(input->parts.items[i].fd);
	free(input->parts.items);
	free(input->buffer);
	*input = (struct input){ .fd = -1 };
}

struct error *input_add_part(struct input *input, int fd, uint64_t size)
{
	struct input_part part = { fd, input->end };

	if (!array_push(&input->parts, part)) {
		close(fd);
		return &error_no_memory;
	}
	input->end += size;
	return NULL;
}

void input_seek(struct input *input, uint64_t offset, uint64_t end)
{
	input->offset = offset;
	input->end = end;
	input->at = input->len = 0;
}

uint64_t input_bytes_left(const struct input *input, uint64_t file_size)
{
	bool known = input->parts.nr || input->end < file_size;
	uint64_t end = known ? input->end : file_size;

	return end > input->offset ? end - input->offset : 0;
}

/* Have the kernel prefetch more and more, as long as the needed bytes are not in the page cache. */
static void fetch_ahead(struct input *input, uint64_t offset)
{
	uint64_t from = offset > input->fetched ? offset : input->fetched;

	if (input->ahead < MAX_AHEAD_BYTES)
		input->ahead = input->ahead ? 2 * input->ahead : WINDOW_BYTES;
	if (from >= offset + input->ahead)
		return;
	input->fetched = offset + input->ahead;
	/* If this fails, reading only takes longer. */
	(void)posix_fadvise(input->fd, from, input->fetched - from, POSIX_FADV_WILLNEED);
}

/* Read from one of the appended files, where the kernel's own read-ahead is enough. */
static ssize_t read_part(const struct input *input, char *to, size_t size, uint64_t offset)
{
	size_t i = input->parts.nr - 1;
	uint64_t end = input->end;

	while (offset < input->parts.items[i].start)
		end = input->parts.items[i--].start;
	if (size > end - offset)
		size = end - offset;
	return pread(input->parts.items[i].fd, to, size, offset - input->parts.items[i].start);
}

static ssize_t read_file(struct input *input, char *to, size_t size, uint64_t offset)
{
	struct iovec window = { to, size };
	ssize_t n;

	if (input->parts.nr && offset >= input->parts.items[0].start)
		return read_part(input, to, size, offset);
	if (input->parts.nr && size > input->parts.items[0].start - offset)
		window.iov_len = size = input->parts.items[0].start - offset;
	if (input->ahead && offset + input->ahead / 2 > input->fetched)
		fetch_ahead(input, offset);
	n = preadv2(input->fd, &window, 1, offset, RWF_NOWAIT);
	if (n >= 0)
		return n;
	if (errno == EAGAIN)
		fetch_ahead(input, offset);
	return pread(input->fd, to, size, offset);
}

/* From a pipe we take the available bytes: waiting for a full window would delay live records. */
static ssize_t read_some(struct input *input, char *to, size_t size, uint64_t offset)
{
	ssize_t n;

	if (input->is_pipe)
		return fd_read_pipe(input->fd, to, size);
	do {
		n = read_file(input, to, size, offset);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static struct error *input_make_room(struct input *input, size_t size)
{
	size_t alloc = size > WINDOW_BYTES ? size : WINDOW_BYTES;
	/* Keep the alignment of the bytes that are moved to the front. */
	size_t odd = input->at & 7, have = input->len - input->at;
	char *buffer;

	if (odd + size > alloc)
		alloc = odd + size;
	if (alloc > input->alloc) {
		buffer = realloc(input->buffer, alloc);
		if (!buffer)
			return &error_no_memory;
		input->buffer = buffer;
		input->alloc = alloc;
	}
	memmove(input->buffer + odd, input->buffer + input->at, have);
	input->at = odd;
	input->len = odd + have;
	return NULL;
}

/* Read until the window holds @size bytes; *ret_more is false if there are no more. */
static struct error *input_fill(struct input *input, size_t size, bool *ret_more)
{
	*ret_more = true;
	while (input->len - input->at < size) {
		size_t room = input->alloc - input->len;
		uint64_t from = input->offset + (input->len - input->at);
		ssize_t n = 0;

		if (from < input->end) {
			if (room > input->end - from)
				room = input->end - from;
			n = read_some(input, input->buffer + input->len, room, from);
		}
		if (n < 0)
			return error_errno(-n, "Cannot read it");
		if (n == 0) {
			*ret_more = false;
			break;
		}
		input->len += n;
		progress_advance(n);
	}
	return NULL;
}

struct error *input_peek(struct input *input, size_t size, const void **ret, size_t *ret_len)
{
	bool more = true;

	while (more && input->len - input->at < size) {
		size_t have = input->len - input->at, step = size;
		struct error *err;

		/*
		 * A damaged file may claim any @size: never allocate more than twice the bytes that
		 * were read.
		 */
		if (step > WINDOW_BYTES && step / 2 > have)
			step = have * 2 > WINDOW_BYTES ? have * 2 : WINDOW_BYTES;
		err = input_make_room(input, step);
		if (!err)
			err = input_fill(input, step, &more);
		if (err)
			return err;
	}
	*ret = input->buffer + input->at;
	*ret_len = input->len - input->at < size ? input->len - input->at : size;
	return NULL;
}

void input_advance(struct input *input, size_t size)
{
	input->at += size;
	input->offset += size;
}

/*
 * Give the offset where the input ends.  For a file without a known end, that is its
 * size now.
 */
static uint64_t find_end(const struct input *input)
{
	struct stat st;

	if (input->end == UINT64_MAX && !fstat(input->fd, &st))
		return st.st_size;
	return input->end;
}

struct error *input_skip(struct input *input, uint64_t size, uint64_t *ret_len)
{
	uint64_t done = 0;

	if (!input->is_pipe && size > input->len - input->at) {
		uint64_t end = find_end(input);
		uint64_t left = end > input->offset ? end - input->offset : 0;

		done = size < left ? size : left;
		/* The part in the window has been read before. */
		progress_advance(done - (input->len - input->at));
		input_seek(input, input->offset + done, input->end);
		*ret_len = done;
		return NULL;
	}
	while (done < size) {
		size_t want = size - done < WINDOW_BYTES / 2 ? size - done : WINDOW_BYTES / 2;
		const void *data;
		struct error *err;
		size_t len;

		err = input_peek(input, want, &data, &len);
		if (err)
			return err;
		input_advance(input, len);
		done += len;
		if (len < want)
			break;
	}
	*ret_len = done;
	return NULL;
}

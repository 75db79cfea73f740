/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a file or pipe, through one bounded window.
 */
#ifndef KTRACE_PERFDATA_INPUT_H
#define KTRACE_PERFDATA_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

struct input {
	int fd;			/* borrowed */
	bool is_pipe;		/* read(), else pread() */
	uint64_t offset;	/* of the next byte input_peek() shows */
	uint64_t end;		/* offset to stop at; UINT64_MAX: the end of the file */
	char *buffer;
	size_t at, len, alloc;	/* of the window in buffer */
	uint64_t fetched;	/* offset up to which the kernel was asked to fetch from the disk */
	uint64_t ahead;		/* bytes it is asked for at a time; 0: all was in the page cache */
};

void input_init(struct input *input, int fd, bool is_pipe);
void input_deinit(struct input *input);

/* Go on at @offset (files only), up to @end. */
void input_seek(struct input *input, uint64_t offset, uint64_t end);

/*
 * The next @size bytes, not consumed; *ret_len tells how many there are, less
 * than @size only at the end.  Valid until the next call.  8-aligned when the
 * offsets from where reading began are.
 */
struct error *input_peek(struct input *input, size_t size, const void **ret, size_t *ret_len);

/* Consume @size bytes that were peeked. */
void input_advance(struct input *input, size_t size);

/* Consume @size bytes unseen; *ret_len: how many there were. */
struct error *input_skip(struct input *input, uint64_t size, uint64_t *ret_len);

#endif

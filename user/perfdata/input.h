/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the bytes of a file or pipe through one bounded window.  Other files may follow, as if
 * their bytes were behind its own.
 */
#ifndef KTRACE_PERFDATA_INPUT_H
#define KTRACE_PERFDATA_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/* A file that follows. */
struct input_part {
	int fd;			/* owned */
	uint64_t start;		/* the offset that its first byte has here */
};

struct input {
	int fd;			/* borrowed */
	bool is_pipe;		/* read(), else pread() */
	uint64_t offset;	/* offset of the next byte that input_peek() shows */
	uint64_t end;		/* offset to stop at; UINT64_MAX: the end of the file */
	char *buffer;
	size_t at, len, alloc;	/* of the window in buffer */
	uint64_t fetched;	/* offset up to which the kernel was asked to fetch from the disk */
	uint64_t ahead;		/* bytes it is asked for at a time; 0: all was in the page cache */
	struct {
		struct input_part *items;
		size_t nr, alloc;
	} parts;
};

void input_init(struct input *input, int fd, bool is_pipe);
void input_deinit(struct input *input);

/*
 * Have the @size bytes of @fd, a file, follow at the end of the input, which is known and moves
 * by as much.  @fd is closed in any case.  The only error is to be out of memory.
 */
struct error *input_add_part(struct input *input, int fd, uint64_t size);

/* Continue at @offset (files only) and stop at @end. */
void input_seek(struct input *input, uint64_t offset, uint64_t end);

/* The bytes that are still to come, of a file of @file_size bytes and those that follow it. */
uint64_t input_bytes_left(const struct input *input, uint64_t file_size);

/*
 * Show the next @size bytes without consuming them.  *ret_len is how many there are,
 * less than @size only at the end.  *ret is valid until the next call, and 8-aligned if
 * the offset is a multiple of 8 away from where reading began.
 */
struct error *input_peek(struct input *input, size_t size, const void **ret, size_t *ret_len);

/* Consume @size bytes that were peeked. */
void input_advance(struct input *input, size_t size);

/* Consume @size bytes without looking at them; *ret_len is how many there were. */
struct error *input_skip(struct input *input, uint64_t size, uint64_t *ret_len);

#endif

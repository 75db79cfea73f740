/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the bytes of a file or pipe through one window of bounded size.  More files can be
 * appended, as if their bytes were behind its own.
 */
#ifndef KTRACE_PERFDATA_INPUT_H
#define KTRACE_PERFDATA_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/error.h"

/* An appended file. */
struct input_part {
	int fd;			/* owned */
	uint64_t start;		/* the offset of its first byte in the input */
};

struct input {
	int fd;			/* borrowed */
	bool is_pipe;		/* read(), else pread() */
	uint64_t offset;	/* offset of the next byte that input_peek() shows */
	uint64_t end;		/* offset to stop at; UINT64_MAX: the end of the file */
	char *buffer;
	size_t at, len, alloc;	/* of the window in buffer */
	uint64_t fetched;	/* offset up to which the kernel shall prefetch */
	uint64_t ahead;		/* bytes to prefetch at a time; 0: all was in the page cache */
	ARRAY_OF(struct input_part) parts;
};

void input_init(struct input *input, int fd, bool is_pipe);
void input_deinit(struct input *input);

/*
 * Append the @size bytes of the file @fd to the input.  The end of the input must be known; it
 * moves by @size.  @fd is closed in any case.  The only possible error is lack of memory.
 */
struct error *input_add_part(struct input *input, int fd, uint64_t size);

/* Continue at @offset (files only) and stop at @end. */
void input_seek(struct input *input, uint64_t offset, uint64_t end);

/* The number of bytes left in a file of @file_size bytes and the files appended to it. */
uint64_t input_bytes_left(const struct input *input, uint64_t file_size);

/*
 * Show the next @size bytes without consuming them.  *ret_len is the number of bytes shown, less
 * than @size only at the end.  *ret is valid until the next call.  It is 8-aligned if the offset is
 * a multiple of 8 bytes away from the start of reading.
 */
struct error *input_peek(struct input *input, size_t size, const void **ret, size_t *ret_len);

/* Consume @size bytes that were peeked. */
void input_advance(struct input *input, size_t size);

/* Consume @size bytes unseen; *ret_len is the number consumed, less than @size only at the end. */
struct error *input_skip(struct input *input, uint64_t size, uint64_t *ret_len);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the bytes of a recording go, in their order: a file or a pipe.
 *
 * Into a file they go past the page cache where that can be (direct I/O): there,
 * most of what writing costs is what the cache does for every page.  A thread does so,
 * so that whoever empties rings waits for no disk.
 */
#ifndef KTRACE_PERFDATA_OUTPUT_H
#define KTRACE_PERFDATA_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"

struct output;

/*
 * Write to @fd, which stays the caller's and may be a pipe that does not block, from its
 * beginning on.  @path: the name of the same file, to open it by for direct I/O; NULL: only
 * through the page cache.  Returns NULL when memory is out.
 */
struct output *output_create(int fd, const char *path);

/*
 * Append @size bytes, which are copied.  Returns 0 or -errno, which may be that of
 * earlier bytes; nothing is written behind what could not be.
 */
int output_put(struct output *output, const void *data, size_t size);

/*
 * Hand everything to the kernel; 0 or -errno.  What is appended later goes
 * through the page cache.
 */
int output_flush(struct output *output);

/*
 * Hand what was appended so far to the kernel where that costs little, so that it outlives
 * this process: not while a disk is behind, or chunks are filled and written anyway.  0 or
 * -errno.
 */
int output_sync(struct output *output);

/*
 * After output_flush(), whatever it returned: how many bytes the file has of what was put,
 * from its beginning on, without a gap.
 */
uint64_t output_stored(const struct output *output);

/* What was not flushed may be missing; waits for what is being written.  NULL is fine. */
void output_destroy(struct output *output);
DEFINE_CLEANUP_PTR(output, struct output, output_destroy)

#endif

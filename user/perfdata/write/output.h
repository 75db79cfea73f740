/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a recording, in their order, go through here to a file, pipe or socket.
 *
 * Files are written past the page cache where that is possible (direct I/O), because
 * most of the cost of writing is what the cache does for every page.  A thread writes,
 * so that the one who empties the rings never waits for a disk.
 */
#ifndef KTRACE_PERFDATA_WRITE_OUTPUT_H
#define KTRACE_PERFDATA_WRITE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"

struct output;

/*
 * Write to @fd from its beginning.  @fd stays the caller's, and may be a pipe that does
 * not block, or a socket.  @path is the name of the same file, by which it is opened for
 * direct I/O; NULL: write only through the page cache.  Returns NULL when memory is out.
 */
struct output *output_create(int fd, const char *path);

/*
 * If the reader of a socket has gone, appending fails with EPIPE from now on, instead of ending
 * this process by SIGPIPE.
 */
void output_spare_signal(struct output *output);

/*
 * Append @size bytes, which are copied.  Returns 0 or -errno.  The error may be that of
 * earlier bytes; nothing is written behind bytes that could not be written.
 */
int output_put(struct output *output, const void *data, size_t size);

/*
 * Hand everything to the kernel; 0 or -errno.  What is appended later goes
 * through the page cache.
 */
int output_flush(struct output *output);

/*
 * Hand what was appended so far to the kernel where that costs little, so that it
 * survives the end of this process.  Nothing is done while the disk is behind, or while
 * chunks fill up and are written anyway.  Returns 0 or -errno.
 */
int output_sync(struct output *output);

/*
 * After output_flush(), whatever it returned: how many of the bytes put are in the
 * file, from its beginning on, without a gap.
 */
uint64_t output_stored(const struct output *output);

/*
 * Bytes that were not flushed may be lost; waits for those that are being written.
 * @output may be NULL.
 */
void output_destroy(struct output *output);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the bytes of a recording, in their order, to a file, pipe or socket.
 *
 * Files are written past the page cache where that is possible (direct I/O), because most of the
 * cost of writing is the work of the cache for every page.  A thread writes, so that the thread
 * that empties the rings never waits for a disk.
 */
#ifndef KTRACE_PERFDATA_WRITE_OUTPUT_H
#define KTRACE_PERFDATA_WRITE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"

struct output;

/*
 * Create an output that writes to @fd from its beginning.  @fd stays the caller's.  It may be a
 * pipe that does not block, or a socket.  @path is the name of the same file, by which it is opened
 * for direct I/O; NULL: write only through the page cache.  Returns NULL when memory is out.
 */
struct output *output_create(int fd, const char *path);

/*
 * From now on, if the reader of a socket has gone, appending fails with EPIPE instead of ending
 * this process by SIGPIPE.
 */
void output_spare_signal(struct output *output);

/*
 * Append @size bytes, which are copied.  Returns 0 or -errno.  The error may be that of
 * earlier bytes; nothing is written behind bytes that could not be written.
 */
int output_put(struct output *output, const void *data, size_t size);

/*
 * Hand everything to the kernel; 0 or -errno.  Bytes that are appended later go through the page
 * cache.
 */
int output_flush(struct output *output);

/*
 * Hand the appended bytes to the kernel where that costs little, so that they survive the end of
 * this process.  Nothing is done while the disk is behind, or while chunks fill up and are written
 * anyway.  Returns 0 or -errno.
 */
int output_sync(struct output *output);

/*
 * Call it after output_flush(), even if that failed.  Returns the number of appended bytes that
 * are in the file, counted from its beginning up to the first gap.
 */
uint64_t output_stored(const struct output *output);

/*
 * Destroy @output, which may be NULL.  Bytes that were not flushed may be lost.  Waits for writes
 * in progress.
 */
void output_destroy(struct output *output);

#endif

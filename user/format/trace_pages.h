/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pages of a tracefs buffer (per_cpu/cpuN/trace_pipe_raw), whose layout is
 * libtraceevent's business (kbuffer).
 */
#ifndef KTRACE_FORMAT_TRACE_PAGES_H
#define KTRACE_FORMAT_TRACE_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* @raw has @size bytes and is valid during the call; it begins with common_type. */
typedef struct error *(*trace_pages_fn)(void *context, uint64_t time, const void *raw,
					size_t size);

/*
 * Take all records out of a buffer nobody writes to any more, in their order.
 * Returns the error of @record, which ends it.
 */
struct error *trace_pages_read(const char *path, trace_pages_fn record, void *context);

#endif

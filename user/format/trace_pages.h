/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the pages of a tracefs buffer (per_cpu/cpuN/trace_pipe_raw).  libtraceevent (kbuffer)
 * knows their layout.
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
 * Consume all records of a buffer that is no longer written, in their order.  An error of
 * @record ends this and is returned.
 */
struct error *trace_pages_read(const char *path, trace_pages_fn record, void *context);

#endif

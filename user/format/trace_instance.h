/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tracefs instance of our own, where the kernel itself records and prints some events.
 */
#ifndef KTRACE_FORMAT_TRACE_INSTANCE_H
#define KTRACE_FORMAT_TRACE_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/held_folder.h"

/* @raw has @size bytes and is valid during the call; it begins with common_type. */
typedef struct error *(*trace_pages_fn)(void *context, uint64_t time, const void *raw,
					size_t size);

struct trace_instance {
	struct held_folder folder;	/* path is NULL: there is none */
};

/*
 * Create an instance that does not record yet.  @kilobytes is the size of each CPU's buffer.
 * Its clock is monotonic, and texts begin with the event's name.  Instances that earlier
 * processes left behind are removed.
 */
struct error *trace_instance_create(struct trace_instance *instance, unsigned int kilobytes);
void trace_instance_destroy(struct trace_instance *instance);

struct error *trace_instance_enable(const struct trace_instance *instance, const char *system,
				    const char *name);

/* Switch recording on or off. */
struct error *trace_instance_switch(const struct trace_instance *instance, bool on);

/* The number of records that did not fit, over all CPUs. */
struct error *trace_instance_lost(const struct trace_instance *instance, uint64_t *ret);

/*
 * Read the buffer of @cpu.  trace_instance_text() returns the kernel's text of all records; free()
 * it.  trace_instance_read() consumes the records, so call it second.  ENOENT: there is no such
 * CPU.
 */
struct error *trace_instance_text(const struct trace_instance *instance, unsigned int cpu,
				  char **ret);
struct error *trace_instance_read(const struct trace_instance *instance, unsigned int cpu,
				  trace_pages_fn record, void *context);

#endif

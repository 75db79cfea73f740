/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets up counting by keys in the ktrace device, and reads the counts.
 */
#ifndef KTRACE_CAPTURE_KTRACE_DEVICE_COUNTS_H
#define KTRACE_CAPTURE_KTRACE_DEVICE_COUNTS_H

#include <stdint.h>

#include "capture/counts.h"

/*
 * Count the event with the module's number @index by event->count.  If it has a start event,
 * @start is that event's number.
 */
struct error *device_counts_add(int fd, const struct event *event, uint32_t index,
				uint32_t start);

/* The implementation of capture_backend.read_counts() etc., for the CPUs of a session. */
struct error *device_counts_read(int fd, const struct event *event, uint32_t index,
				 const struct cpumap *cpus, counts_entry_fn fn, void *data);
struct error *device_counts_read_ledger(int fd, const struct event *event, uint32_t index,
					const struct cpumap *cpus, struct counts_ledger *ret);
struct error *device_counts_read_chains(int fd, const struct event *event, uint32_t index,
					struct counts_chains *chains, counts_chain_fn fn,
					void *data);

#endif

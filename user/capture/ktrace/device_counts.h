/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Has the ktrace device count an event by keys, and reads what it has counted.
 */
#ifndef KTRACE_CAPTURE_KTRACE_DEVICE_COUNTS_H
#define KTRACE_CAPTURE_KTRACE_DEVICE_COUNTS_H

#include <stdint.h>

#include "capture/counts.h"

/*
 * Have the event with the module's number @index counted by event->count.  @start is the
 * module's number of the event that is its start, if it has one.
 */
struct error *device_counts_add(int fd, const struct event *event, uint32_t index,
				uint32_t start);

/* What capture_backend.read_counts() and so on do, for the CPUs of a session. */
struct error *device_counts_read(int fd, const struct event *event, uint32_t index,
				 const struct cpumap *cpus, counts_entry_fn fn, void *data);
struct error *device_counts_read_ledger(int fd, const struct event *event, uint32_t index,
					const struct cpumap *cpus, struct counts_ledger *ret);
struct error *device_counts_read_chains(int fd, const struct event *event, uint32_t index,
					struct counts_chains *chains, counts_chain_fn fn,
					void *data);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of this machine that sample memory accesses, for `ktrace mem record` and `c2c record`.
 */
#ifndef KTRACE_CMD_MEM_EVENTS_H
#define KTRACE_CMD_MEM_EVENTS_H

#include "lib/error.h"
#include "terminal/words.h"

enum mem_access { MEM_LOADS, MEM_STORES };

#define MEM_ACCESSES	2

/* The least latency of sampled loads, cycles, unless another one is asked for. */
#define MEM_LATENCY	30

/*
 * Append -e and the event of each of the @nr accesses that the machine can sample; loads take
 * @latency cycles at least.  ENODEV: it can sample none; the hint says that @command reads
 * recordings of other machines.
 */
struct error *mem_events_add(struct words *words, const enum mem_access *accesses, size_t nr,
			     unsigned int latency, const char *command);

#endif

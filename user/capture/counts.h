/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a backend counts by keys (event->count): the entries of its tables, and what became of
 * every firing.
 */
#ifndef KTRACE_CAPTURE_COUNTS_H
#define KTRACE_CAPTURE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/backend.h"
#include "lib/error.h"
#include "record/event.h"
#include "spec/count_keys.h"

/* How often the event fired with one key, on one CPU. */
struct counts_entry {
	uint64_t count;
	uint64_t sum, min, max;		/* of the values; 0 without a value */
	const void *key;		/* keys->key_bytes bytes */
};

/*
 * What became of the firings on all CPUs together:
 *
 *	fired = counted + filtered + out_of_scope + no_slot + no_start + other
 */
struct counts_ledger {
	uint64_t counted, filtered, out_of_scope;
	uint64_t no_slot;	/* the table was full */
	uint64_t no_start;	/* an end whose start was not seen */
	uint64_t other;		/* lost for another reason, such as recursion */
	uint64_t restarted;	/* starts that were replaced before their end came */
	bool bounded;		/* perf may have dropped firings before the module saw them */
};

typedef struct error *(*counts_entry_fn)(void *data, const struct counts_entry *entry);

/*
 * Give each entry of the tables of @event to @fn; a key may come several times.  @counting is
 * one that counts_ops opened.
 */
struct error *counts_read(struct counting *counting, const struct event *event,
			  counts_entry_fn fn, void *data);
struct error *counts_read_ledger(struct counting *counting, const struct event *event,
				 struct counts_ledger *ret);

/* Counts every event by its event->count.  Its read() has no meaning. */
extern const struct counting_ops counts_ops;

/* The backend that the events are of. */
const struct capture_backend *counts_backend(void);

#endif

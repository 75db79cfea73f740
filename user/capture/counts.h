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

/* A call chain that keys have by its number. */
struct counts_chain {
	uint64_t number;
	uint64_t time;			/* when it came first, ns of the clock of the capture */
	int32_t pid;			/* whose addresses these are; 0: the kernel's */
	const uint64_t *ips;		/* the innermost first */
	size_t nr;
};

/* How many chains an event has, and the firings that had no room for theirs. */
struct counts_chains {
	uint64_t position;		/* where the next ones are read; 0: none was read yet */
	uint32_t used;
	uint64_t dropped;
};

typedef struct error *(*counts_entry_fn)(void *data, const struct counts_entry *entry);
typedef struct error *(*counts_chain_fn)(void *data, const struct counts_chain *chain);

/*
 * capture_backend.read_counts gives each entry of the tables of an event; a key may come several
 * times.  The entries of a COUNT_START are those without an end so far: their keys have the pair
 * and then the parts behind it, and their sum is the time since then.
 *
 * capture_backend.read_chains gives the chains that have come since *position; call it after
 * read_counts() to know all that these keys have.
 */

/* Counts every event by its event->count.  Its read() has no meaning. */
extern const struct counting_ops counts_ops;
/* The capture of what these have opened. */
struct capture *counts_capture(struct counting *counting);

/* The backend that the events are of. */
const struct capture_backend *counts_backend(void);

#endif

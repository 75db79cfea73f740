/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counts of a backend by keys (event->count): the entries of its tables, and the fate of every
 * firing.
 */
#ifndef KTRACE_CAPTURE_COUNTS_H
#define KTRACE_CAPTURE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/backend.h"
#include "lib/error.h"
#include "record/event.h"
#include "spec/count_keys.h"

/* The count of an event for one key, on one CPU. */
struct counts_entry {
	uint64_t count;
	uint64_t sum, min, max;		/* of the values; 0 without a value */
	const void *key;		/* keys->key_bytes bytes */
};

/*
 * The fate of the firings, summed over all CPUs:
 *
 *	fired = counted + filtered + out_of_scope + no_slot + no_start + other
 */
struct counts_ledger {
	uint64_t counted, filtered, out_of_scope;
	uint64_t no_slot;	/* the table was full */
	uint64_t no_start;	/* ends without a recorded start */
	uint64_t other;		/* lost for another reason, such as recursion */
	uint64_t restarted;	/* starts that were replaced before their ends */
	bool bounded;		/* perf may have dropped firings before the module saw them */
};

/* A call chain, which keys refer to by its number. */
struct counts_chain {
	uint64_t number;
	uint64_t time;			/* first occurrence, ns of the clock of the capture */
	int32_t pid;			/* process of these addresses; 0: the kernel */
	const uint64_t *ips;		/* the innermost first */
	size_t nr;
};

/* The number of an event's chains, and of firings that had no room for theirs. */
struct counts_chains {
	uint64_t position;		/* where to continue reading; 0: at the start */
	uint32_t used;
	uint64_t dropped;
};

typedef struct error *(*counts_entry_fn)(void *data, const struct counts_entry *entry);
typedef struct error *(*counts_chain_fn)(void *data, const struct counts_chain *chain);

/*
 * capture_backend.read_counts passes each entry of the tables of an event; a key may be passed
 * several times.  The entries of a COUNT_START are starts without an end so far.  Their keys are
 * the pair followed by the other parts, and their sum is the time since the start.
 *
 * capture_backend.read_chains passes the chains that were added since *position; call it after
 * read_counts() to get all chains of these keys.
 */

/* Counts every event by its event->count.  Its read() has no meaning. */
extern const struct counting_ops counts_ops;
/* The capture of a struct counting that counts_ops opened. */
struct capture *counts_capture(struct counting *counting);

/* The backend of the events. */
const struct capture_backend *counts_backend(void);

#endif

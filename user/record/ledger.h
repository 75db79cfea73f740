/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loss ledger: per event and CPU, what became of every occurrence.
 *
 *	emitted = recorded + filtered + lost
 *
 * Sources fill in what they can know and say how far it goes; nothing is
 * guessed.  Filled by capture/, stored in files by perfdata/, printed by cmd/.
 */
#ifndef KTRACE_RECORD_LEDGER_H
#define KTRACE_RECORD_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"

/* How far the numbers of a row can be believed. */
enum ledger_proof {
	LEDGER_EXACT = 0,	/* every occurrence is in one of the terms */
	LEDGER_BOUNDED,		/* exact from the handler on; drops before it are not seen */
	LEDGER_UNKNOWN,		/* the source cannot tell one of the terms */
};

/* Why records were lost.  The numbers are those of files. */
enum ledger_reason {
	LEDGER_LOST_FULL = 0,	/* no room in the ring */
	LEDGER_LOST_NESTED,	/* contexts nested too deep */
	LEDGER_LOST_TOO_BIG,	/* record larger than can be stored */
	LEDGER_LOST_OTHER,
	LEDGER_LOST_OVERWRITTEN, /* by newer ones, in a ring that keeps those */
	LEDGER_LOST_RECURSION,	/* fired by the recording of another one */
	LEDGER_LOST_NR,
};

#define LEDGER_NOT_KNOWN UINT64_MAX

struct ledger_row {
	uint32_t event;		/* index in the event list; UINT32_MAX: all of the source */
	uint32_t cpu;		/* UINT32_MAX: all */
	enum ledger_proof proof;
	uint64_t recorded;
	uint64_t filtered;	/* LEDGER_NOT_KNOWN with perf_event */
	uint64_t out_of_scope;	/* other tasks, the recorder itself; no part of emitted */
	uint64_t lost[LEDGER_LOST_NR];
};

struct ledger {
	struct ledger_row *items;
	size_t nr, alloc;
};

void ledger_deinit(struct ledger *ledger);

struct error *ledger_add(struct ledger *ledger, const struct ledger_row *row);

/*
 * Sum of the rows of @event (UINT32_MAX: of all) over all CPUs.  A term that
 * is not known in one row is not known in the sum; the proof is the weakest.
 */
struct ledger_row ledger_sum(const struct ledger *ledger, uint32_t event);

/* Sum of lost[]. */
uint64_t ledger_row_lost(const struct ledger_row *row);

/* Nothing lost and every term known to be so: what --require-complete asks. */
bool ledger_is_complete(const struct ledger *ledger);

/* Of a number in a device's LOST record (enum ktrace_lost); a newer one's is OTHER. */
enum ledger_reason ledger_reason_of_device(uint64_t reason);

/* "ring full", "nested too deep" ... */
const char *ledger_reason_text(enum ledger_reason reason);

/* The option that helps against it, as a sentence part; NULL: none. */
const char *ledger_reason_advice(enum ledger_reason reason);

/* "exact", "bounded" or "unknown", a colon, and what that means: part of a sentence. */
const char *ledger_proof_text(enum ledger_proof proof);

#endif

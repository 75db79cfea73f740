/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loss ledger counts, by event and CPU, the outcome of every firing.
 *
 *	emitted = recorded + filtered + lost
 *
 * A source fills in only the terms that it knows, and how exact they are; nothing is guessed.
 * capture/ fills the ledger, perfdata/ stores it in files, and cmd/ prints it.
 */
#ifndef KTRACE_RECORD_LEDGER_H
#define KTRACE_RECORD_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"

/* How exact the numbers of a row are. */
enum ledger_proof {
	LEDGER_EXACT = 0,	/* every firing is in one of the terms */
	LEDGER_BOUNDED,		/* exact from the handler on; earlier drops are not seen */
	LEDGER_UNKNOWN,		/* the source does not know one of the terms */
};

/* Why records were lost.  Files contain these numbers, so they must not change. */
enum ledger_reason {
	LEDGER_LOST_FULL = 0,	/* no room in the ring */
	LEDGER_LOST_NESTED,	/* contexts nested too deep */
	LEDGER_LOST_TOO_BIG,	/* record larger than can be stored */
	LEDGER_LOST_OTHER,
	LEDGER_LOST_OVERWRITTEN, /* by newer ones, in a ring that keeps the newest */
	LEDGER_LOST_RECURSION,	/* fired while another sample was being recorded */
	LEDGER_LOST_FROZEN,	/* fired after a violation had frozen the session */
	LEDGER_LOST_NR,
};

#define LEDGER_NOT_KNOWN UINT64_MAX

struct ledger_row {
	uint32_t event;		/* index in the event list; UINT32_MAX: all of the source's */
	uint32_t source;	/* as struct event has it; only used if event is UINT32_MAX */
	uint32_t cpu;		/* UINT32_MAX: all */
	enum ledger_proof proof;
	uint64_t recorded;
	uint64_t filtered;	/* LEDGER_NOT_KNOWN with perf_event */
	uint64_t out_of_scope;	/* other tasks, the recorder itself; not in emitted */
	uint64_t lost[LEDGER_LOST_NR];
};

struct ledger {
	struct ledger_row *items;
	size_t nr, alloc;
};

void ledger_deinit(struct ledger *ledger);
DEFINE_CLEANUP(ledger, struct ledger, ledger_deinit)

struct error *ledger_add(struct ledger *ledger, const struct ledger_row *row);

/*
 * Returns the sum of the rows of @event (UINT32_MAX: of all events) over all CPUs.  A term
 * that is unknown in one row is unknown in the sum; the sum has the weakest proof of its
 * rows.
 */
struct ledger_row ledger_sum(const struct ledger *ledger, uint32_t event);

/*
 * Add the sums of @parts to @ledger: one row for each event, in the order of their first rows.
 * Rows that are not of one event are added unchanged.
 */
struct error *ledger_add_sums(struct ledger *ledger, const struct ledger *parts);

/* Join the rows from @first on that have the same event and CPU into their first row. */
void ledger_join(struct ledger *ledger, size_t first);

/* Sum of lost[]. */
uint64_t ledger_row_lost(const struct ledger_row *row);

/* Whether every term is known and nothing was lost, which --require-complete demands. */
bool ledger_is_complete(const struct ledger *ledger);

/*
 * Converts a reason in a device's LOST record (enum ktrace_lost).  Unknown ones of newer modules
 * become LEDGER_LOST_OTHER.
 */
enum ledger_reason ledger_reason_of_device(uint64_t reason);

/* Returns "ring full", "nested too deep" and so on. */
const char *ledger_reason_text(enum ledger_reason reason);

/* Returns the option that helps against the loss, as part of a sentence, or NULL if none does. */
const char *ledger_reason_advice(enum ledger_reason reason);

/* Returns part of a sentence: "exact", "bounded" or "unknown", a colon, and the meaning. */
const char *ledger_proof_text(enum ledger_proof proof);

#endif

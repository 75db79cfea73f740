/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last seconds of the contents of rings.  It is a sink in front of a file's sink; it drops and
 * counts older samples.  At the end it computes the share of the requested time that is available.
 */
#ifndef KTRACE_RECORDER_WINDOW_H
#define KTRACE_RECORDER_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/backend.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/event.h"
#include "record/ledger.h"
#include "record/record.h"

struct window_ring {
	uint64_t first;		/* time of the earliest sample; UINT64_MAX: none */
	uint64_t *older;	/* samples before the window, by event; owned */
	uint64_t nr_older;	/* sum of these */
	bool counted;		/* its source counts overwritten samples */
	bool overwritten;	/* the ring has lost some of its records */
	uint64_t held;		/* ns of the window that are available; set by window_close() */
};

/* Times are ns of the recording's clock. */
struct window {
	struct record_sink sink;	/* takes the records of a snapshot */
	struct record_sink *to;		/* gets the records in the window; borrowed */
	const struct event_list *events;	/* borrowed */
	uint64_t began;			/* start of recording */
	uint64_t asked;			/* requested length of the window */
	uint64_t end;			/* end of the window; later records are kept, too */
	uint64_t begin;

	ARRAY_OF(struct window_ring) rings;	/* by CPU + 1; without a CPU: 0 */

	/* Set by window_close(): */
	uint64_t held;			/* ns that all rings hold */
	uint64_t older, overwritten;	/* samples that are not in the file */
	bool overwritten_known;
	bool too_small;			/* a ring does not hold the requested time */
	uint64_t ring_size;		/* bytes of the largest ring */
};

/*
 * Whether a record of this type concerns one instant.  Other records, such as names and maps, are
 * always needed.
 */
bool window_is_instant(uint32_t type);

/*
 * Begin a window that ends at @end; 0: the time is unknown, and nothing is left out.  @ret must not
 * move, and has to be released.
 */
void window_open(struct window *ret, const struct event_list *events, struct record_sink *to,
		 uint64_t began, uint64_t asked, uint64_t end);
void window_deinit(struct window *window);
DEFINE_CLEANUP(window, struct window, window_deinit)

/*
 * After all records were written, evaluate the contents of @rings, and reduce @ledger to the
 * window.  Samples that were left out are then in none of its terms.  Overwritten ones are lost
 * only if a ring holds less than the window.
 */
struct error *window_close(struct window *window, const struct capture_ring *rings, size_t nr,
			   struct ledger *ledger);

/*
 * Append "CPU 0 holds 8.9 s, CPU 3 12.0 s": the rings that hold less than requested, the least
 * first.
 */
void window_add_short_rings(const struct window *window, struct strbuf *ret);

/*
 * Append the argument of -m for rings that hold @asked ns, as "64M".  A ring of @size bytes holds
 * @held ns.
 */
void window_add_advice(uint64_t size, uint64_t held, uint64_t asked, struct strbuf *ret);

#endif

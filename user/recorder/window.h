/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last so many seconds of what rings hold: a sink in front of a file's, which leaves out what
 * is older, counts it, and says then how much of the time that was asked for is there.
 */
#ifndef KTRACE_RECORDER_WINDOW_H
#define KTRACE_RECORDER_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/backend.h"
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
	bool counted;		/* its source knows how many samples were overwritten */
	bool overwritten;	/* the ring no longer has all that was ever written into it */
	uint64_t held;		/* ns of the window that are there; set by window_close() */
};

/* Times are ns of the recording's clock. */
struct window {
	struct record_sink sink;	/* takes what a snapshot writes */
	struct record_sink *to;		/* gets what is in the window; borrowed */
	const struct event_list *events;	/* borrowed */
	uint64_t began;			/* when recording began */
	uint64_t asked;			/* how long the window is to be */
	uint64_t end;			/* it ends here, and what comes later is kept, too */
	uint64_t begin;

	struct {
		struct window_ring *items;	/* by CPU + 1; of no CPU: 0 */
		size_t nr, alloc;
	} rings;

	/* Set by window_close(): */
	uint64_t held;			/* ns that all rings hold */
	uint64_t older, overwritten;	/* samples that are not in the file */
	bool overwritten_known;
	bool too_small;			/* a ring does not hold what was asked for */
	uint64_t ring_size;		/* bytes of the largest ring */
};

/*
 * Begin a window that ends at @end; 0: the time is not known, and nothing is left out.  @ret must
 * not move, and has to be released.
 */
void window_open(struct window *ret, const struct event_list *events, struct record_sink *to,
		 uint64_t began, uint64_t asked, uint64_t end);
void window_deinit(struct window *window);
DEFINE_CLEANUP(window, struct window, window_deinit)

/*
 * When all is written: look at what @rings held, and make @ledger one of the window.  What was
 * left out is in none of its terms then, and what was overwritten is lost only where a ring holds
 * less than the window.
 */
struct error *window_close(struct window *window, const struct capture_ring *rings, size_t nr,
			   struct ledger *ledger);

/* Append "CPU 0 holds 8.9 s, CPU 3 12.0 s": the rings that hold less, those with the least first. */
void window_add_short_rings(const struct window *window, struct strbuf *ret);

/*
 * The argument of -m for rings that hold @asked ns where one of @size bytes holds @held ns, as "64M".
 */
void window_add_advice(uint64_t size, uint64_t held, uint64_t asked, struct strbuf *ret);

#endif

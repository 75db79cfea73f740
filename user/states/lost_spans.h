/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The periods in which the rings of CPUs lost records: earlier knowledge is uncertain after them.
 */
#ifndef KTRACE_STATES_LOST_SPANS_H
#define KTRACE_STATES_LOST_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "session/session.h"

#define LOST_SPANS_ANY_CPU	(-1)

struct lost_span {
	uint64_t since, until;	/* ns; until UINT64_MAX: no later record was stored */
};

/* Spans of a CPU, in order of time; they do not touch. */
struct lost_cpu {
	struct lost_span *items;
	size_t nr, alloc;
};

/* Initialize it to zeros. */
struct lost_spans {
	ARRAY_OF(struct lost_cpu) cpus;	/* by CPU + 1; [0]: without a known CPU */
	bool any;			/* there are spans */
	uint64_t placed;		/* losses in LOST records */
	uint64_t counted;		/* in LOST_SAMPLES records, which count all losses */
	const struct session_rings *rings;	/* NULL: there are no LOST_SAMPLES records */
};

void lost_spans_deinit(struct lost_spans *spans);

/* A record of a CPU was stored.  Returns false if memory is out. */
bool lost_spans_note(struct lost_spans *spans, int32_t cpu, uint64_t time);

/*
 * Add a record that is no sample; records without a loss are ignored.  Returns false if memory is
 * out.
 */
bool lost_spans_take(struct lost_spans *spans, const struct session_record *r);

/*
 * The recording has ended: losses without a LOST record are assumed after the last sample of each
 * ring, also if that was not given to a consumer.  Call it before the session ends.
 */
bool lost_spans_finish(struct lost_spans *spans);

/*
 * Find the time between @since and @until from the first to the last loss of a CPU, or of any;
 * false: nothing was lost.
 */
bool lost_spans_between(const struct lost_spans *spans, int32_t cpu, uint64_t since, uint64_t until,
			struct lost_span *ret);

#endif

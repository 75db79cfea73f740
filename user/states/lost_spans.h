/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the rings of which CPUs lost records: what was known before is not certain any more then.
 */
#ifndef KTRACE_STATES_LOST_SPANS_H
#define KTRACE_STATES_LOST_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"

#define LOST_SPANS_ANY_CPU	(-1)

struct lost_span {
	uint64_t since, until;	/* ns; until UINT64_MAX: nothing was stored since */
};

/* Of a CPU, in order of time; none touches the next one. */
struct lost_cpu {
	struct lost_span *items;
	size_t nr, alloc;
	uint64_t last;		/* time of the last record that was noted; 0: none was */
};

/* Begin with zeros. */
struct lost_spans {
	struct {
		struct lost_cpu *items;	/* by CPU + 1; [0]: of no known CPU */
		size_t nr, alloc;
	} cpus;
	bool any;			/* there are spans */
	uint64_t placed;		/* losses in LOST records */
	uint64_t counted;		/* in LOST_SAMPLES, which count all */
};

void lost_spans_deinit(struct lost_spans *spans);

/* A record of a CPU was stored.  false: memory is out. */
bool lost_spans_note(struct lost_spans *spans, int32_t cpu, uint64_t time);

/* Take in a record that is no sample; what tells of no loss changes nothing.  false: as above. */
bool lost_spans_take(struct lost_spans *spans, const struct session_record *r);

/* The recording has ended: losses that no LOST record places came behind all that was noted. */
bool lost_spans_finish(struct lost_spans *spans);

/*
 * Find the time between @since and @until from the first to the last loss of a CPU, or of any;
 * false: nothing was lost.
 */
bool lost_spans_between(const struct lost_spans *spans, int32_t cpu, uint64_t since, uint64_t until,
			struct lost_span *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interrupts that ran on each CPU, with their times, from the events of the systems irq and
 * irq_vectors.  An interrupt that is interrupted itself does not run meanwhile.
 */
#ifndef KTRACE_STATES_INTERRUPT_SPANS_H
#define KTRACE_STATES_INTERRUPT_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "session/session.h"

struct interrupt_span {
	uint64_t since, until;	/* ns */
	uint32_t name;		/* index in names */
};

/* The deepest nesting of interrupts. */
#define INTERRUPT_DEPTH	8

struct interrupt_cpu {
	struct interrupt_span *items;	/* in order of time; none overlap */
	size_t nr, alloc;
	uint32_t open[INTERRUPT_DEPTH];	/* names of running ones, the outermost first */
	unsigned int depth;
	uint64_t since;			/* the innermost has run since then without a break */
};

struct interrupt_name {
	unsigned int kind;
	uint64_t number;
	char *text;		/* "irq 24 nvme0q1", "softirq TIMER", "local_timer" */
	size_t own;		/* where "nvme0q1", "", "local_timer" begin in them */
};

struct interrupt_spans {
	ARRAY_OF(struct interrupt_cpu) cpus;
	ARRAY_OF(struct interrupt_name) names;
	ARRAY_OF(struct interrupt_event) events;	/* by event->index */
};

/* The name of a softirq's vector: "TIMER"; NULL: it has none. */
const char *softirq_name(uint64_t vector);

void interrupt_spans_deinit(struct interrupt_spans *spans);

/* Add a sample, which may be of any event.  The only possible error is lack of memory. */
struct error *interrupt_spans_take(struct interrupt_spans *spans, const struct session_record *r);

/*
 * A CPU switches to another task, which no interrupt does: all interrupts that seem to run have
 * ended.  The only possible error is lack of memory.
 */
struct error *interrupt_spans_switch(struct interrupt_spans *spans, int32_t cpu, uint64_t time);

/* As interrupt_spans_switch(), because a CPU (-1: any) has lost records since then. */
struct error *interrupt_spans_lose(struct interrupt_spans *spans, int32_t cpu, uint64_t since);

/* The first span of a CPU that ends after @time, and the number of spans from it on; NULL: none. */
const struct interrupt_span *interrupt_spans_after(const struct interrupt_spans *spans, int32_t cpu,
						   uint64_t time, size_t *ret_nr);

/* The name of the interrupt that ran on a CPU at that instant; NULL: unknown or none. */
const char *interrupt_spans_at(const struct interrupt_spans *spans, int32_t cpu, uint64_t time);

#endif

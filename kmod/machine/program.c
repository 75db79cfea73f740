// SPDX-License-Identifier: GPL-2.0
#include "machine/program.h"

#include <linux/align.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/filter.h"
#include "lib/memlock.h"

/* The approximate cost of a source besides its filters, and of each transition that is checked. */
#define PROGRAM_SOURCE_COST	64
#define PROGRAM_ROW_COST	4

static bool program_has_key(const struct ktrace_machine *h)
{
	switch (h->key) {
	case KTRACE_MACHINE_KEY_NONE:
		return !h->nr_parts;
	case KTRACE_MACHINE_KEY_CPU:
	case KTRACE_MACHINE_KEY_TASK:
		return h->nr_parts == 1;
	case KTRACE_MACHINE_KEY_FIELDS:
		return h->nr_parts && h->nr_parts <= KTRACE_MACHINE_MAX_PARTS;
	default:
		return false;
	}
}

static bool program_has_head(const struct ktrace_machine *h)
{
	return h->nr_states && h->nr_states <= KTRACE_MACHINE_MAX_STATES && h->nr_sources &&
	       h->nr_sources <= KTRACE_MACHINE_MAX_SOURCES &&
	       h->nr_transitions <= KTRACE_MACHINE_MAX_TRANSITIONS &&
	       h->nr_filters <= KTRACE_MACHINE_MAX_FILTERS &&
	       h->nr_insns <= KTRACE_MACHINE_MAX_INSNS &&
	       h->pool_bytes <= KTRACE_MACHINE_MAX_POOL && program_has_key(h) &&
	       h->initial < h->nr_states && h->nr_clocks <= KTRACE_MACHINE_MAX_CLOCKS &&
	       h->max_keys && h->max_keys <= KTRACE_MACHINE_MAX_KEYS && !h->reserved;
}

/* The head's numbers are in their range, so this does not overflow. */
static u32 program_size(const struct ktrace_machine *h)
{
	return ALIGN(sizeof(*h) + h->nr_states * sizeof(struct ktrace_machine_state) +
		     h->nr_sources * sizeof(struct ktrace_machine_source) +
		     h->nr_transitions * sizeof(struct ktrace_machine_transition) +
		     h->nr_filters * sizeof(struct ktrace_machine_filter) +
		     h->nr_insns * sizeof(struct ktrace_filter_insn) + h->pool_bytes, 8U);
}

static bool program_is_clock(const struct ktrace_machine *h, u8 clock)
{
	return clock == KTRACE_MACHINE_NO_CLOCK || clock < h->nr_clocks;
}

static bool program_is_filter(const struct ktrace_machine *h, u16 filter)
{
	return filter == KTRACE_MACHINE_NO_FILTER || filter < h->nr_filters;
}

static bool program_is_common(u32 field, u32 width)
{
	return (field == KTRACE_FIELD_CPU || field == KTRACE_FIELD_TGID ||
		field == KTRACE_FIELD_TID) && width == sizeof(u64);
}

static bool program_is_part(const struct ktrace_machine_part *part)
{
	bool width = part->width == 1 || part->width == 2 || part->width == 4 || part->width == 8;

	if (part->reserved || part->flags & ~KTRACE_FILTER_SIGNED || !width)
		return false;
	if (part->src == KTRACE_FILTER_SRC_FIELD)
		return program_is_common(part->offset, part->width);
	return part->src == KTRACE_FILTER_SRC_RECORD && part->offset <= U16_MAX;
}

static bool program_has_states(const struct ktrace_program *p)
{
	u32 i;

	for (i = 0; i < p->head->nr_states; i++) {
		const struct ktrace_machine_state *s = &p->states[i];
		bool lasts = s->clock == KTRACE_MACHINE_NO_CLOCK;

		if (!program_is_clock(p->head, s->clock) ||
		    memchr_inv(s->reserved, 0, sizeof(s->reserved)) || !s->limit != lasts)
			return false;
	}
	return true;
}

static bool program_has_sources(const struct ktrace_program *p)
{
	u32 i, n;

	for (i = 0; i < p->head->nr_sources; i++) {
		const struct ktrace_machine_source *s = &p->sources[i];

		if (!program_is_filter(p->head, s->filter) ||
		    s->start > KTRACE_MACHINE_STARTS_BEFORE || s->reserved ||
		    (i && s[-1].event > s->event))
			return false;
		for (n = 0; n < KTRACE_MACHINE_MAX_PARTS; n++)
			if (n < p->head->nr_parts ? !program_is_part(&s->parts[n]) :
			    !!memchr_inv(&s->parts[n], 0, sizeof(s->parts[n])))
				return false;
	}
	return true;
}

static bool program_has_transitions(const struct ktrace_program *p)
{
	const struct ktrace_machine *h = p->head;
	u32 i;

	for (i = 0; i < h->nr_transitions; i++) {
		const struct ktrace_machine_transition *t = &p->transitions[i];

		if (t->state >= h->nr_states || t->source >= h->nr_sources ||
		    t->next >= h->nr_states || !program_is_filter(h, t->filter) ||
		    !program_is_clock(h, t->clock) || t->resets >> h->nr_clocks ||
		    memchr_inv(t->reserved, 0, sizeof(t->reserved)))
			return false;
		if (i && (t[-1].state > t->state ||
			  (t[-1].state == t->state && t[-1].source > t->source)))
			return false;
	}
	return true;
}

/* Finds the part of the pool with a filter's texts.  Returns false if they are outside the pool. */
static bool program_find_texts(const struct ktrace_machine *h,
			       const struct ktrace_filter_insn *insns, u32 nr, u32 *from, u32 *to)
{
	u32 i, at, len;

	*from = h->pool_bytes;
	*to = 0;
	for (i = 0; i < nr; i++) {
		if (!ktrace_filter_is_text(insns[i].op))
			continue;
		at = insns[i].value >> 32;
		len = insns[i].value;
		if (at > h->pool_bytes || len > h->pool_bytes - at)
			return false;
		*from = min(*from, at);
		*to = max(*to, at + len);
	}
	*to = max(*from, *to);
	return true;
}

static bool program_looks_at_known(const struct ktrace_filter_insn *insns, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (insns[i].src == KTRACE_FILTER_SRC_FIELD &&
		    !program_is_common(insns[i].offset, insns[i].width))
			return false;
	return true;
}

static int program_make_filters(struct ktrace_program *p)
{
	const struct ktrace_machine *h = p->head;
	const struct ktrace_machine_filter *rows = (void *)(p->transitions + h->nr_transitions);
	const struct ktrace_filter_insn *insns = (void *)(rows + h->nr_filters);
	const char *pool = (void *)(insns + h->nr_insns);
	struct ktrace_filter *filter;
	u32 i, from, to;

	for (i = 0; i < h->nr_filters; i++) {
		const struct ktrace_machine_filter *row = &rows[i];

		if (row->first >= h->nr_insns || row->nr > h->nr_insns - row->first ||
		    !program_looks_at_known(&insns[row->first], row->nr) ||
		    !program_find_texts(h, &insns[row->first], row->nr, &from, &to))
			return -EINVAL;
		filter = ktrace_filter_copy(&insns[row->first], row->nr, pool, from, to - from);
		if (IS_ERR(filter))
			return PTR_ERR(filter);
		p->filters[i] = filter;
		p->bytes += ktrace_filter_bytes(filter);
	}
	return 0;
}

static void program_index(struct ktrace_program *p)
{
	const struct ktrace_machine *h = p->head;
	u32 nr = (u32)h->nr_states * h->nr_sources, i, at = 0;

	for (i = 0; i < nr; i++) {
		p->first[i] = at;
		while (at < h->nr_transitions && (u32)p->transitions[at].state * h->nr_sources +
						 p->transitions[at].source == i)
			at++;
	}
	p->first[nr] = at;
}

static int program_prepare(struct ktrace_program *p, u32 size)
{
	const struct ktrace_machine *h = p->head;
	u32 pairs;

	if (size < sizeof(*h) || !program_has_head(h) || h->size != size || program_size(h) != size)
		return -EINVAL;
	p->states = (void *)(h + 1);
	p->sources = (void *)(p->states + h->nr_states);
	p->transitions = (void *)(p->sources + h->nr_sources);
	if (!program_has_states(p) || !program_has_sources(p) || !program_has_transitions(p))
		return -EINVAL;
	pairs = (u32)h->nr_states * h->nr_sources + 1;
	p->bytes = sizeof(*p) + size + h->nr_filters * sizeof(*p->filters) +
		   pairs * sizeof(*p->first);
	p->first = kvcalloc(pairs, sizeof(*p->first), KTRACE_MEMLOCK_GFP);
	p->filters = kcalloc(h->nr_filters + 1, sizeof(*p->filters), KTRACE_MEMLOCK_GFP);
	if (!p->first || !p->filters)
		return -ENOMEM;
	program_index(p);
	return program_make_filters(p);
}

struct ktrace_program *ktrace_program_create(void *bytes, u32 size)
{
	struct ktrace_program *program = kzalloc(sizeof(*program), GFP_KERNEL_ACCOUNT);
	int err;

	if (!program) {
		kvfree(bytes);
		return ERR_PTR(-ENOMEM);
	}
	program->head = bytes;
	err = program_prepare(program, size);
	if (err) {
		ktrace_program_destroy(program);
		return ERR_PTR(err);
	}
	return program;
}

void ktrace_program_destroy(struct ktrace_program *program)
{
	u32 i;

	for (i = 0; program->filters && i < program->head->nr_filters; i++)
		ktrace_filter_destroy(program->filters[i]);
	kfree(program->filters);
	kvfree(program->first);
	kvfree(program->head);
	kfree(program);
}

static u64 program_filter_cost(const struct ktrace_program *p, u16 filter)
{
	return filter == KTRACE_MACHINE_NO_FILTER ? 0 : p->filters[filter]->cost;
}

u64 ktrace_program_cost(const struct ktrace_program *program, u32 first, u32 end)
{
	u32 source, state, i;
	/* The filter of an only source may run before as well (ktrace_capture_judge()). */
	u64 cost = end - first > 1 ? 0 : program_filter_cost(program,
							     program->sources[first].filter);

	for (source = first; source < end; source++) {
		u64 most = 0;

		for (state = 0; state < program->head->nr_states; state++) {
			const u16 *pair = ktrace_program_pair(program, state, source);
			u64 sum = 0;

			for (i = pair[0]; i < pair[1]; i++)
				sum += PROGRAM_ROW_COST +
				       program_filter_cost(program, program->transitions[i].filter);
			most = max(most, sum);
		}
		cost += PROGRAM_SOURCE_COST + most +
			program_filter_cost(program, program->sources[source].filter);
	}
	return cost;
}

bool ktrace_program_is_of_own_tasks(const struct ktrace_program *program)
{
	u32 i;

	for (i = 0; i < program->head->nr_sources; i++)
		if (program->sources[i].parts[0].src != KTRACE_FILTER_SRC_FIELD ||
		    program->sources[i].parts[0].offset != KTRACE_FIELD_TID)
			return false;
	return program->head->key == KTRACE_MACHINE_KEY_TASK;
}

// SPDX-License-Identifier: GPL-2.0
#include "machine/program.h"

#include <assert.h>
#include <fnmatch.h>
#include <string.h>

/* As ftrace, compare at most this much of a string. */
#define MACHINE_TEXT_MAX	256

static_assert(sizeof(struct ktrace_machine) == 32, "layout of a machine");
static_assert(sizeof(struct ktrace_machine_state) == 16, "layout of a state");
static_assert(sizeof(struct ktrace_machine_source) == 40, "layout of a source");
static_assert(sizeof(struct ktrace_machine_transition) == 32, "layout of a transition");
static_assert(sizeof(struct ktrace_filter_insn) == 24, "layout of an instruction");

size_t machine_size(const struct ktrace_machine *head)
{
	size_t size = sizeof(*head) + head->nr_states * sizeof(struct ktrace_machine_state) +
		      head->nr_sources * sizeof(struct ktrace_machine_source) +
		      head->nr_transitions * sizeof(struct ktrace_machine_transition) +
		      head->nr_filters * sizeof(struct ktrace_machine_filter) +
		      head->nr_insns * sizeof(struct ktrace_filter_insn) + head->pool_bytes;

	return (size + 7) & ~(size_t)7;
}

static bool machine_is_zero(const void *bytes, size_t size)
{
	const char *p = bytes;

	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
}

static bool machine_head_is_valid(const struct ktrace_machine *h)
{
	bool parts = h->key == MACHINE_KEY_NONE ? !h->nr_parts : h->key == MACHINE_KEY_FIELDS ?
		     h->nr_parts && h->nr_parts <= MACHINE_PARTS_MAX : h->nr_parts == 1;

	return h->nr_states && h->nr_states <= MACHINE_STATES_MAX && h->nr_sources &&
	       h->nr_sources <= MACHINE_SOURCES_MAX &&
	       h->nr_transitions <= MACHINE_TRANSITIONS_MAX &&
	       h->nr_filters <= MACHINE_FILTERS_MAX && h->nr_insns <= MACHINE_INSNS_MAX &&
	       h->pool_bytes <= MACHINE_POOL_MAX && h->key <= MACHINE_KEY_FIELDS && parts &&
	       h->initial < h->nr_states && h->nr_clocks <= MACHINE_CLOCKS_MAX && h->max_keys &&
	       h->max_keys <= MACHINE_KEYS_MAX && !h->reserved;
}

static bool machine_is_width(uint32_t width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

static bool machine_is_common(uint32_t number, uint32_t width)
{
	return (number == KTRACE_FIELD_CPU || number == KTRACE_FIELD_TGID ||
		number == KTRACE_FIELD_TID) && machine_is_width(width);
}

static bool machine_is_operand(uint8_t src, uint32_t offset, uint32_t width, bool text)
{
	switch (src) {
	case KTRACE_FILTER_SRC_RECORD:
		return (text ? width > 0 : machine_is_width(width)) && width <= UINT16_MAX &&
		       offset <= UINT16_MAX;
	case KTRACE_FILTER_SRC_DATA_LOC:
	case KTRACE_FILTER_SRC_REL_LOC:
		return (text || machine_is_width(width)) && offset <= UINT16_MAX;
	case KTRACE_FILTER_SRC_FIELD:
		return !text && machine_is_common(offset, width);
	default:
		return false;
	}
}

static bool machine_accumulates(const struct ktrace_filter_insn *insn)
{
	return insn->op >= KTRACE_FILTER_LOAD;
}

/* The same for an operator of the accumulator. */
static bool machine_step_is_valid(const struct ktrace_filter_insn *insn)
{
	uint8_t flags = ktrace_filter_can_be_signed(insn->op) ? KTRACE_FILTER_SIGNED_OP : 0;

	if (insn->op > KTRACE_FILTER_ACC_BAND ||
	    (insn->op == KTRACE_FILTER_STORE && insn->src != KTRACE_FILTER_SRC_REGISTER) ||
	    (insn->op < KTRACE_FILTER_ACC_EQ && insn->op != KTRACE_FILTER_DIV &&
	     insn->op != KTRACE_FILTER_MOD && insn->jt != insn->jf))
		return false;
	if (insn->src == KTRACE_FILTER_SRC_VALUE)
		return insn->width == 8 && !insn->offset && !(insn->flags & ~flags);
	if (insn->src == KTRACE_FILTER_SRC_REGISTER)
		return insn->width == 8 && insn->offset < KTRACE_FILTER_REGISTERS &&
		       !(insn->flags & ~flags) && !insn->value;
	return !(insn->flags & ~(flags | KTRACE_FILTER_SIGNED)) && !insn->value &&
	       machine_is_operand(insn->src, insn->offset, insn->width, false);
}

static bool machine_insn_is_valid(const struct ktrace_filter_insn *insn, uint32_t index,
				  uint32_t nr, uint32_t pool_bytes)
{
	bool text = ktrace_filter_is_text(insn->op);
	uint32_t at = insn->value >> 32, len = insn->value;

	if (insn->op < KTRACE_FILTER_EQ || insn->reserved)
		return false;
	if (machine_accumulates(insn) ? !machine_step_is_valid(insn) :
	    insn->flags & ~(text ? 0 : KTRACE_FILTER_SIGNED) ||
	    !machine_is_operand(insn->src, insn->offset, insn->width, text))
		return false;
	/* Each string is followed by a NUL, which is part of the pool. */
	if (text && (at >= pool_bytes || len >= pool_bytes - at || len >= MACHINE_TEXT_MAX))
		return false;
	return (insn->jt >= KTRACE_FILTER_REJECT || (insn->jt > index && insn->jt < nr)) &&
	       (insn->jf >= KTRACE_FILTER_REJECT || (insn->jf > index && insn->jf < nr));
}

static bool machine_filters_are_valid(const struct machine_view *v)
{
	const struct ktrace_machine *h = v->head;

	for (uint32_t f = 0; f < h->nr_filters; f++) {
		const struct ktrace_machine_filter *filter = &v->filters[f];

		if (!filter->nr || filter->nr > KTRACE_FILTER_MAX_INSNS ||
		    filter->first >= h->nr_insns || filter->nr > h->nr_insns - filter->first)
			return false;
		for (uint32_t i = 0; i < filter->nr; i++) {
			const struct ktrace_filter_insn *insn = &v->insns[filter->first + i];
			uint32_t at = insn->value >> 32, len = insn->value;

			if (!machine_insn_is_valid(insn, i, filter->nr, h->pool_bytes))
				return false;
			if (ktrace_filter_is_text(insn->op) && v->pool[at + len])
				return false;
		}
	}
	return true;
}

static bool machine_is_filter(const struct ktrace_machine *h, uint16_t filter)
{
	return filter == MACHINE_NO_FILTER || filter < h->nr_filters;
}

static bool machine_part_is_valid(const struct ktrace_machine_part *part)
{
	return !part->reserved && !(part->flags & ~KTRACE_FILTER_SIGNED) &&
	       (part->src == KTRACE_FILTER_SRC_RECORD || part->src == KTRACE_FILTER_SRC_FIELD) &&
	       machine_is_operand(part->src, part->offset, part->width, false);
}

static bool machine_sources_are_valid(const struct machine_view *v)
{
	const struct ktrace_machine *h = v->head;

	for (uint32_t i = 0; i < h->nr_sources; i++) {
		const struct ktrace_machine_source *s = &v->sources[i];

		if (!machine_is_filter(h, s->filter) || s->start > MACHINE_STARTS_BEFORE ||
		    s->reserved || (i && s[-1].event > s->event))
			return false;
		for (uint32_t p = 0; p < MACHINE_PARTS_MAX; p++)
			if (p < h->nr_parts ? !machine_part_is_valid(&s->parts[p]) :
					      !machine_is_zero(&s->parts[p], sizeof(s->parts[p])))
				return false;
	}
	return true;
}

static bool machine_is_clock(const struct ktrace_machine *h, uint8_t clock)
{
	return clock == MACHINE_NO_CLOCK || clock < h->nr_clocks;
}

static bool machine_states_are_valid(const struct machine_view *v)
{
	for (uint32_t i = 0; i < v->head->nr_states; i++) {
		const struct ktrace_machine_state *s = &v->states[i];

		if (!machine_is_clock(v->head, s->clock) ||
		    !machine_is_zero(s->reserved, sizeof(s->reserved)) ||
		    !s->limit != (s->clock == MACHINE_NO_CLOCK))
			return false;
	}
	return true;
}

static bool machine_transitions_are_valid(const struct machine_view *v)
{
	const struct ktrace_machine *h = v->head;

	for (uint32_t i = 0; i < h->nr_transitions; i++) {
		const struct ktrace_machine_transition *t = &v->transitions[i];

		if (t->state >= h->nr_states || t->source >= h->nr_sources ||
		    t->next >= h->nr_states || !machine_is_filter(h, t->filter) ||
		    !machine_is_clock(h, t->clock) || t->resets >> h->nr_clocks ||
		    !machine_is_zero(t->reserved, sizeof(t->reserved)))
			return false;
		if (i && (t[-1].state > t->state ||
			  (t[-1].state == t->state && t[-1].source > t->source)))
			return false;
	}
	return true;
}

bool machine_verify(const void *bytes, size_t size, struct machine_view *ret)
{
	struct machine_view v = { .head = bytes };
	const char *end = (const char *)bytes + size;

	if (size < sizeof(*v.head) || !machine_head_is_valid(v.head) || v.head->size != size ||
	    machine_size(v.head) != size)
		return false;
	v.states = (const void *)(v.head + 1);
	v.sources = (const void *)(v.states + v.head->nr_states);
	v.transitions = (const void *)(v.sources + v.head->nr_sources);
	v.filters = (const void *)(v.transitions + v.head->nr_transitions);
	v.insns = (const void *)(v.filters + v.head->nr_filters);
	v.pool = (const void *)(v.insns + v.head->nr_insns);
	if (!machine_states_are_valid(&v) || !machine_sources_are_valid(&v) ||
	    !machine_transitions_are_valid(&v) || !machine_filters_are_valid(&v) ||
	    !machine_is_zero(v.pool + v.head->pool_bytes, end - v.pool - v.head->pool_bytes))
		return false;
	*ret = v;
	return true;
}

struct machine_operand {
	const unsigned char *bytes;
	uint32_t size;
};

/* The part of [offset, offset + size) that is inside the raw data. */
static struct machine_operand machine_part_of(const struct machine_record *r, uint32_t offset,
					      uint32_t size)
{
	if (offset >= r->raw_size)
		return (struct machine_operand){ NULL, 0 };
	if (size > r->raw_size - offset)
		size = r->raw_size - offset;
	return (struct machine_operand){ (const unsigned char *)r->raw + offset, size };
}

/* Bytes beyond the raw data are zeros. */
static uint64_t machine_load_bytes(struct machine_operand from, uint32_t width, bool swapped)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	unsigned char bytes[8] = { 0 };
	uint64_t value = 0;

	if (from.size)
		memcpy(bytes, from.bytes, from.size < width ? from.size : width);
	for (uint32_t i = 0; i < width; i++) {
		uint32_t at = big == swapped ? i : width - 1 - i;

		value |= (uint64_t)bytes[at] << 8 * i;
	}
	return value;
}

static struct machine_operand machine_array(const struct machine_record *r,
					    const struct ktrace_filter_insn *insn)
{
	uint32_t word = machine_load_bytes(machine_part_of(r, insn->offset, sizeof(word)),
					   sizeof(word), r->swapped);
	uint32_t offset = word & 0xffff;

	if (insn->src == KTRACE_FILTER_SRC_REL_LOC)
		offset += insn->offset + sizeof(word);
	return machine_part_of(r, offset, word >> 16);
}

static uint64_t machine_common(uint32_t number, const struct machine_record *r)
{
	switch (number) {
	case KTRACE_FIELD_CPU:
		return r->cpu;
	case KTRACE_FIELD_TGID:
		return r->tgid;
	default:
		return r->tid;
	}
}

static uint64_t machine_extend(uint64_t value, uint32_t width, uint8_t flags)
{
	uint32_t shift = 64 - 8 * width;

	return flags & KTRACE_FILTER_SIGNED ? (uint64_t)((int64_t)(value << shift) >> shift) :
					      value;
}

uint64_t machine_load(const struct ktrace_machine_part *part, const struct machine_record *r)
{
	uint64_t value;

	if (part->src == KTRACE_FILTER_SRC_FIELD)
		value = machine_common(part->offset, r);
	else
		value = machine_load_bytes(machine_part_of(r, part->offset, part->width),
					   part->width, r->swapped);
	return machine_extend(value, part->width, part->flags);
}

static bool machine_text_holds(const struct machine_view *v, const struct ktrace_filter_insn *insn,
			       const struct machine_record *r)
{
	struct machine_operand from = insn->src == KTRACE_FILTER_SRC_RECORD ?
				      machine_part_of(r, insn->offset, insn->width) :
				      machine_array(r, insn);
	const char *pattern = v->pool + (insn->value >> 32);
	size_t len = strnlen((const char *)from.bytes ?: "",
			     from.size < MACHINE_TEXT_MAX ? from.size : MACHINE_TEXT_MAX - 1);
	char text[MACHINE_TEXT_MAX];

	if (len)
		memcpy(text, from.bytes, len);
	text[len] = '\0';
	return insn->op == KTRACE_FILTER_GLOB ? !fnmatch(pattern, text, 0) : !strcmp(pattern, text);
}

static uint64_t machine_number(const struct ktrace_filter_insn *insn,
			       const struct machine_record *r)
{
	const struct ktrace_machine_part part = {
		.offset = insn->offset, .src = insn->src, .width = insn->width,
		.flags = insn->flags & KTRACE_FILTER_SIGNED,
	};

	if (insn->src == KTRACE_FILTER_SRC_RECORD || insn->src == KTRACE_FILTER_SRC_FIELD)
		return machine_load(&part, r);
	return machine_extend(machine_load_bytes(machine_array(r, insn), insn->width, r->swapped),
			      insn->width, insn->flags);
}

static bool machine_compare(uint8_t op, bool is_signed, uint64_t a, uint64_t b)
{
	switch (op) {
	case KTRACE_FILTER_EQ:
		return a == b;
	case KTRACE_FILTER_BAND:
		return a & b;
	case KTRACE_FILTER_LT:
		return is_signed ? (int64_t)a < (int64_t)b : a < b;
	default:
		return is_signed ? (int64_t)a > (int64_t)b : a > b;
	}
}

/* The accumulator of a filter, and its registers. */
struct machine_values {
	uint64_t accumulator, registers[KTRACE_FILTER_REGISTERS];
};

/* Whether the filter continues at jt. */
static bool machine_step(struct machine_values *values, const struct ktrace_filter_insn *insn,
			 const struct machine_record *r)
{
	bool is_signed = insn->flags & KTRACE_FILTER_SIGNED_OP;
	uint64_t operand;

	if (insn->op == KTRACE_FILTER_STORE) {
		values->registers[insn->offset] = values->accumulator;
		return true;
	}
	if (insn->src == KTRACE_FILTER_SRC_REGISTER)
		operand = values->registers[insn->offset];
	else
		operand = insn->src == KTRACE_FILTER_SRC_VALUE ? insn->value :
								 machine_number(insn, r);
	if (insn->op >= KTRACE_FILTER_ACC_EQ)
		return machine_compare(insn->op - KTRACE_FILTER_ACC_EQ + KTRACE_FILTER_EQ,
				       is_signed, values->accumulator, operand);
	if (!ktrace_filter_has_result(insn->op, operand))
		return false;
	values->accumulator = insn->op == KTRACE_FILTER_LOAD ? operand :
		ktrace_filter_calculate(insn->op, is_signed, values->accumulator, operand);
	return true;
}

static bool machine_insn_holds(const struct machine_view *v, const struct ktrace_filter_insn *insn,
			       const struct machine_record *r)
{
	if (ktrace_filter_is_text(insn->op))
		return machine_text_holds(v, insn, r);
	return machine_compare(insn->op, insn->flags & KTRACE_FILTER_SIGNED,
			       machine_number(insn, r), insn->value);
}

bool machine_filter_accepts(const struct machine_view *v, uint16_t filter,
			    const struct machine_record *r)
{
	const struct ktrace_filter_insn *insns;
	/* A program that reads registers before it has set them gets zeros. */
	struct machine_values values = { 0 };
	uint32_t pc = 0;
	bool holds;

	if (filter == MACHINE_NO_FILTER)
		return true;
	insns = v->insns + v->filters[filter].first;
	do {
		holds = machine_accumulates(&insns[pc]) ? machine_step(&values, &insns[pc], r) :
							  machine_insn_holds(v, &insns[pc], r);
		pc = holds ? insns[pc].jt : insns[pc].jf;
	} while (pc < KTRACE_FILTER_REJECT);
	return pc == KTRACE_FILTER_ACCEPT;
}

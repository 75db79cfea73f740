// SPDX-License-Identifier: GPL-2.0
/* The keys that the device accepts, and how their parts are read. */
#include "count/counting.h"

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/trace_events.h>

#include "fields/common_fields.h"

/* No raw data is longer: header.size of a sample has 16 bits. */
#define MAX_OFFSET	U16_MAX

static int verify_number(const struct ktrace_count_part *part, struct ktrace_counting_part *ret)
{
	bool is_signed = part->flags & KTRACE_COUNT_SIGNED;

	switch (part->src) {
	case KTRACE_COUNT_SRC_RECORD:
		break;
	case KTRACE_COUNT_SRC_FIELD:
		if (part->width != sizeof(u64) ||
		    ktrace_common_fields_operand(part->offset) != sizeof(u64))
			return -EINVAL;
		ret->how = KTRACE_COUNTING_FIELD;
		return 0;
	case KTRACE_COUNT_SRC_LATENCY:
		if (part->width != sizeof(u64) || part->offset)
			return -EINVAL;
		ret->how = KTRACE_COUNTING_LATENCY;
		return 0;
	default:
		return -EINVAL;
	}
	switch (part->width) {
	case 1:
		ret->how = is_signed ? KTRACE_COUNTING_S8 : KTRACE_COUNTING_U8;
		return 0;
	case 2:
		ret->how = is_signed ? KTRACE_COUNTING_S16 : KTRACE_COUNTING_U16;
		return 0;
	case 4:
		ret->how = is_signed ? KTRACE_COUNTING_S32 : KTRACE_COUNTING_U32;
		return 0;
	case 8:
		ret->how = KTRACE_COUNTING_U64;
		return 0;
	default:
		return -EINVAL;
	}
}

static int verify_text(const struct ktrace_count_part *part, struct ktrace_counting_part *ret)
{
	if (part->flags || !part->width || part->width > KTRACE_COUNT_MAX_KEY)
		return -EINVAL;
	switch (part->src) {
	case KTRACE_COUNT_SRC_RECORD:
		ret->how = KTRACE_COUNTING_TEXT;
		return 0;
	case KTRACE_COUNT_SRC_DATA_LOC:
		ret->how = KTRACE_COUNTING_DATA_LOC;
		return 0;
	case KTRACE_COUNT_SRC_REL_LOC:
		ret->how = KTRACE_COUNTING_REL_LOC;
		return 0;
	case KTRACE_COUNT_SRC_FIELD:
		/* The only text is the name of the task. */
		ret->how = KTRACE_COUNTING_FIELD_TEXT;
		return part->width == KTRACE_SLOT_TEXT &&
		       ktrace_common_fields_operand(part->offset) == KTRACE_SLOT_TEXT ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}

static int verify_chain(const struct ktrace_count_part *part, struct ktrace_counting_part *ret)
{
	if (part->flags || part->offset || part->width != sizeof(u64) ||
	    (part->src != KTRACE_COUNT_SRC_KERNEL && part->src != KTRACE_COUNT_SRC_USER))
		return -EINVAL;
	ret->how = KTRACE_COUNTING_CHAIN;
	ret->offset = part->src == KTRACE_COUNT_SRC_USER;
	return 0;
}

static u32 form_of(const struct ktrace_counting_part *part)
{
	if (part->how == KTRACE_COUNTING_CHAIN)
		return KTRACE_COUNT_CHAIN;
	if (part->how >= KTRACE_COUNTING_TEXT)
		return KTRACE_COUNT_TEXT;
	return part->log2 ? KTRACE_COUNT_LOG2 : KTRACE_COUNT_NUMBER;
}

/* Accepts a part that is stored with the START.  It has the form that it was stored with. */
static int verify_start(const struct ktrace_count_part *part, const struct ktrace_counting *start,
			struct ktrace_counting_part *ret)
{
	const struct ktrace_counting_part *from;
	u32 i, words = 0;

	if (!start || part->offset < start->nr_pair || part->offset >= start->nr_parts)
		return -EINVAL;
	from = &start->parts[part->offset];
	if (part->form != form_of(from) || part->width != from->width ||
	    !(part->flags & KTRACE_COUNT_SIGNED) != !from->is_signed)
		return -EINVAL;
	for (i = start->nr_pair; i < part->offset; i++)
		words += start->parts[i].words;
	*ret = (struct ktrace_counting_part){
		.how = KTRACE_COUNTING_START, .offset = words, .width = part->width,
		.words = from->words,
	};
	return 0;
}

static int verify_part(const struct ktrace_count_part *part, bool has_latency,
		       const struct ktrace_counting *start, struct ktrace_counting_part *ret)
{
	int err;

	if (part->flags & ~KTRACE_COUNT_SIGNED || part->reserved || part->reserved2 ||
	    part->offset > MAX_OFFSET || (part->src == KTRACE_COUNT_SRC_LATENCY && !has_latency))
		return -EINVAL;
	*ret = (struct ktrace_counting_part){
		.offset = part->offset,
		.width = part->width,
		.words = DIV_ROUND_UP(part->width, (u32)sizeof(u64)),
		.log2 = part->form == KTRACE_COUNT_LOG2,
		.is_signed = part->flags & KTRACE_COUNT_SIGNED,
	};
	if (part->src == KTRACE_COUNT_SRC_START)
		return verify_start(part, start, ret);
	switch (part->form) {
	case KTRACE_COUNT_CHAIN:
		return verify_chain(part, ret);
	case KTRACE_COUNT_NUMBER:
	case KTRACE_COUNT_LOG2:
		err = verify_number(part, ret);
		/* Negative numbers have a step of their own, so the sign has to be known. */
		ret->log2_is_signed = part->flags & KTRACE_COUNT_SIGNED;
		return err;
	case KTRACE_COUNT_TEXT:
		return verify_text(part, ret);
	default:
		return -EINVAL;
	}
}

/* Does the part read the common part of the raw data? */
static bool takes_common(const struct ktrace_counting_part *part)
{
	if (part->how == KTRACE_COUNTING_FIELD)
		return part->offset == KTRACE_FIELD_CONTEXT;
	return part->how != KTRACE_COUNTING_LATENCY && part->how < KTRACE_COUNTING_FIELD_TEXT &&
	       part->offset < sizeof(struct trace_entry);
}

static int verify_role(const struct ktrace_count_add *add, const struct ktrace_counting *start)
{
	switch (add->role) {
	case KTRACE_COUNT_EACH:
		return add->start || add->nr_pair ? -EINVAL : 0;
	case KTRACE_COUNT_START:
		return add->start || !add->nr_parts || add->value.src ? -EINVAL : 0;
	case KTRACE_COUNT_END:
		return !start || start->role != KTRACE_COUNT_START ||
		       add->nr_pair != start->nr_pair ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

static bool is_text(const struct ktrace_counting_part *part)
{
	return part->how >= KTRACE_COUNTING_TEXT;
}

static int verify_value(struct ktrace_counting *counting, const struct ktrace_count_add *add,
			const struct ktrace_counting *start)
{
	static const struct ktrace_count_part none;
	int err;

	if (!add->value.src)
		return memcmp(&add->value, &none, sizeof(none)) ? -EINVAL : 0;
	counting->has_value = true;
	counting->value_is_signed = add->value.flags & KTRACE_COUNT_SIGNED;
	if (add->value.form != KTRACE_COUNT_NUMBER)
		return -EINVAL;
	err = verify_part(&add->value, add->role == KTRACE_COUNT_END, start, &counting->value);
	counting->takes_common |= takes_common(&counting->value);
	return err;
}

int ktrace_counting_verify(struct ktrace_counting *counting, const struct ktrace_count_add *add,
			   const struct ktrace_count_part *parts,
			   const struct ktrace_counting *start)
{
	bool is_start = add->role == KTRACE_COUNT_START;
	u32 i, nr_pair = is_start && !add->nr_pair ? add->nr_parts : add->nr_pair;
	int err = verify_role(add, start);

	if (err || nr_pair > add->nr_parts || add->nr_parts > KTRACE_COUNT_MAX_PARTS)
		return -EINVAL;
	counting->role = add->role;
	counting->nr_parts = add->nr_parts;
	counting->nr_pair = nr_pair;
	for (i = 0; i < add->nr_parts; i++) {
		struct ktrace_counting_part *part = &counting->parts[i];

		err = verify_part(&parts[i], i >= nr_pair && add->role == KTRACE_COUNT_END, start,
				  part);
		if (err)
			return err;
		if (i < nr_pair && part->how >= KTRACE_COUNTING_CHAIN)
			return -EINVAL;
		if (part->how == KTRACE_COUNTING_CHAIN) {
			counting->takes_chains = true;
			counting->takes_chain[part->offset] = true;
		}
		if (start && i < nr_pair && (part->words != start->parts[i].words ||
					     is_text(part) != is_text(&start->parts[i]) ||
					     part->log2 != start->parts[i].log2))
			return -EINVAL;
		counting->takes_common |= takes_common(part);
		if (i < nr_pair)
			counting->pair_words += part->words;
		else if (is_start)
			counting->kept_words += part->words;
		else
			counting->key_words += part->words;
	}
	if (counting->pair_words * sizeof(u64) > KTRACE_COUNT_MAX_PAIR ||
	    (counting->key_words + counting->kept_words) * sizeof(u64) > KTRACE_COUNT_MAX_KEY)
		return -EINVAL;
	return verify_value(counting, add, start);
}

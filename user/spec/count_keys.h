/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys by which an event is counted.  A key consists of fields of the event, common fields and
 * steps of histograms, one behind the other in a few bytes.  The module builds it whenever the
 * event fires.
 *
 *	next_comm, common_pid, ret	a field of the event
 *	cpu, comm, pid, tid ...		a common field, by the names that filters know
 *	FIELD.log2			the step of a histogram that contains a number
 *	FIELD.hex			a number that is printed in hexadecimal
 *	kstack, ustack			the call chain of the kernel, of user space
 *	start.FIELD			a field of the start, for an event that ends something
 */
#ifndef KTRACE_SPEC_COUNT_KEYS_H
#define KTRACE_SPEC_COUNT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event_format.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/common_field.h"

/* These limits are those of the module. */
#define COUNT_MAX_PARTS		8
#define COUNT_MAX_KEY		128	/* bytes */
#define COUNT_MAX_PAIR		32	/* bytes */

/* This much of a dynamic string is in the key. */
#define COUNT_DYNAMIC_TEXT	64

enum count_chain {
	COUNT_NO_CHAIN,
	COUNT_KERNEL,
	COUNT_USER,
};

/* The source of a part or of a value: exactly one of the first four is set. */
struct count_source {
	const struct field *field;	/* of the event */
	const struct common_field_info *common;
	bool latency;			/* ns since the event's start */
	enum count_chain chain;		/* in keys: the number of the chain */
	bool of_start;			/* from the start of a COUNT_END: */
	size_t start_part;		/* this part of the start's keys */
};

struct count_part {
	char *name;			/* as the user wrote it; owned */
	struct count_source source;
	bool is_text, is_signed, is_hex;
	bool is_step;			/* of a histogram */
	uint32_t offset, size;		/* in the key, bytes */
};

enum count_role {
	COUNT_EACH,
	COUNT_START,	/* only stores its time under the pair, for the END */
	COUNT_END,	/* counts the time since the start */
};

/* The keys of one event. */
struct count_keys {
	enum count_role role;
	struct count_part parts[COUNT_MAX_PARTS];
	size_t nr;
	size_t nr_pair;			/* the first parts, as many, are the pair */
	bool has_value;
	struct count_part value;	/* summed up; its offset and size are 0 */
	uint32_t key_bytes;		/* of all parts behind the pair */
	uint32_t pair_bytes;
	uint32_t entries;		/* most keys on each CPU */
	size_t start;			/* COUNT_END: index of the start in the event list */
	struct count_keys *start_keys;	/* COUNT_END: keys of the start; borrowed */
	const struct event_format *start_format;
};

/*
 * Append the parts that @text names, separated by commas, for events of @format, which must outlive
 * @keys.  A part "start.FIELD" is also appended to keys->start_keys, behind its pair.  Errors show
 * the text with a caret under the mistake.
 */
struct error *count_keys_add(struct count_keys *keys, const struct event_format *format,
			     const char *text);
/* The same for parts of the pair, which must be added before all others. */
struct error *count_keys_add_pair(struct count_keys *keys, const struct event_format *format,
				  const char *text);
/* Append the step of a number as a part; "latency" is a number of a COUNT_END. */
struct error *count_keys_add_steps(struct count_keys *keys, const struct event_format *format,
				   const char *name);
/* Also count the sum and the extremes of a number. */
struct error *count_keys_set_value(struct count_keys *keys, const struct event_format *format,
				   const char *name);
void count_keys_deinit(struct count_keys *keys);
DEFINE_CLEANUP(count_keys, struct count_keys, count_keys_deinit)

/* Whether any part is a call chain, or comes from the start.  Only the module can do that. */
bool count_keys_have_chains(const struct count_keys *keys);
bool count_keys_have_start(const struct count_keys *keys);

/* The number that @key has for a part; of a step, the number of the step. */
uint64_t count_part_number(const struct count_part *part, const void *key);

/* Append the text of a part of @key: "swapper/0", "-17", "0xff", "[4, 8)", "[4K, 8K)". */
void count_part_add_text(const struct count_part *part, const void *key, struct strbuf *out);

/* Append a step by its number, as in a histogram: "(..., 0)", "[0]", "[1]", "[2, 4)". */
void count_step_add_text(uint64_t step, struct strbuf *out);

/*
 * The first number of a step, and the first number of the next step.  Both are 0 for the step of
 * negative numbers.
 */
void count_step_bounds(uint64_t step, uint64_t *low, uint64_t *high);

#define COUNT_STEP_NEGATIVE	UINT64_MAX

#endif

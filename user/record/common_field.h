/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The synthesized common fields a device event may carry: a trailer at the end of
 * its RAW payload, with a slot for each of them.
 *
 * What fields there are, the rows of <linux/ktrace_fields.def> say.  Where they lie
 * in the records of one event, its struct common_layout says: made of the rows when
 * a recording is made, and read from the recording when it is read, so that a reader
 * finds the fields it knows beside others that it does not know, and can show those.
 */
#ifndef KTRACE_RECORD_COMMON_FIELD_H
#define KTRACE_RECORD_COMMON_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"

struct event;
struct sample;

/* COMMON_FIELD_TGID and so on: the numbers of the module's interface. */
enum common_field {
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	COMMON_FIELD_##NAME = number,
#define KTRACE_FILTER_FIELD KTRACE_STORED_FIELD
#include <linux/ktrace_fields.def>
#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD
};

/* In recordings, too: these numbers stay. */
enum common_type {
	COMMON_NUMBER	= 0,	/* 8 bytes */
	COMMON_FLAGS	= 1,	/* 8 bytes, shown in hexadecimal */
	COMMON_TEXT	= 2,	/* ends at the first NUL, or has none */
	COMMON_SIGNED	= 3,	/* 8 bytes, of a signed number */
};

/* Bits of COMMON_FIELD_CONTEXT. */
#define COMMON_CONTEXT_SOFTIRQ	(1ULL << 0)
#define COMMON_CONTEXT_HARDIRQ	(1ULL << 1)
#define COMMON_CONTEXT_NMI	(1ULL << 2)
#define COMMON_CONTEXT_IRQS_OFF	(1ULL << 3)

/* What this ktrace knows of a field. */
struct common_field_info {
	uint32_t number;	/* enum common_field */
	const char *name;	/* "tgid", "comm" ...: the word of filters, --fields and scripts */
	const char *help;	/* a few words on what it is */
	enum common_type type;
	uint32_t size;		/* of its slot, bytes */
	bool stored;		/* records can carry it; else it is for filters only */
	bool operand;		/* filters can use it */
};

/* By number or by name; NULL: this ktrace does not know it. */
const struct common_field_info *common_field_info(uint32_t number);
const struct common_field_info *common_field_find(const char *name);

/* The rows in order; NULL: no more. */
const struct common_field_info *common_field_row(size_t i);

/* "tgid, comm, ...": those that records can carry, for messages. */
void common_field_add_names(struct strbuf *out);

/* 1 << number of all that can be stored. */
uint64_t common_field_mask(void);

#define COMMON_NAME_SIZE	24

/* One field in the records of one event. */
struct common_slot {
	uint32_t number;
	uint32_t offset;	/* of its slot, bytes from the trailer's beginning */
	uint32_t size;		/* of its slot, bytes */
	enum common_type type;
	char name[COMMON_NAME_SIZE];	/* as recorded, also where the number is not known here */
};

/* The trailer of one event's records. */
struct common_layout {
	struct common_slot *items;	/* in the order of their offsets; owned */
	size_t nr, alloc;
	uint32_t size;		/* of the trailer, bytes; 0: there is none */
};

/*
 * The layout the module gives records with these fields (1 << number): by falling
 * numbers from the end, but the sequence number last.  EPROTO: a number that this
 * ktrace does not know.  An old layout is released.
 */
struct error *common_layout_set(struct common_layout *layout, uint64_t mask);

/*
 * Append a slot behind those there are.  EPROTO where it cannot be: it overlaps, is
 * not of a size its type can have, or has no name that can be shown.
 */
struct error *common_layout_add(struct common_layout *layout, const struct common_slot *slot);

/* The trailer has @size bytes in all.  EPROTO: that is less than its slots take, or too much. */
struct error *common_layout_end(struct common_layout *layout, uint32_t size);

void common_layout_deinit(struct common_layout *layout);

/* 1 << number of the fields, as far as they have a bit. */
uint64_t common_layout_mask(const struct common_layout *layout);

/* NULL: it has none of that name. */
const struct common_slot *common_layout_find(const struct common_layout *layout, const char *name);

/*
 * The @slot->size bytes of a field in @sample, not aligned; NULL: the record is too
 * short for its event's trailer.
 */
const void *common_slot_bytes(const struct event *event, const struct sample *sample,
			      const struct common_slot *slot);

/* A number's, by its type; @bytes as above. */
uint64_t common_slot_number(const void *bytes);

/* Bytes of RAW without the trailer. */
uint32_t common_field_raw_size(const struct event *event, const struct sample *sample);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The common fields that the module adds to samples: a trailer at the end of the RAW payload, with
 * a slot for each field.
 *
 * The rows of <linux/ktrace_fields.def> define the fields.  The struct common_layout of an event
 * has their offsets in its records.  A recorder creates it from the rows, and a reader reads it
 * from the recording.  So a reader finds the fields that it knows beside unknown ones, and can show
 * the unknown ones, too.
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

/* Recordings contain these numbers, so they must not change. */
enum common_type {
	COMMON_NUMBER	= 0,	/* 8 bytes */
	COMMON_FLAGS	= 1,	/* 8 bytes, shown in hexadecimal */
	COMMON_TEXT	= 2,	/* ends at the first NUL, or has none */
	COMMON_SIGNED	= 3,	/* 8 bytes, a signed number */
};

/* Bits of COMMON_FIELD_CONTEXT. */
#define COMMON_CONTEXT_SOFTIRQ	(1ULL << 0)
#define COMMON_CONTEXT_HARDIRQ	(1ULL << 1)
#define COMMON_CONTEXT_NMI	(1ULL << 2)
#define COMMON_CONTEXT_IRQS_OFF	(1ULL << 3)

/* A field as this ktrace knows it. */
struct common_field_info {
	uint32_t number;	/* enum common_field, record/common_number.h */
	const char *name;	/* "tgid", "comm" ...: as in filters, --fields and scripts */
	const char *help;	/* a short description */
	enum common_type type;
	uint32_t size;		/* of its slot, bytes */
	bool stored;		/* records can carry it; otherwise it is for filters only */
	bool operand;		/* filters can use it */
	bool counted;		/* by a PMU, which some machines lack */
};

/* Find a field by number or by name.  Returns NULL if this ktrace does not know it. */
const struct common_field_info *common_field_info(uint32_t number);
const struct common_field_info *common_field_find(const char *name);

/* Append the names of the fields that records can carry ("tgid, comm, ..."), for messages. */
void common_field_add_names(struct strbuf *out);

/* A mask with the bit 1 << number for each field that can be stored. */
uint64_t common_field_mask(void);
/* The same without fields that need a PMU. */
uint64_t common_field_uncounted_mask(void);

#define COMMON_NAME_SIZE	24

/* One field in the records of one event. */
struct common_slot {
	uint32_t number;
	uint32_t offset;	/* of its slot, bytes from the trailer's beginning */
	uint32_t size;		/* of its slot, bytes */
	enum common_type type;
	char name[COMMON_NAME_SIZE];	/* as recorded, even if the number is unknown */
};

/* The trailer of one event's records. */
struct common_layout {
	struct common_slot *items;	/* in the order of their offsets; owned */
	size_t nr, alloc;
	uint32_t size;		/* of the trailer, bytes; 0: no trailer */
};

/*
 * Set the layout that the module uses for records with the fields in @mask (1 << number): they are
 * placed from the end by falling numbers, except that the sequence number is last.  An old layout
 * is released.  EPROTO: this ktrace does not know one of the numbers.
 */
struct error *common_layout_set(struct common_layout *layout, uint64_t mask);

/*
 * Append a slot after the existing ones.  EPROTO: it overlaps them, has a size that its type cannot
 * have, or has no printable name.
 */
struct error *common_layout_add(struct common_layout *layout, const struct common_slot *slot);

/* Set the trailer's size to @size bytes.  EPROTO: its slots need more, or the size is too large. */
struct error *common_layout_end(struct common_layout *layout, uint32_t size);

/* Copy the layout to @to, which has no slots. */
struct error *common_layout_copy(const struct common_layout *from, struct common_layout *to);

void common_layout_deinit(struct common_layout *layout);

/* A mask with the bit 1 << number for each field whose number has a bit. */
uint64_t common_layout_mask(const struct common_layout *layout);

/* Returns NULL if the layout has no field of that name. */
const struct common_slot *common_layout_find(const struct common_layout *layout, const char *name);

/*
 * Returns the @slot->size bytes of a field in @sample, which may be unaligned.  Returns NULL
 * if the record is too short for its event's trailer.
 */
const void *common_slot_bytes(const struct event *event, const struct sample *sample,
			      const struct common_slot *slot);

/* The value of a slot that holds a number; @bytes come from common_slot_bytes(). */
uint64_t common_slot_number(const void *bytes);

/* The size of RAW in bytes without the trailer. */
uint32_t common_field_raw_size(const struct event *event, const struct sample *sample);

#endif

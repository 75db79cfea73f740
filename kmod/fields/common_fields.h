/* SPDX-License-Identifier: GPL-2.0 */
/* The common fields: values that any event can have, read when it fires. */
#ifndef KTRACE_COMMON_FIELDS_H
#define KTRACE_COMMON_FIELDS_H

#include <linux/types.h>
#include <linux/ktrace.h>

/* Bits (1 << enum ktrace_field) of the fields that can be stored. */
u64 ktrace_common_fields_mask(void);

/* Bytes of the slots of @fields together. */
u32 ktrace_common_fields_size(u64 fields);

/* The slot size of @field; 0 if filters cannot use such a field. */
u32 ktrace_common_fields_operand(u32 field);

/*
 * Reads one field into its slot.  @raw has @size bytes as in the event's format file; it is
 * NULL if @size is 0.
 */
void ktrace_common_fields_read(u32 field, const void *raw, u32 size, void *slot);

/*
 * Stores all of @fields, slot by slot, in the order of their numbers, except that KTRACE_FIELD_SEQ
 * comes last.  Its slot is set to zero, and the ring stores the number there.  The slots of counted
 * fields are set to U64_MAX, for counter_deltas.h.
 */
void ktrace_common_fields_store(u64 fields, const void *raw, u32 size, void *slot);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Synthesized common fields: what is true of every event when it fires. */
#ifndef KTRACE_COMMON_FIELDS_H
#define KTRACE_COMMON_FIELDS_H

#include <linux/types.h>
#include <linux/ktrace.h>

/* 1 << enum ktrace_field of those that can be stored. */
u64 ktrace_common_fields_mask(void);

/* Bytes of the slots of @fields. */
u32 ktrace_common_fields_size(u64 fields);

/* The slot size of a field that filters can use; 0: there is none such. */
u32 ktrace_common_fields_operand(u32 field);

/*
 * One field, into its slot.  @raw has @size bytes, as in the event's format file;
 * NULL if 0.
 */
void ktrace_common_fields_read(u32 field, const void *raw, u32 size, void *slot);

/*
 * All of @fields, slot by slot, in the order of their numbers, but KTRACE_FIELD_SEQ
 * last: its slot is zero, and the ring stores the number there.
 */
void ktrace_common_fields_store(u64 fields, const void *raw, u32 size, void *slot);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The synthesized common fields a device event may carry: a trailer at the end
 * of its RAW payload, one slot per field of the event's mask, in the order of
 * the numbers here.  The numbers and slot sizes are those of the module's
 * interface; capture/ asserts it.
 */
#ifndef KTRACE_RECORD_COMMON_FIELD_H
#define KTRACE_RECORD_COMMON_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/event.h"
#include "record/sample.h"

enum common_field {
	COMMON_FIELD_TGID	= 0,
	COMMON_FIELD_COMM	= 1,	/* text; the others are numbers */
	COMMON_FIELD_PPID	= 2,
	COMMON_FIELD_START_TIME	= 3,
	COMMON_FIELD_UID	= 4,
	COMMON_FIELD_CGROUP	= 5,
	COMMON_FIELD_CONTEXT	= 6,
	COMMON_FIELD_SEQ	= 7,
	COMMON_FIELD_NR		= 8,
};

#define COMMON_FIELD_COMM_SIZE	16
#define COMMON_FIELD_SLOT(field) ((field) == COMMON_FIELD_COMM ? COMMON_FIELD_COMM_SIZE : 8)

/* Bits of COMMON_FIELD_CONTEXT. */
#define COMMON_CONTEXT_SOFTIRQ	(1ULL << 0)
#define COMMON_CONTEXT_HARDIRQ	(1ULL << 1)
#define COMMON_CONTEXT_NMI	(1ULL << 2)
#define COMMON_CONTEXT_IRQS_OFF	(1ULL << 3)

/* What a decoder of records has to know: the meaning of trailers and LOST. */
#define COMMON_FIELD_SCHEMA	1

/* "tgid", "comm" ...: the words of record --fields and of scripts. */
const char *common_field_name(enum common_field field);

/* By that name; false: there is none. */
bool common_field_find(const char *name, enum common_field *ret);

/* Bytes the trailer of @mask takes. */
size_t common_field_trailer_size(uint64_t mask);

/*
 * The slot of @field in @sample, COMMON_FIELD_SLOT() bytes and not aligned;
 * NULL: the event does not carry it, or the record is too short to.
 */
const void *common_field_slot(const struct event *event, const struct sample *sample,
			      enum common_field field);

/* Bytes of RAW without the trailer. */
uint32_t common_field_raw_size(const struct event *event, const struct sample *sample);

#endif

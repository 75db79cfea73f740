/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of a tracepoint's sample, one by one: the fields of its event, followed by the fields
 * that the device added, as common_NAME:
 *
 *	event_values_begin(&values, r);
 *	while (event_values_next(&values, &value))
 */
#ifndef KTRACE_COLUMNS_EVENT_VALUES_H
#define KTRACE_COLUMNS_EVENT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"

enum event_value_type {
	EVENT_VALUE_SIGNED,
	EVENT_VALUE_UNSIGNED,
	EVENT_VALUE_TEXT,	/* may hold any bytes but NUL */
	EVENT_VALUE_BYTES,
};

struct event_value {
	const char *name;	/* valid until the next value is read */
	enum event_value_type type;
	uint64_t number;	/* sign-extended */
	const char *bytes;	/* of TEXT and BYTES; never NULL; points into the record */
	size_t len;
	bool is_swapped;	/* the words of an array are in the other byte order */
};

/* "common_" and a name; longer names are cut. */
#define EVENT_VALUE_NAME	(sizeof("common_") + COMMON_NAME_SIZE)

struct event_values {
	const struct session_record *r;
	size_t at;
	uint32_t raw_size;
	char name[EVENT_VALUE_NAME];
};

/* @r, a sample, is borrowed.  An event without a format has no values. */
void event_values_begin(struct event_values *values, const struct session_record *r);

/* Returns false at the end; values outside of the record are 0 or empty. */
bool event_values_next(struct event_values *values, struct event_value *ret);

/* The type of a field's values. */
enum event_value_type event_value_type(const struct field *field);

#endif

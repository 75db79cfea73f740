/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers in a print fmt: expressions over the fields of a record, made
 * from libtraceevent's tree once and evaluated per record.  The rules are
 * those of perf's interpreter: fields are read without their sign, everything
 * is computed in 64 bits unsigned, casts cut.
 *
 * Inside format/ only.
 */
#ifndef KTRACE_FORMAT_PRINT_VALUE_H
#define KTRACE_FORMAT_PRINT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <traceevent/event-parse.h>

/* A record while it is printed. */
struct print_record {
	const char *data;
	size_t size;
	bool swapped;
};

struct print_value;

/* NULL: the tree has something this cannot compute, or memory is out. */
struct print_value *print_value_create(struct tep_event *event, const struct tep_print_arg *arg);
void print_value_destroy(struct print_value *value);

uint64_t print_value_get(const struct print_value *value, const struct print_record *record);

/* @size bytes at @offset as a number; 0 beyond the record or for odd sizes. */
uint64_t print_read_number(const struct print_record *record, size_t offset, size_t size);

/* The field an argument names; NULL: the event has none of that name. */
struct tep_format_field *print_find_field(struct tep_event *event,
					  const struct tep_print_arg *arg);

#endif

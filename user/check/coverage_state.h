/* SPDX-License-Identifier: GPL-2.0 */
/* The data of a coverage.  For coverage*.c only. */
#ifndef KTRACE_CHECK_COVERAGE_STATE_H
#define KTRACE_CHECK_COVERAGE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "check/coverage.h"
#include "check/subject.h"
#include "format/print_value.h"
#include "lib/array.h"

struct field_coverage {
	uint64_t first;		/* value, or a hash of the bytes */
	bool varies, nonzero;
	uint64_t faults;	/* strings of a probe that the kernel could not read */
	bool *seen;		/* by name of the field */
};

/* A "c ? a : b" in the print fmt. */
struct branch {
	struct print_value *condition;
	size_t place;		/* of its argument */
	bool seen[2];		/* no, yes */
};

struct event_coverage {
	struct subject subject;
	uint64_t records;
	struct field_coverage *fields;	/* as format->fields */
	ARRAY_OF(struct branch) branches;
};

struct coverage {
	struct results *results;
	struct event_coverage *events;	/* as results->items */
};

#endif

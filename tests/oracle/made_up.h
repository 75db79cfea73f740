/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made-up records of tracepoints, and the event formats they are of: those of
 * this machine, or of a fixture that tests/oracle/collect-formats wrote.
 */
#ifndef KTRACE_TESTS_MADE_UP_H
#define KTRACE_TESTS_MADE_UP_H

#include <stddef.h>
#include <stdint.h>

#include "format/event_format.h"
#include "lib/error.h"

/* Room for a record. */
#define MADE_UP_MAX	4096

enum made_up_kind {
	MADE_UP_ZEROS,		/* numbers 0, strings and arrays empty */
	MADE_UP_ONES,		/* all bits set, strings and arrays short */
	MADE_UP_LONG,		/* long strings and arrays, fixed strings without a NUL */
	MADE_UP_RANDOM,		/* small and large numbers, addresses of functions, texts */
};

struct made_up {
	uint64_t state;			/* of the random numbers, not 0 */
	const uint64_t *functions;	/* addresses that have names; borrowed */
	size_t nr_functions;
};

void made_up_seed(struct made_up *made_up, uint64_t seed);

/* A RAW payload at @raw; its size, which with the u32 before it is a multiple of 8. */
uint32_t made_up_record(struct made_up *made_up, enum made_up_kind kind,
			const struct event_format *format, char *raw);

/* Is there room for its records, and does perf open such events? */
bool made_up_is_usable(const struct event_format *format);

/* One format of a fixture. */
struct made_up_format {
	const char *system, *text;
	size_t len;
};

/*
 * The next format of a fixture, from *@at on, which ends with a NUL and is
 * changed: systems get their NUL.  false: it was the last.
 */
bool made_up_next_format(char **at, struct made_up_format *ret);

#endif

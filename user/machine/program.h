/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine as a flat program, which a session of the device accepts without a change;
 * <linux/ktrace.h> defines its meaning ("Machines").  It is a table without pointers that is
 * verified as a whole; its interpreters trust a program that machine_verify() accepts.
 */
#ifndef KTRACE_MACHINE_PROGRAM_H
#define KTRACE_MACHINE_PROGRAM_H

#include <linux/ktrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_STATES_MAX	KTRACE_MACHINE_MAX_STATES
#define MACHINE_SOURCES_MAX	KTRACE_MACHINE_MAX_SOURCES
#define MACHINE_TRANSITIONS_MAX	KTRACE_MACHINE_MAX_TRANSITIONS
#define MACHINE_FILTERS_MAX	KTRACE_MACHINE_MAX_FILTERS
#define MACHINE_INSNS_MAX	KTRACE_MACHINE_MAX_INSNS
#define MACHINE_POOL_MAX	KTRACE_MACHINE_MAX_POOL
#define MACHINE_PARTS_MAX	KTRACE_MACHINE_MAX_PARTS
#define MACHINE_CLOCKS_MAX	KTRACE_MACHINE_MAX_CLOCKS
#define MACHINE_KEYS_MAX	KTRACE_MACHINE_MAX_KEYS
#define MACHINE_NO_FILTER	KTRACE_MACHINE_NO_FILTER
#define MACHINE_NO_CLOCK	KTRACE_MACHINE_NO_CLOCK

enum machine_key {
	MACHINE_KEY_NONE	= KTRACE_MACHINE_KEY_NONE,
	MACHINE_KEY_CPU		= KTRACE_MACHINE_KEY_CPU,
	MACHINE_KEY_TASK	= KTRACE_MACHINE_KEY_TASK,
	MACHINE_KEY_FIELDS	= KTRACE_MACHINE_KEY_FIELDS,
};

enum machine_start {
	MACHINE_STARTS_NONE	= KTRACE_MACHINE_STARTS_NONE,
	MACHINE_STARTS_AFTER	= KTRACE_MACHINE_STARTS_AFTER,
	MACHINE_STARTS_BEFORE	= KTRACE_MACHINE_STARTS_BEFORE,
};

/* The addresses of the parts of a verified program. */
struct machine_view {
	const struct ktrace_machine *head;
	const struct ktrace_machine_state *states;
	const struct ktrace_machine_source *sources;
	const struct ktrace_machine_transition *transitions;
	const struct ktrace_machine_filter *filters;
	const struct ktrace_filter_insn *insns;
	const char *pool;
};

/*
 * Whether @size bytes at @bytes, which are aligned to 8, are a machine that can run: all numbers
 * are in range, filters only jump forward, and all references are inside the program.  Sets *ret.
 */
bool machine_verify(const void *bytes, size_t size, struct machine_view *ret);

/* The size of a program with these numbers, bytes. */
size_t machine_size(const struct ktrace_machine *head);

/* The input of sources and filters. */
struct machine_record {
	const void *raw;
	uint32_t raw_size;
	bool swapped;		/* numbers are in the other byte order */
	int32_t cpu, tid, tgid;	/* -1: unknown */
	uint64_t time;
};

/* Whether a filter accepts a record. */
bool machine_filter_accepts(const struct machine_view *view, uint16_t filter,
			    const struct machine_record *record);

/* Load a part of a key. */
uint64_t machine_load(const struct ktrace_machine_part *part, const struct machine_record *record);

#endif

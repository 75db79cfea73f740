/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sessions of ktrace.ko in a vmcore, in the format of <linux/ktrace_vmcore.h>.  A vmcore is not
 * trusted: with any numbers in it, reading ends, if need be with an error.
 */
#ifndef KTRACE_VMCORE_SESSION_TABLE_H
#define KTRACE_VMCORE_SESSION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "record/module_event.h"
#include "vmcore/memory.h"

enum { SESSION_MAX_REASONS = 8 };

/* The ledger of an event on one CPU, from the session's START on. */
struct vmcore_counts {
	uint64_t recorded, filtered, out_of_scope;
	uint64_t lost[SESSION_MAX_REASONS], unplaced[SESSION_MAX_REASONS];
	uint64_t first_lost, last_lost;	/* times of the unplaced ones; 0: none */
};

struct vmcore_ring {
	uint32_t cpu;
	bool overwrites;
	char *data;		/* the records between tail and head; owned */
	size_t size;		/* bytes */
	bool is_damaged;	/* its tail or head is invalid, so it is not read */
};

struct vmcore_event {
	uint64_t id;
	struct module_event origin;	/* without its name; sample_type 0: unknown */
	char name[128];		/* "system:event"; "": unknown */
	bool is_bounded;	/* KTRACE_STATS_BOUNDED */
	struct vmcore_counts *counts;	/* one for each ring; owned */
};

struct vmcore_session {
	int32_t pid;		/* of the process that opened it */
	char comm[16 + 1];
	int32_t clockid;	/* KTRACE_CLOCK_PERF, or of clock_gettime() */
	char *description;	/* from KTRACE_IOC_DESCRIBE; NULL: none; owned */
	size_t description_size;
	bool is_borrowed;	/* the description has the formats of another recording */
	struct vmcore_ring *rings;
	size_t nr_rings;
	struct vmcore_event *events;
	size_t nr_events;
	/* Only some records of its rings are present, and its counts are unknown. */
	bool is_partial;
};

struct session_table {
	char release[64 + 1];	/* of the kernel */
	struct vmcore_session *items;	/* the oldest first */
	size_t nr, alloc;
};

/* Read the table and all objects that it refers to. */
struct error *session_table_read(struct memory *memory, const char *path,
				 struct session_table *ret);
void session_table_deinit(struct session_table *table);
DEFINE_CLEANUP(session_table, struct session_table, session_table_deinit)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's work outside of tasks: interrupts, softirqs and works of workqueues.  Each is
 * raised, runs and ends.  This code joins these events by CPU and sums up the times between them.
 */
#ifndef KTRACE_TABLE_KWORK_KERNEL_WORKS_H
#define KTRACE_TABLE_KWORK_KERNEL_WORKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "session/session.h"

enum work_class { WORK_IRQ, WORK_SOFTIRQ, WORK_QUEUED };

#define WORK_CLASSES	3

/* A step of a work. */
enum work_step { WORK_RAISE, WORK_ENTRY, WORK_EXIT };

#define WORK_STEPS	3

enum work_measure {
	WORK_RUNTIME,		/* from entry to exit */
	WORK_LATENCY,		/* from the latest raise to the entry; interrupts have none */
	WORK_BOTH,
};

enum work_key { WORK_TOTAL, WORK_AVG, WORK_MAX, WORK_COUNT, WORK_ID };

#define WORK_KEYS	5

/* One time that a work ran. */
struct work_run {
	bool was_raised;
	uint64_t raised, since, until;	/* ns */
	char *chain;		/* the listener's text for the entry; NULL: none */
};

/* Steps whose counterparts are still missing. */
struct work_open {
	struct work_run *items;
	size_t nr, alloc;
};

/* A work on a CPU; times are in ns. */
struct kernel_work {
	enum work_class class;
	int32_t cpu;
	uint64_t id;		/* an irq, a vector, or the address of a work */
	char *name;		/* NULL: unknown */
	uint64_t count, total, max;	/* of the times that are measured */
	uint64_t max_since, max_until;
	struct work_open raised, entered;
};

/* Gets each run; only for WORK_BOTH.  Members may be NULL. */
struct work_listener {
	/* Format an entry's call chain: *ret is freed by the caller. */
	struct error *(*entry)(struct work_listener *listener, const struct session_record *r,
			       char **ret);
	struct error *(*run)(struct work_listener *listener, const struct kernel_work *work,
			     const struct work_run *run);
};

struct kernel_works_options {
	enum work_measure measure;
	enum work_class classes[WORK_CLASSES];	/* the wanted ones, in the order of ties */
	size_t nr_classes;
	const char *name;	/* only works of this name; NULL: all */
	struct work_listener *listener;	/* NULL: none */
};

struct kernel_works {
	struct session_consumer consumer;	/* of the session */
	const struct kernel_works_options *options;
	ARRAY_OF(struct kernel_work) works;
	uint64_t samples;	/* of all events */
	uint64_t first, last;	/* times of samples of works; 0: none */
	uint64_t skipped[WORK_STEPS];	/* without their counterpart; when the session has ended */
	struct work_events *events;
};

/* @options is borrowed. */
struct error *kernel_works_create(const struct kernel_works_options *options,
				  struct kernel_works **ret);
void kernel_works_destroy(struct kernel_works *works);
DEFINE_CLEANUP_PTR(kernel_works, struct kernel_works, kernel_works_destroy)

/*
 * Sort by @nr keys, the largest first; equal ones by class, as in the options, then the highest
 * CPU and id first.
 */
void kernel_works_sort(struct kernel_works *works, const enum work_key *keys, size_t nr);

/*
 * ENODATA: the recording has no event of any wanted class.  @named is the user's name for the
 * classes; NULL: all.
 */
struct error *kernel_works_check(const struct kernel_works_options *options, const char *named,
				 const struct event_list *events);

#endif

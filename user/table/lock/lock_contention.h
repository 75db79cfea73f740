/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long tasks waited for the kernel's locks, by caller, by task, or by lock.  The data are the
 * events lock:contention_begin and contention_end (Linux 5.19).  With sched:sched_waking or,
 * without it, sched_wakeup, rows can also be by the owners of the locks during the waits
 * (table/lock/lock_owners.h).
 */
#ifndef KTRACE_TABLE_LOCK_LOCK_CONTENTION_H
#define KTRACE_TABLE_LOCK_LOCK_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "session/callchain.h"
#include "session/session.h"
#include "table/lock/lock_owners.h"

/* The wanted waits for locks. */

/* Lists "a,b"; NULL: all; borrowed. */
struct lock_filter {
	const char *types;	/* "spinlock", "rwsem:R", or a family: "rwsem" */
	const char *locks;	/* addresses, or the names of those in the kernel's data */
	const char *functions;	/* parts of the names of the kernel's functions in call chains */
};

/* Refuse unknown types. */
struct error *lock_filter_check(const struct lock_filter *filter);

/*
 * Whether the wait that begins with @r, for the lock at @address, is wanted.  The caller reads
 * @chain, if filter->functions is set.
 */
bool lock_filter_wants(const struct lock_filter *filter, const struct session_record *r,
		       uint64_t address, uint32_t flags, const struct callchain *chain);

/* A sentence about the number of such waits. */
#define LOCK_TELLS_UNENDED \
	"%llu waits have no end: the task was still waiting, or the end was lost."

enum lock_by { LOCK_BY_CALLER, LOCK_BY_TASK, LOCK_BY_ADDRESS, LOCK_BY_OWNER };

enum lock_key { LOCK_ACQUIRED, LOCK_CONTENDED, LOCK_AVG_WAIT, LOCK_WAIT_TOTAL, LOCK_WAIT_MAX,
		LOCK_WAIT_MIN };

#define LOCK_KEYS	6

/* Default number of frames that are read of call chains. */
#define LOCK_DEPTH	8

/*
 * All times are in ns.  A row of an owner has, for each wait, the time during which this task held
 * the lock.
 */
struct lock_row {
	uint64_t key;		/* the tid or the address of the lock; by caller, 0 */
	char *name;		/* of the caller: "vfs_write+0x29c"; or the comm */
	uint32_t flags;		/* of the lock, by the first event */
	uint64_t contended, acquired;	/* how often the wait began, and ended */
	uint64_t total, min, max;	/* of the waits that ended */
	size_t first_frame, nr_frames;	/* of the first event's call chain; of an owner, of its
					 * first release of a lock */
};

/* A task that waited, by tid. */
struct lock_task {
	int32_t tid;
	char *comm;
};

struct lock_contention_options {
	enum lock_by by;
	bool caller_names;	/* also give locks the name of their first caller */
	unsigned int depth;	/* of call chains */
	struct lock_filter filter;
	unsigned int skip;	/* frames, apart from those of the functions of locks */
};

struct lock_contention {
	struct session_consumer consumer;	/* of the session */
	const struct lock_contention_options *options;
	ARRAY_OF(struct lock_row) rows;
	ARRAY_OF(uint64_t) frames;	/* addresses, innermost first */
	ARRAY_OF(struct lock_task) tasks;	/* ascending by tid when the session has ended */
	uint64_t unended;	/* waits that had not ended at the end */
	struct lock_waits *waits;
};

/* ENODATA, ENOSYS: the recording lacks the required event. */
struct error *lock_contention_check(const struct event_list *events);

/* @options is borrowed. */
struct error *lock_contention_create(const struct lock_contention_options *options,
				     struct lock_contention **ret);
void lock_contention_destroy(struct lock_contention *locks);
DEFINE_CLEANUP_PTR(lock_contention, struct lock_contention, lock_contention_destroy)

/* The number that rows are sorted by. */
uint64_t lock_row_value(const struct lock_row *row, enum lock_key key);

/* Sort when the session has ended, the largest first; equal rows by name and key. */
void lock_contention_sort(struct lock_contention *locks, enum lock_key key);

/* Sort by name and key, ascending. */
void lock_contention_sort_names(struct lock_contention *locks);

/* Add up rows of the same name. */
void lock_contention_join(struct lock_contention *locks);

#endif

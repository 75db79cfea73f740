/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys of one monitor, and what became of each: it runs the program as machine/program.h
 * says.
 *
 * Records come in the order in which they are known.  Where a record or a loss turns out to be
 * earlier than what was judged already, the verdicts that it may have changed are taken back,
 * and their keys are unknown.
 */
#ifndef KTRACE_MACHINE_KEY_TABLE_H
#define KTRACE_MACHINE_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "machine/monitor.h"

/* No event: a deadline was missed. */
#define KEY_NO_SOURCE	UINT32_MAX
#define KEY_ANY_CPU	(-1)
#define KEY_COMM_SIZE	24

struct key_violation {
	uint64_t time;		/* ns */
	uint64_t age;		/* ns since the state was entered */
	uint64_t began;		/* when the key became known */
	uint64_t key[MACHINE_PARTS_MAX];
	uint64_t found;		/* the latest time that was told when it was found */
	size_t outcome;		/* for the table */
	uint32_t source;	/* whose event it was; KEY_NO_SOURCE */
	uint16_t state;
	bool withdrawn;		/* it may not be one */
	char comm[KEY_COMM_SIZE];	/* of a key that is a task, at that time; "": not known */
};

/*
 * Keys by what became of them.  A task is one key, and the next task of its number is another
 * one.
 */
struct key_counts {
	uint64_t keys;		/* the sum of those that follow */
	uint64_t ok;		/* judged, and nothing was missed since its first start */
	uint64_t violated;
	uint64_t not_started;	/* the event that makes it known never came */
	uint64_t lost;		/* an event of it may have been lost, or was not enabled any more */
	uint64_t unordered;	/* the order of two events is not known */
	uint64_t violations;	/* of all keys */
	uint64_t refused;	/* firings for whose keys, which no other count has, was no room */
	uint64_t against_time;	/* firings that were not judged, as they are unordered */
};

struct key_table;

struct error *key_table_create(const struct monitor *monitor, struct key_table **ret);
void key_table_destroy(struct key_table *table);
DEFINE_CLEANUP_PTR(key_table, struct key_table, key_table_destroy)

/* Have violations tell the names of tasks, by a function that knows them at that time. */
typedef const char *(*key_table_comm_fn)(void *data, int32_t tid);
void key_table_name_tasks(struct key_table *table, key_table_comm_fn comm_of, void *data);

/* Apply a record of an event to all its sources.  false: memory is out. */
bool key_table_take(struct key_table *table, uint32_t event, const struct machine_record *record);

/*
 * A task has ended, or has begun; for keys that are no tasks this is nothing.  false: as above.
 */
bool key_table_end_task(struct key_table *table, int32_t tid, uint64_t time);
bool key_table_begin_task(struct key_table *table, int32_t tid, uint64_t time);

/*
 * Events that fired behind @since on a CPU (KEY_ANY_CPU) may be lost, up to @now.  @tasks: so may
 * beginnings and ends of tasks.  false: memory is out.
 */
bool key_table_lose(struct key_table *table, int32_t cpu, uint64_t since, uint64_t now, bool tasks);

/*
 * All firings up to @end were recorded: deadlines up to it are missed, and what was found behind it
 * proves nothing.  false: memory is out.
 */
bool key_table_finish(struct key_table *table, uint64_t end);

/* What became of all keys so far. */
void key_table_count(const struct key_table *table, struct key_counts *ret);

/* All events are enabled behind @time. */
void key_table_trust(struct key_table *table, uint64_t time);

/*
 * How often a transition of the program was taken, by its number; @trusted: of keys that had a
 * record before, since all events were enabled.
 */
uint64_t key_table_taken(const struct key_table *table, size_t transition, bool trusted);

/* The violations that were not withdrawn, in the order of their times. */
const struct key_violation *key_table_violations(struct key_table *table, size_t *ret_nr);

#endif

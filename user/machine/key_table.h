/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys of one monitor, and the outcome of each.  The table runs the program as
 * machine/program.h describes.
 *
 * Records come in the order in which they become known.  A record or a loss may turn out to be
 * earlier than firings that were judged already.  Then the verdicts that it may have changed are
 * withdrawn, and their keys are unknown.
 */
#ifndef KTRACE_MACHINE_KEY_TABLE_H
#define KTRACE_MACHINE_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "machine/monitor.h"

/* There is no event, as a deadline was missed. */
#define KEY_NO_SOURCE	UINT32_MAX
#define KEY_ANY_CPU	(-1)
#define KEY_COMM_SIZE	24

struct key_violation {
	uint64_t time;		/* ns */
	uint64_t age;		/* ns since the state was entered */
	uint64_t began;		/* when the key became known */
	uint64_t key[MACHINE_PARTS_MAX];
	uint64_t found;		/* the latest known time when it was found */
	size_t outcome;		/* for the table */
	uint32_t source;	/* of the event; KEY_NO_SOURCE */
	uint16_t state;
	bool withdrawn;		/* it may not be one */
	char comm[KEY_COMM_SIZE];	/* of a task's key, at that time; "": unknown */
};

/* Keys by their outcome.  A task is one key; the next task with its number is another one. */
struct key_counts {
	uint64_t keys;		/* the sum of the next five */
	uint64_t ok;		/* judged, and nothing was missed since its first start */
	uint64_t violated;
	uint64_t not_started;	/* the event that makes it known never came */
	uint64_t lost;		/* an event of it may have been lost, or was no longer enabled */
	uint64_t unordered;	/* the order of two events is not known */
	uint64_t violations;	/* of all keys */
	uint64_t refused;	/* firings without room for their keys, which no count has */
	uint64_t against_time;	/* unordered firings, which were not judged */
};

struct key_table;

struct error *key_table_create(const struct monitor *monitor, struct key_table **ret);
void key_table_destroy(struct key_table *table);
DEFINE_CLEANUP_PTR(key_table, struct key_table, key_table_destroy)

/* Set the function that knows the names of tasks, for violations. */
typedef const char *(*key_table_comm_fn)(void *data, int32_t tid);
void key_table_name_tasks(struct key_table *table, key_table_comm_fn comm_of, void *data);

/* Apply a record of an event to all its sources. false: memory is out. */
bool key_table_take(struct key_table *table, uint32_t event, const struct machine_record *record);

/* A task has ended, or has begun; ignored if keys are not tasks. false: memory is out. */
bool key_table_end_task(struct key_table *table, int32_t tid, uint64_t time);
bool key_table_begin_task(struct key_table *table, int32_t tid, uint64_t time);

/*
 * Events that fired after @since and up to @now on a CPU (KEY_ANY_CPU: any) may be lost.  @tasks:
 * so may beginnings and ends of tasks. false: memory is out.
 */
bool key_table_lose(struct key_table *table, int32_t cpu, uint64_t since, uint64_t now, bool tasks);

/*
 * All firings up to @end were recorded: deadlines up to @end are missed, and violations that were
 * found later are withdrawn. false: memory is out.
 */
bool key_table_finish(struct key_table *table, uint64_t end);

/* Count the outcomes of all keys so far. */
void key_table_count(const struct key_table *table, struct key_counts *ret);

/* All events are enabled after @time. */
void key_table_trust(struct key_table *table, uint64_t time);

/*
 * How often a transition of the program was taken, by its number.  @trusted: only by keys with an
 * earlier record since all events were enabled.
 */
uint64_t key_table_taken(const struct key_table *table, size_t transition, bool trusted);

/* The violations that were not withdrawn, sorted by time. */
const struct key_violation *key_table_violations(struct key_table *table, size_t *ret_nr);

#endif

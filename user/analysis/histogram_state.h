/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of histograms share: histogram.c counts samples by their keys and sorts,
 * histogram_chains.c counts the callers and makes the graphs.
 */
#ifndef KTRACE_ANALYSIS_HISTOGRAM_STATE_H
#define KTRACE_ANALYSIS_HISTOGRAM_STATE_H

#include "analysis/call_tree.h"
#include "analysis/chain_end.h"
#include "analysis/histogram.h"
#include "lib/hash_table.h"
#include "session/callchain.h"

/* The most frames of a sample: those that the kernel stored, and as many unwound ones. */
#define MAX_FRAMES	(2 * CALLCHAIN_DEPTH)

struct histogram_comm {
	char *text;
	const char *later;	/* for ":TID": the name that the task got; NULL: none */
	bool settled;		/* the tid belongs to another task by now */
};

/* The samples of one entry that have the same chain of functions. */
struct counted_chain {
	struct histogram *histogram;
	struct histogram_entry *self;
	uint64_t period, samples;
	uint64_t last;		/* number of the last of them */
	const char *comm;	/* its task's */
	uint32_t node;		/* the innermost function; no root */
};

/* What the keys distinguish samples by, apart from places.  Its chains are a group. */
struct histogram_task {
	const struct histogram *histogram;
	const char *comm;
	int32_t tid, cpu;
};

struct histograms {
	struct session_consumer consumer;
	const struct histogram_options *options;
	struct {
		struct histogram **items;	/* by event; NULL: no samples */
		size_t nr, alloc;
	} events;
	struct {
		struct histogram_comm *items;
		size_t nr, alloc;
	} comms;				/* each text once */
	bool has_late_names;
	struct hash_table comm_table;		/* positions in comms */
	const char *last_comm;			/* of comms; NULL: none yet */
	uint64_t lost;
	uint64_t number;			/* of the sample */

	struct call_tree *tree;
	struct callchain frames;		/* of a sample */
	struct chain_ends ends;
	struct {
		struct counted_chain *items;
		size_t nr, alloc;
	} chains;
	struct hash_table chain_table;		/* positions in chains */
	struct {
		struct histogram_task *items;
		size_t nr, alloc;
	} tasks;
	struct hash_table task_table;		/* positions in tasks */
	struct {
		struct histogram_entry **items;	/* by node; NULL: not known yet */
		size_t nr, alloc;
	} node_entries;
	/*
	 * For histogram_graph(), by node: its node of the graph, if the stamp is of this graph.
	 * The first is for parts that begin with the first frame, the other one for the rest.
	 */
	struct drawn_nodes {
		struct call_node **nodes;
		uint32_t *stamps;
	} drawn[2];
	uint32_t drawn_stamp;
};

/* Callers come above what they call. */
bool histogram_callers_first(const struct histogram_options *options);

/* Find or add the entry like @key; NULL: out of memory. */
struct histogram_entry *histogram_find_or_add(struct histogram *histogram,
					      const struct histogram_entry *key);

/* Make the part of a place by which the keys distinguish entries. */
struct histogram_entry histogram_make_key(const struct histograms *histograms,
					  const struct call_place *place, const char *comm,
					  int32_t tid, int32_t cpu);

/* 'k' for the kernel, '.' for user space, 'H' for others. */
char histogram_privilege(uint8_t mode);

/* Take in the call chain of a sample that was counted in @self. */
struct error *histogram_count_chain(struct histograms *histograms, struct histogram *histogram,
				    const struct session_record *r, const char *comm,
				    struct histogram_entry *self);

/* Count the chains in the entries of callers; nothing may be counted afterwards. */
struct error *histogram_count_callers(struct histograms *histograms);

void histogram_chains_deinit(struct histograms *histograms);

#endif

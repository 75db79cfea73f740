/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of histograms: histogram.c counts samples by their keys and sorts,
 * histogram_chains.c counts the callers, histogram_layout.c arranges the tree of chains, and
 * histogram_graphs.c builds the graphs from that layout.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_STATE_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_STATE_H

#include "calls/call_tree.h"
#include "calls/chain_end.h"
#include "calls/chain_nodes.h"
#include "lib/array.h"
#include "lib/hash_table.h"
#include "profile/histogram/branch_counts.h"
#include "profile/histogram/histogram.h"

struct histogram_comm {
	char *text;
	const char *later;	/* for ":TID": the name that the task got later; NULL: none */
	bool settled;		/* the tid belongs to another task by now */
};

/* The samples of one entry with the same chain of functions. */
struct counted_chain {
	uint64_t period, samples;
	uint64_t uncounted;	/* the part of period that callers do not have yet */
	uint32_t node;		/* the innermost function; no root */
	uint32_t self;		/* number of the entry */
	uint32_t next_of_node;	/* number + 1 of another chain of the node; 0: none */
	uint32_t end;		/* its number among the chain ends */
};

/* The data of histograms about a node of the tree; the node's mark is the chain. */
struct chain_node {
	uint32_t entry;		/* number + 1; 0: not known yet */
	uint32_t chain;		/* number + 1 of a chain that ends here; 0: none */
};

/*
 * The tree as an array, where all descendants of a node follow it.  Positions in the array refer to
 * nodes; the first node is above all roots.
 */
struct laid_node {
	uint64_t period, samples;	/* of all chains through it */
	uint32_t parent;	/* its position */
	uint32_t end;		/* position behind its last descendant */
	uint32_t place;
	uint32_t chain;		/* number + 1 of a chain that ends here; 0: none */
};

/* A chain, and the position of the node where it ends. */
struct laid_chain {
	uint32_t at, chain;
};

struct chain_layout {
	uint64_t number;	/* of its last sample */
	bool is_valid;
	struct laid_node *nodes;
	size_t nr;
	/*
	 * The nodes and the chains of each entry, in the order of positions.  Those of an entry
	 * begin at first_*[its number], and end where those of the next entry begin.
	 */
	uint32_t *entry_nodes, *first_node;
	struct laid_chain *chains;
	uint32_t *first_chain;
	struct branch_counts *branches;	/* by position; NULL: no branches */
};

/* The keys that distinguish samples, apart from their locations.  Its chains are a group. */
struct histogram_task {
	const struct histogram *histogram;
	const char *comm;
	const struct histogram_value *extra;
	int32_t tid, cpu;
};

/* A cache of entries by location and task, with only the data that the keys need. */
#define KNOWN_ENTRIES	4096

struct known_entry {
	struct histogram_task task;
	uint32_t place;
	struct histogram_entry *entry;	/* NULL: free */
};

/*
 * The number of running tasks at the time of each sample, from the records of switches.  A second
 * of one task alone takes as long as one of eight parallel tasks, so tasks that run alone determine
 * the total time.
 */
struct parallelism {
	ARRAY_OF(int32_t) running;	/* tids of running tasks; few, as there are few CPUs */
};

struct histograms {
	struct session_consumer consumer;
	const struct histogram_options *options;
	bool has_symbol, has_dso, has_comm, has_tid, has_cpu;	/* these are keys */
	bool has_parallelism;
	struct parallelism parallelism;
	ARRAY_OF(struct histogram *) events;	/* by event; NULL: no samples */
	ARRAY_OF(struct histogram_comm) comms;	/* each text once */
	bool has_late_names;
	struct hash_table comm_table;		/* positions in comms */
	const char *last_comm;			/* of comms; NULL: none yet */
	uint64_t lost;
	uint64_t number;			/* of the sample */

	struct histogram_filter filter;		/* texts are owned */
	bool decays;				/* hide entries without weight */
	ARRAY_OF(struct histogram_entry *) entries;	/* of all events, by number */
	struct known_entry *known;		/* KNOWN_ENTRIES, by hash; NULL: none yet */

	struct histogram_extras *extras;	/* NULL: no key needs them */
	struct call_tree *tree;
	struct chain_nodes *chain_nodes;
	struct chain_ends ends;
	ARRAY_OF(struct counted_chain) chains;
	ARRAY_OF(uint32_t) chain_selves;	/* by chain: its entry, for fast access */
	/* The last sample of a chain, counted later when its memory has been loaded. */
	struct {
		uint32_t chain;			/* number + 1; 0: none */
		uint64_t period;
	} pending;
	ARRAY_OF(struct histogram_task) tasks;
	struct hash_table task_table;		/* positions in tasks */
	ARRAY_OF(struct chain_node) nodes;	/* by node */
	ARRAY_OF(struct branch_counts) branches;	/* by node, with branch_history */
	struct chain_layout layout;		/* for histogram_graph() */
	uint64_t seen_stamp;
};

/* Whether the keys do not distinguish two entries; equal entries have equal hashes. */
bool histogram_is_same_entry(const struct histogram_entry *a, const struct histogram_entry *b);
uint64_t histogram_hash_entry(const struct histogram_entry *entry);

/* The initial data of an entry. */
struct entry_origin {
	char level;
	int32_t tid;
	bool is_caller;
};

/* The table's slot of an entry like @key, or a free slot for it. */
struct histogram_entry **histogram_entry_slot(const struct histogram *histogram,
					      const struct histogram_entry *key);

/* Find or add the entry of a location in a task; NULL: out of memory. */
struct histogram_entry *histogram_find_or_add(struct histogram *histogram, uint32_t place,
					      const struct histogram_task *task,
					      const struct entry_origin *origin);

/* 'k' for the kernel, '.' for user space, 'H' otherwise. */
char histogram_privilege(uint8_t mode);

/*
 * Add the call chain of a sample that was counted in @self.  This creates the chain's entries;
 * histogram_count_callers() counts in them.
 */
struct error *histogram_count_chain(struct histograms *histograms, struct histogram *histogram,
				    const struct session_record *r, struct histogram_entry *self);

/* Count the last sample in its chain; call it before chains are read. */
void histogram_count_pending(struct histograms *histograms);

/*
 * Count the new periods of chains: once in each entry of a chain, however often the entry occurs
 * there.
 */
void histogram_count_callers(struct histograms *histograms);

/* Entries were merged: drop the cache of recent entries. */
void histogram_forget_recent(struct histograms *histograms);

/* Reduce the weight of all chains to 7/8, and drop those with too little weight. */
struct error *histogram_decay_chains(struct histograms *histograms);

/* Build the layout of the current chains, unless it is valid. */
struct error *histogram_lay_out(struct histograms *histograms);
void histogram_layout_deinit(struct chain_layout *layout);

/* Create the data for counting chains; the only possible error is lack of memory. */
struct error *histogram_chains_init(struct histograms *histograms);

/* Destroy the data of chains; the members themselves remain. */
void histogram_chains_deinit(struct histograms *histograms);

/* The entry that has the counts of @entry. */
static inline struct histogram_entry *histogram_entry_now(struct histogram_entry *entry)
{
	while (entry->into)
		entry = entry->into;
	return entry;
}

/* The rest of a count after a refresh, in perf's proportion. */
static inline uint64_t histogram_decayed(uint64_t count)
{
	return count * 7 / 8;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of histograms share: histogram.c counts samples by their keys and sorts,
 * histogram_chains.c counts the callers, histogram_layout.c puts the tree of chains into an order
 * in which histogram_graphs.c makes the graphs.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_STATE_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_STATE_H

#include "calls/call_tree.h"
#include "calls/chain_end.h"
#include "calls/chain_nodes.h"
#include "lib/hash_table.h"
#include "profile/histogram/branch_counts.h"
#include "profile/histogram/histogram.h"
#include "profile/histogram/parallelism.h"

struct histogram_comm {
	char *text;
	const char *later;	/* for ":TID": the name that the task got; NULL: none */
	bool settled;		/* the tid belongs to another task by now */
};

/* The samples of one entry that have the same chain of functions. */
struct counted_chain {
	uint64_t period, samples;
	uint64_t uncounted;	/* of period: what callers do not have yet */
	uint32_t node;		/* the innermost function; no root */
	uint32_t self;		/* number of the entry */
	uint32_t next_of_node;	/* number + 1 of another one; 0: none */
	uint32_t end;		/* its number among the chain ends */
};

/* What histograms know of a node of the tree; its mark is the chain. */
struct chain_node {
	uint32_t entry;		/* number + 1; 0: not known yet */
	uint32_t chain;		/* number + 1 of one that ends here; 0: none */
};

/*
 * The tree as an array in which each node is followed by all that is below it.  Positions in it
 * are those of nodes; the first is above all roots.
 */
struct laid_node {
	uint64_t period, samples;	/* of all chains through it */
	uint32_t parent;	/* its position */
	uint32_t end;		/* the position behind the last node below it */
	uint32_t place;
	uint32_t chain;		/* number + 1 of one that ends here; 0: none */
};

/* A chain, and the position of the node where it ends. */
struct laid_chain {
	uint32_t at, chain;
};

struct chain_layout {
	uint64_t number;	/* of the last sample that it has */
	bool is_valid;
	struct laid_node *nodes;
	size_t nr;
	/*
	 * The nodes and the chains of each entry, in the order of positions: those of an entry
	 * begin where first_* of its number says, and end where those of the next one begin.
	 */
	uint32_t *entry_nodes, *first_node;
	struct laid_chain *chains;
	uint32_t *first_chain;
	struct branch_counts *branches;	/* by position; NULL: chains have none */
};

/* What the keys distinguish samples by, apart from places.  Its chains are a group. */
struct histogram_task {
	const struct histogram *histogram;
	const char *comm;
	const struct histogram_value *extra;
	int32_t tid, cpu;
};

/* The entry that a place had lately in a task, of which only what the keys need is here. */
#define KNOWN_ENTRIES	4096

struct known_entry {
	struct histogram_task task;
	uint32_t place;
	struct histogram_entry *entry;	/* NULL: nothing is known */
};

struct histograms {
	struct session_consumer consumer;
	const struct histogram_options *options;
	bool has_symbol, has_dso, has_comm, has_tid, has_cpu;	/* these are keys */
	bool has_parallelism;
	struct parallelism parallelism;
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

	struct histogram_filter filter;		/* texts are owned */
	bool decays;				/* entries of which nothing is left are not shown */
	struct {
		struct histogram_entry **items;	/* of all events, by number */
		size_t nr, alloc;
	} entries;
	struct known_entry *known;		/* KNOWN_ENTRIES, by hash; NULL: none yet */

	struct histogram_extras *extras;	/* NULL: no key needs them */
	struct call_tree *tree;
	struct chain_nodes *chain_nodes;
	struct chain_ends ends;
	struct {
		struct counted_chain *items;
		size_t nr, alloc;
	} chains;
	struct {
		uint32_t *items;		/* by chain: its entry, to be at hand */
		size_t nr, alloc;
	} chain_selves;
	/* The last sample of a chain, which is counted when the chain has come from memory. */
	struct {
		uint32_t chain;			/* number + 1; 0: none */
		uint64_t period;
	} pending;
	struct {
		struct histogram_task *items;
		size_t nr, alloc;
	} tasks;
	struct hash_table task_table;		/* positions in tasks */
	struct {
		struct chain_node *items;	/* by node */
		size_t nr, alloc;
	} nodes;
	struct {
		struct branch_counts *items;	/* by node, with branch_history */
		size_t nr, alloc;
	} branches;
	struct chain_layout layout;		/* for histogram_graph() */
	uint64_t seen_stamp;
};

/* Whether the keys do not distinguish two entries; what is equal has the same hash. */
bool histogram_is_same_entry(const struct histogram_entry *a, const struct histogram_entry *b);
uint64_t histogram_hash_entry(const struct histogram_entry *entry);

/* What an entry has when it is made. */
struct entry_origin {
	char level;
	int32_t tid;
	bool is_caller;
};

/* The slot of the table where the entry like @key is, or would be. */
struct histogram_entry **histogram_entry_slot(const struct histogram *histogram,
					      const struct histogram_entry *key);

/* Find or add the entry of a place in a task; NULL: out of memory. */
struct histogram_entry *histogram_find_or_add(struct histogram *histogram, uint32_t place,
					      const struct histogram_task *task,
					      const struct entry_origin *origin);

/* 'k' for the kernel, '.' for user space, 'H' for others. */
char histogram_privilege(uint8_t mode);

/*
 * Take in the call chain of a sample that was counted in @self.  Entries that it has are there
 * from then on, but histogram_count_callers() counts in them.
 */
struct error *histogram_count_chain(struct histograms *histograms, struct histogram *histogram,
				    const struct session_record *r, struct histogram_entry *self);

/* Count the last sample in its chain: comes before chains are read. */
void histogram_count_pending(struct histograms *histograms);

/*
 * Count what chains have got since the last time: once in each entry that a chain has, however
 * often it occurs there.
 */
void histogram_count_callers(struct histograms *histograms);

/* Entries were merged: what is known of recent entries no longer holds. */
void histogram_forget_recent(struct histograms *histograms);

/* Give all chains 7/8 of their weight, and forget those of which too little is left. */
struct error *histogram_decay_chains(struct histograms *histograms);

/* Make the layout of the chains so far, unless it is there. */
struct error *histogram_lay_out(struct histograms *histograms);
void histogram_layout_deinit(struct chain_layout *layout);

/* Make what chains are counted with; the only error is to be out of memory. */
struct error *histogram_chains_init(struct histograms *histograms);

/* Destroy everything that belongs to chains; the members stay. */
void histogram_chains_deinit(struct histograms *histograms);

/* The entry that has the counts of @entry. */
static inline struct histogram_entry *histogram_entry_now(struct histogram_entry *entry)
{
	while (entry->into)
		entry = entry->into;
	return entry;
}

/* What is left of a count after a refresh, in perf's proportion. */
static inline uint64_t histogram_decayed(uint64_t count)
{
	return count * 7 / 8;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts where the samples of a recording fall, as perf report does: for each event, the sum
 * of the periods of samples with the same sort keys.
 */
#ifndef KTRACE_ANALYSIS_HISTOGRAM_H
#define KTRACE_ANALYSIS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/call_graph.h"
#include "analysis/chain_end.h"
#include "lib/cleanup.h"
#include "session/session.h"

enum histogram_key {
	KEY_COMM = 1,
	KEY_DSO,
	KEY_SYMBOL,
	KEY_PID,
	KEY_CPU,
};

#define MAX_KEYS	8

struct histogram_options {
	uint8_t keys[MAX_KEYS];		/* enum histogram_key, ends with 0 */
	bool children;			/* callers also count what they call */
	struct call_graph_options graph;	/* mode 0: chains are not */
	/* "a,b": only these get entries, though all are counted; NULL: all; borrowed */
	const char *comms, *dsos, *symbols;
};

/* What a chain adds to the graph of an entry: all from this frame on. */
struct chain_part {
	uint32_t chain, from;
};

struct histogram_entry {
	uint64_t period;		/* of the samples themselves */
	uint64_t children;		/* and of the functions that they called */
	uint64_t samples;
	const char *comm;		/* NULL or 0 if it is no key, like those below */
	const char *task;		/* the comm that tid had at the end */
	int32_t tid, cpu;
	const struct dso *dso;		/* NULL: unknown */
	const struct symbol *symbol;	/* NULL: unknown */
	uint64_t address;		/* address of an entry without a symbol */
	char level;			/* 'k': the kernel, '.': user space */
	size_t order;			/* position in the order of arrival */
	int32_t first_tid;		/* tid of the first thread that had it */
	size_t depth;			/* the longest chain of its graph; 0: it has none */
	uint64_t task_order;		/* number of the sample that gave task */
	uint32_t root;			/* of its task's chains in the tree; 0: not known yet */
	uint32_t seen;			/* number + 1 of the chain that was counted last */
	struct {
		struct chain_part *items;	/* for histogram_graph() */
		size_t nr, alloc;
	} parts;
};

struct histogram {
	struct histograms *owner;
	const struct event *event;
	uint64_t samples, period;
	struct histogram_entry **items;	/* sorted by histograms_sort() */
	size_t nr, alloc;
	struct histogram_entry **table;
	size_t mask;
};

struct histograms;

/* Append the names of all keys, "comm, dso, ...". */
void histogram_keys_add_names(struct strbuf *out);

/* Parse "comm,dso,sym" into options->keys. */
struct error *histogram_keys_parse(struct histogram_options *options, const char *text);

/* @options are borrowed. */
struct error *histograms_create(const struct histogram_options *options,
				struct histograms **ret);
void histograms_destroy(struct histograms *histograms);
DEFINE_CLEANUP_PTR(histograms, struct histograms, histograms_destroy)

struct session_consumer *histograms_consumer(struct histograms *histograms);

/*
 * Complete the counts and sort the entries as perf prints them, once all samples were taken.
 * If a task got its name after its first samples, its entries have that name.  The only error
 * is to be out of memory.
 */
struct error *histograms_sort(struct histograms *histograms);

/*
 * Make the graph of an entry's chains after histograms_sort().  *ret is the caller's, for
 * call_graph_destroy(), and NULL if there are none.  The only error is to be out of memory.
 */
struct error *histogram_graph(const struct histogram *histogram,
			      const struct histogram_entry *entry, struct call_graph **ret);

/* The histogram of the event with this index; NULL: it has no samples. */
const struct histogram *histograms_get(const struct histograms *histograms, size_t index);

/* The number of lost samples, by LOST_SAMPLES records. */
uint64_t histograms_lost(const struct histograms *histograms);

/* Where the call chains of all events end. */
const struct chain_ends *histograms_chain_ends(const struct histograms *histograms);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the samples of a recording by keys, as perf report does: for each event, the sum of the
 * periods of samples with the same sort keys.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/chain_end.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "profile/histogram/call_graph.h"
#include "profile/histogram/entry_samples.h"
#include "profile/histogram/histogram_keys.h"
#include "profile/histogram/histogram_values.h"
#include "session/session.h"

struct histogram_options {
	uint8_t keys[MAX_KEYS];		/* enum histogram_key, ends with 0 */
	struct histogram_field fields[MAX_KEYS];	/* by position in keys, for KEY_FIELD */
	/*
	 * The shown columns, and the sort order of entries: enum histogram_metric, or a position in
	 * keys + 1; they end with 0.  Without an order, the percentages come before the keys.
	 */
	uint8_t columns[MAX_COLUMNS], order[MAX_COLUMNS];
	bool relative;			/* percentages refer to the shown entries */
	bool children;			/* callers include their callees */
	bool verbose;			/* also show the sources of addresses and names */
	bool no_inline;			/* inlined functions are no frames */
	bool branches;			/* count each branch of a sample at its end */
	bool branch_history;		/* the branches of a sample are part of its chain */
	bool accesses;			/* weight samples as memory accesses are */
	bool full_source_path;		/* show source files with their folders */
	bool hide_unresolved;		/* samples and frames without a function are left out */
	bool exclude_other;		/* only samples with a parent get entries */
	/* The functions for KEY_PARENT, and those whose callees are left out; borrowed. */
	const regex_t *parents, *ignored;
	unsigned int max_stack;		/* the most frames to read of a chain */
	const int32_t *socket;		/* only its samples get entries; NULL: all; borrowed */
	unsigned int kept_samples;	/* number of single samples that each entry keeps */
	bool nanoseconds;		/* the key `time` is shown with nine decimals */
	uint64_t time_quantum;		/* of the key `time`, ns; 0: perf's */
	struct call_graph_options graph;	/* mode 0: no chains */
	/* "a,b": only these get entries, but all samples are counted; NULL: all; borrowed */
	const char *comms, *dsos, *symbols;
	const char *symbol_part;	/* only functions whose names contain this; NULL: all */
};

struct histogram_entry {
	uint64_t period;		/* of its own samples */
	uint64_t children;		/* plus that of the functions that they called */
	uint64_t samples;
	uint64_t system, user;		/* of period: in the kernel, in user space */
	uint64_t latency;		/* periods / number of running tasks, in thousandths */
	const char *comm;		/* NULL or 0 if it is no key, like the members below */
	const char *task;		/* the last comm of tid */
	int32_t tid, cpu;
	const struct dso *dso;		/* NULL: unknown */
	const struct symbol *symbol;	/* NULL: unknown */
	uint64_t address;		/* address of an entry without a symbol */
	const struct histogram_value *extra;	/* by position in keys; NULL: no such keys */
	uint64_t first_address;		/* of the first sample; if `verbose`, for functions, too */
	bool by_path;			/* binaries of equal names in two folders differ */
	char level;			/* 'k': the kernel, '.': user space */
	struct entry_samples kept;	/* some of its samples, on request */
	size_t order;			/* position in the order of arrival */
	int32_t first_tid;		/* tid of the first thread that had it */
	size_t depth;			/* the longest chain of its graph; 0: none */
	uint32_t number;		/* among all entries */
	uint32_t root;			/* of its task's chains in the tree; 0: not known yet */
	uint64_t seen;			/* stamp of the last chain counted */
	struct histogram_entry *into;	/* the entry with all of its counts; NULL: itself */
};

/* The conditions for showing an entry; a member that is 0 or NULL is ignored. */
struct histogram_filter {
	const char *comm;
	int32_t tid;			/* -1: the idle task, whose tid is 0 */
	const struct dso *dso;
	const char *function;		/* its name */
	const char *symbol;		/* the name contains this */
};

struct histogram {
	struct histograms *owner;
	const struct event *event;
	const struct event_format *format;	/* NULL: it has none */
	uint64_t samples, period, latency;	/* of all samples */
	/* Set by histograms_sort(): the shown entries, and their own sums. */
	struct histogram_entry **items;
	size_t nr, alloc;
	uint64_t shown_samples, shown_period, shown_latency;
	ARRAY_OF(struct histogram_entry *) all;	/* all entries; owned */
	struct histogram_entry **table;
	size_t mask;
};

struct histograms;

/* @options are borrowed. */
struct error *histograms_create(const struct histogram_options *options,
				struct histograms **ret);
void histograms_destroy(struct histograms *histograms);
DEFINE_CLEANUP_PTR(histograms, struct histograms, histograms_destroy)

struct session_consumer *histograms_consumer(struct histograms *histograms);

/*
 * Sort the entries as perf prints them.  If a task got its name after its first samples, its
 * entries have that name.  More samples may follow: they are counted in the entries at once, but
 * the selection and order of entries change only with the next call.  Histograms, their entries and
 * graphs may be read at any time, but not while a sample is being processed.  The only possible
 * error is lack of memory.
 */
struct error *histograms_sort(struct histograms *histograms);

/*
 * From the next histograms_sort() on, show only entries that match @filter; NULL: all.  It is
 * copied.
 */
struct error *histograms_set_filter(struct histograms *histograms,
				    const struct histogram_filter *filter);

/* Remove all samples, with their entries and graphs. */
struct error *histograms_clear(struct histograms *histograms);

/*
 * Reduce the weight of all samples to 7/8, as perf top does at each refresh.  Entries whose weight
 * is 0 are hidden until they get new samples.  Chains with less than a millionth of the total
 * weight are dropped, so that the memory is bounded; they stay in the counts of the entries.  The
 * only possible error is lack of memory.
 */
struct error *histograms_decay(struct histograms *histograms);

/*
 * Create the graph of an entry's current chains.  The caller owns *ret, for call_graph_destroy();
 * NULL: there are none.  Nodes that are smaller than the options' min_percent have no children.
 * The only possible error is lack of memory.
 */
struct error *histogram_graph(const struct histogram *histogram,
			      const struct histogram_entry *entry, struct call_graph **ret);

/* The histogram of the event with this index; NULL: it has no samples. */
const struct histogram *histograms_get(const struct histograms *histograms, size_t index);

/* The period that is 100 percent of a histogram. */
uint64_t histogram_whole(const struct histogram *histogram);

/* As histogram_whole(), for METRIC_LATENCY. */
uint64_t histogram_whole_latency(const struct histogram *histogram);

/* The number of lost samples, by LOST_SAMPLES records. */
uint64_t histograms_lost(const struct histograms *histograms);

/* The ends of the call chains of all events, at the time of the last sort. */
const struct chain_ends *histograms_chain_ends(const struct histograms *histograms);

#endif

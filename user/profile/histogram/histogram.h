/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts where the samples of a recording fall, as perf report does: for each event, the sum
 * of the periods of samples with the same sort keys.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/chain_end.h"
#include "lib/cleanup.h"
#include "profile/histogram/call_graph.h"
#include "profile/histogram/entry_samples.h"
#include "profile/histogram/histogram_keys.h"
#include "profile/histogram/histogram_values.h"
#include "session/session.h"

struct histogram_options {
	uint8_t keys[MAX_KEYS];		/* enum histogram_key, ends with 0 */
	struct histogram_field fields[MAX_KEYS];	/* by position in keys, of KEY_FIELD */
	/*
	 * What is shown, and what entries are sorted by: enum histogram_metric, or a position in
	 * keys + 1; they end with 0.  Without an order, the percentages come before the keys.
	 */
	uint8_t columns[MAX_COLUMNS], order[MAX_COLUMNS];
	bool relative;			/* percentages are of what is shown */
	bool children;			/* callers also count what they call */
	bool verbose;			/* also show where addresses and their names are from */
	bool no_inline;			/* functions that are inlined are no frames */
	bool branches;			/* each branch of a sample is counted where it ends */
	bool branch_history;		/* the branches of a sample are part of its chain */
	bool accesses;			/* samples count by their weight, as accesses do */
	bool full_source_path;		/* source files have their folders */
	bool hide_unresolved;		/* samples and frames without a function are left out */
	bool exclude_other;		/* only samples with a parent get entries */
	/* The functions that KEY_PARENT looks for, and whose callees are left out; borrowed. */
	const regex_t *parents, *ignored;
	unsigned int max_stack;		/* frames that are read of a chain */
	const int32_t *socket;		/* only its samples get entries; NULL: all; borrowed */
	unsigned int kept_samples;	/* single samples that each entry keeps */
	bool nanoseconds;		/* the key `time` is shown with nine decimals */
	uint64_t time_quantum;		/* of the key `time`, ns; 0: perf's */
	struct call_graph_options graph;	/* mode 0: chains are not */
	/* "a,b": only these get entries, though all are counted; NULL: all; borrowed */
	const char *comms, *dsos, *symbols;
	const char *symbol_part;	/* only functions whose names contain this; NULL: all */
};

struct histogram_entry {
	uint64_t period;		/* of the samples themselves */
	uint64_t children;		/* and of the functions that they called */
	uint64_t samples;
	uint64_t system, user;		/* of period: in the kernel, in user space */
	uint64_t latency;		/* periods divided by how many tasks ran, in thousandths */
	const char *comm;		/* NULL or 0 if it is no key, like those below */
	const char *task;		/* the comm that tid had at the end */
	int32_t tid, cpu;
	const struct dso *dso;		/* NULL: unknown */
	const struct symbol *symbol;	/* NULL: unknown */
	uint64_t address;		/* address of an entry without a symbol */
	const struct histogram_value *extra;	/* by position in keys; NULL: no key has one */
	uint64_t first_address;		/* of the first sample; if `verbose`, of functions, too */
	bool by_path;			/* binaries of the same name in two folders differ */
	char level;			/* 'k': the kernel, '.': user space */
	struct entry_samples kept;	/* some of its samples, if the options ask for it */
	size_t order;			/* position in the order of arrival */
	int32_t first_tid;		/* tid of the first thread that had it */
	size_t depth;			/* the longest chain of its graph; 0: it has none */
	uint32_t number;		/* among all entries */
	uint32_t root;			/* of its task's chains in the tree; 0: not known yet */
	uint64_t seen;			/* stamp of the chain that was counted last */
	struct histogram_entry *into;	/* the entry that has all of its counts; NULL: itself */
};

/* What an entry must have to be shown; a member that is 0 or NULL does not matter. */
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
	uint64_t samples, period, latency;	/* of everything */
	/* What histograms_sort() found to be shown: the entries, and the sums of their own. */
	struct histogram_entry **items;
	size_t nr, alloc;
	uint64_t shown_samples, shown_period, shown_latency;
	struct {
		struct histogram_entry **items;	/* all entries; owned */
		size_t nr, alloc;
	} all;
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
 * entries have that name.  Samples may go on coming afterwards: their counts are in the entries
 * at once, but which entries are shown, and in which order, changes with the next call.
 * Histograms, their entries and graphs may be read at any time, but not while a sample is being
 * taken.  The only error is to be out of memory.
 */
struct error *histograms_sort(struct histograms *histograms);

/* From the next histograms_sort() on, show entries like @filter; NULL: all of them.  Copied. */
struct error *histograms_set_filter(struct histograms *histograms,
				    const struct histogram_filter *filter);

/* Begin again without any samples; entries and graphs are gone. */
struct error *histograms_clear(struct histograms *histograms);

/*
 * Give all samples 7/8 of their weight, as perf top does at each refresh.  Entries of which
 * nothing is left are not shown until they come again.  Chains of which less than a millionth
 * of everything is left are forgotten, so that the memory does not grow for ever; they stay in
 * the counts of the entries.  The only error is to be out of memory.
 */
struct error *histograms_decay(struct histograms *histograms);

/*
 * Make the graph of an entry's chains so far.  *ret is the caller's, for call_graph_destroy(),
 * and NULL if there are none.  Nodes that are smaller than the options' min_percent have no
 * children.  The only error is to be out of memory.
 */
struct error *histogram_graph(const struct histogram *histogram,
			      const struct histogram_entry *entry, struct call_graph **ret);

/* The histogram of the event with this index; NULL: it has no samples. */
const struct histogram *histograms_get(const struct histograms *histograms, size_t index);

/* The period that is 100 percent of a histogram. */
uint64_t histogram_whole(const struct histogram *histogram);

/* The same of METRIC_LATENCY. */
uint64_t histogram_whole_latency(const struct histogram *histogram);

/* The number of lost samples, by LOST_SAMPLES records. */
uint64_t histograms_lost(const struct histograms *histograms);

/* Where the call chains of all events end, as of the last time they were sorted. */
const struct chain_ends *histograms_chain_ends(const struct histograms *histograms);

#endif

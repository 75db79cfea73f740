// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms and their call graphs, against counting by brute force: a sample counts once for
 * each function of its chain, however often the function is in it.
 */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/array.h"
#include "profile/histogram/histogram.h"
#include "profile/histogram/histogram_state.h"
#include "session/callchain.h"
#include "tap.h"

#define SAMPLES		600
#define FUNCTIONS	6
#define FRAMES_MAX	14

/* A sample with its chain, innermost first. */
struct made {
	int32_t tid;
	const char *comm;
	uint64_t ip, period;
	uint64_t chain[FRAMES_MAX + 2];
	size_t nr;
};

static struct made made[SAMPLES];
static const char *const comms[] = { "one", "two" };

static uint64_t function(int number)
{
	return 0x1000 + 0x10 * number;
}

/* Deep chains of few functions, so that most are recursive, and some that are alike. */
static void make_samples(unsigned int seed)
{
	srand(seed);
	for (size_t i = 0; i < SAMPLES; i++) {
		struct made *m = &made[i];

		if (i && rand() % 3 == 0) {
			*m = made[rand() % i];
			m->period = 1 + rand() % 100;
			continue;
		}
		m->tid = 1 + rand() % 3;
		m->comm = comms[m->tid % 2];
		m->period = 1 + rand() % 100;
		m->nr = rand() % FRAMES_MAX;
		for (size_t k = 0; k < m->nr; k++)
			m->chain[k] = function(rand() % FUNCTIONS);
		/* Where the sample is can differ from where its chain begins. */
		m->ip = m->nr && rand() % 4 ? m->chain[0] : function(rand() % FUNCTIONS);
	}
}

/* Take all samples; sort after each @every of them, too, if that is not 0. */
static void take_samples(struct histograms *histograms, struct event *event, size_t every)
{
	struct session_consumer *consumer;

	consumer = histograms_consumer(histograms);
	for (size_t i = 0; i < SAMPLES; i++) {
		struct session_record r = {
			.event = event, .pid = made[i].tid, .tid = made[i].tid,
			.comm = made[i].comm,
			.sample = {
				.ip = made[i].ip, .tid = made[i].tid, .period = made[i].period,
				.cpumode = PERF_RECORD_MISC_USER, .callchain = made[i].chain,
				.nr_callchain = made[i].nr,
			},
		};

		if (consumer->sample(consumer, &r) ||
		    (every && i % every == 0 && histograms_sort(histograms)))
			abort();
	}
	if (histograms_sort(histograms))
		abort();
}

static struct histograms *count_samples(const struct histogram_options *options,
					struct event *event)
{
	struct histograms *histograms = NULL;

	if (histograms_create(options, &histograms))
		abort();
	take_samples(histograms, event, 0);
	return histograms;
}

static bool has_frame(const struct made *m, uint64_t address)
{
	for (size_t i = 0; i < m->nr; i++)
		if (m->chain[i] == address)
			return true;
	return false;
}

static bool is_of_entry(const struct histogram_entry *entry, const struct made *m)
{
	return (!entry->comm || !strcmp(entry->comm, m->comm)) &&
	       (!entry->tid || entry->tid == m->tid);
}

/* The frames that a sample adds to the graph of an entry, by perf's rules. Returns their number. */
static size_t part_of_chain(const struct histogram_options *options,
			    const struct histogram_entry *entry, const struct made *m,
			    uint64_t *ret)
{
	bool inward = options->graph.order == CALL_GRAPH_CALLER ||
		      (!options->graph.order && options->children);
	size_t from = inward ? m->nr - 1 : 0, nr = 0;

	if (!m->nr || !is_of_entry(entry, m))
		return 0;
	if (m->ip != entry->address) {
		if (!options->children || !has_frame(m, entry->address))
			return 0;
		while (m->chain[from] != entry->address)
			from += inward ? -1 : 1;
	}
	for (size_t i = from; i < m->nr; i += inward ? -1 : 1)
		ret[nr++] = m->chain[i];
	return nr;
}

/* Whether this node and all below have the sums of the samples; @path leads to the node. */
static bool node_is_right(const struct histogram_options *options,
			  const struct histogram_entry *entry, const struct call_node *node,
			  uint64_t *path, size_t depth)
{
	uint64_t hit = 0, cumulated = 0, count = 0, frames[FRAMES_MAX];

	for (size_t i = 0; i < SAMPLES; i++) {
		size_t nr = part_of_chain(options, entry, &made[i], frames);

		if (nr < depth || memcmp(frames, path, depth * sizeof(*path)))
			continue;
		cumulated += nr ? made[i].period : 0;
		hit += nr && nr == depth ? made[i].period : 0;
		count += nr ? 1 : 0;
	}
	if (hit != node->hit || cumulated != node->cumulated || count != node->count)
		return false;
	for (size_t i = 0; i < node->children.nr; i++) {
		path[depth] = node->children.items[i]->frame.ip;
		if (!node_is_right(options, entry, node->children.items[i], path, depth + 1))
			return false;
	}
	return true;
}

/* Whether all that samples add is in the graph. */
static bool graph_is_whole(const struct histogram_options *options,
			   const struct histogram_entry *entry, const struct call_graph *graph)
{
	uint64_t frames[FRAMES_MAX];

	for (size_t i = 0; i < SAMPLES; i++) {
		size_t nr = part_of_chain(options, entry, &made[i], frames);
		const struct call_node *node = graph ? call_graph_root(graph) : NULL;

		if (nr && !graph)
			return false;
		for (size_t k = 0; k < nr; k++) {
			size_t child = 0;

			while (child < node->children.nr &&
			       node->children.items[child]->frame.ip != frames[k])
				child++;
			if (child == node->children.nr)
				return false;
			node = node->children.items[child];
		}
	}
	return true;
}

static bool counts_are_right(const struct histogram_options *options,
			     const struct histogram_entry *entry)
{
	uint64_t period = 0, children = 0, samples = 0;

	for (size_t i = 0; i < SAMPLES; i++) {
		const struct made *m = &made[i];

		if (!is_of_entry(entry, m))
			continue;
		period += m->ip == entry->address ? m->period : 0;
		samples += m->ip == entry->address;
		if (m->ip == entry->address ||
		    (options->children && has_frame(m, entry->address)))
			children += m->period;
	}
	return entry->period == period && entry->children == children && entry->samples == samples;
}

/* Whether all entries and graphs are those of a count by hand, in @ret[3]. */
static void check_histograms(const struct histogram_options *options,
			     const struct histograms *histograms, bool ret[3])
{
	const struct histogram *histogram = histograms_get(histograms, 0);
	uint64_t path[FRAMES_MAX + 1];

	for (size_t i = 0; i < histogram->nr; i++) {
		const struct histogram_entry *entry = histogram->items[i];
		_cleanup_(call_graph) struct call_graph *graph = NULL;

		if (histogram_graph(histogram, entry, &graph))
			abort();
		ret[0] &= counts_are_right(options, entry);
		if (!options->graph.mode)
			continue;
		ret[1] &= !graph || node_is_right(options, entry, call_graph_root(graph), path, 0);
		ret[2] &= graph_is_whole(options, entry, graph);
	}
}

static void test_histogram(const struct histogram_options *options, const char *name)
{
	struct event event = { .attr = { .sample_type = PERF_SAMPLE_CALLCHAIN } };
	bool once[3] = { true, true, true }, often[3] = { true, true, true };
	bool again[3] = { true, true, true };
	struct histograms *histograms;

	for (unsigned int seed = 1; seed <= 3; seed++) {
		make_samples(seed);
		histograms = count_samples(options, &event);
		check_histograms(options, histograms, once);
		if (histograms_clear(histograms))
			abort();
		take_samples(histograms, &event, 50);
		check_histograms(options, histograms, often);
		make_samples(seed + 3);
		if (histograms_clear(histograms))
			abort();
		take_samples(histograms, &event, 1);
		check_histograms(options, histograms, again);
		histograms_destroy(histograms);
	}
	ok(once[0], "%s: periods, with and without callers, are those of a count by hand", name);
	ok(once[1], "%s: each node of a graph has the chains that come through it", name);
	ok(once[2], "%s: all chains are in the graphs", name);
	ok(often[0] && often[1] && often[2],
	   "%s: sorting while samples come changes nothing", name);
	ok(again[0] && again[1] && again[2],
	   "%s: cleared histograms count other samples as new ones do", name);
}

/* Whether the root of each graph has the sums of its entry. */
static bool graphs_have_entries(const struct histogram_options *options,
				const struct histogram *histogram)
{
	for (size_t i = 0; i < histogram->nr; i++) {
		const struct histogram_entry *entry = histogram->items[i];
		_cleanup_(call_graph) struct call_graph *graph = NULL;
		uint64_t period = options->children ? entry->children : entry->period;

		if (histogram_graph(histogram, entry, &graph))
			abort();
		if (graph && call_graph_root(graph)->cumulated > period)
			return false;
	}
	return true;
}

static void test_decay(void)
{
	static const struct histogram_options options = {
		.max_stack = CALLCHAIN_DEPTH, .keys = { KEY_COMM, KEY_SYMBOL },
		.children = true,
		.graph = { .mode = CALL_GRAPH_ABSOLUTE },
	};
	struct event event = { .attr = { .sample_type = PERF_SAMPLE_CALLCHAIN } };
	const struct histogram_filter two = { .comm = "two" };
	bool sums = true, graphs = true, filtered = true;
	const struct histogram *histogram;
	struct histograms *histograms;
	uint64_t before;

	make_samples(1);
	histograms = count_samples(&options, &event);
	histogram = histograms_get(histograms, 0);
	before = histogram->period;
	for (int i = 0; i < 3; i++) {
		if (histograms_decay(histograms) || histograms_sort(histograms))
			abort();
		sums &= histogram->shown_period == histogram->period &&
			histogram->period < before && histogram->period > before / 2;
		graphs &= graphs_have_entries(&options, histogram);
		before = histogram->period;
	}
	ok(sums, "decayed entries are those of the histogram, less than before");
	ok(graphs, "graphs of decayed entries have no more than these");
	if (histograms_set_filter(histograms, &two) || histograms_sort(histograms))
		abort();
	for (size_t i = 0; i < histogram->nr; i++)
		filtered &= !strcmp(histogram->items[i]->comm, "two");
	ok(filtered && histogram->nr && histogram->shown_period < histogram->period,
	   "only entries that pass the filter are shown");
	if (histograms_set_filter(histograms, NULL))
		abort();
	for (int i = 0; i < 200; i++)
		if (histograms_decay(histograms))
			abort();
	if (histograms_sort(histograms))
		abort();
	ok(!histogram->nr && !histogram->period, "in the end nothing is left");
	take_samples(histograms, &event, 0);
	ok(histogram->nr && histogram->shown_period == histogram->period,
	   "entries come again with their samples");
	histograms_destroy(histograms);
}

static void test_names(void)
{
	static const struct histogram_options options = {
		.max_stack = CALLCHAIN_DEPTH, .keys = { KEY_SYMBOL },
	};
	static const struct symbol symbols[] = {
		{ .name = "walk" }, { .name = "walk_tree" }, { .name = "sleep_walk" },
	};
	const struct histogram_filter exact = { .function = "walk" }, part = { .symbol = "walk" },
		both = { .function = "walk_tree", .symbol = "tree" };
	struct event event = { .name = "cpu-clock" };
	struct histograms *histograms;
	const struct histogram *histogram;

	make_samples(1);
	histograms = count_samples(&options, &event);
	histogram = histograms_get(histograms, 0);
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		histogram->all.items[i]->symbol = &symbols[i];
	if (histograms_set_filter(histograms, &exact) || histograms_sort(histograms))
		abort();
	ok(histogram->nr == 1 && histogram->items[0]->symbol == &symbols[0],
	   "a function's filter shows the function with exactly that name");
	if (histograms_set_filter(histograms, &part) || histograms_sort(histograms))
		abort();
	is_u64(histogram->nr, 3, "a text's filter shows the functions whose names contain it");
	if (histograms_set_filter(histograms, &both) || histograms_sort(histograms))
		abort();
	is_u64(histogram->nr, 1, "both filters can be there at once");
	histograms_destroy(histograms);
}

/* Ever new chains, as in a live histogram that is shown for hours. */
static void test_forgotten_chains(void)
{
	static const struct histogram_options options = {
		.max_stack = CALLCHAIN_DEPTH, .keys = { KEY_SYMBOL },
		.children = true,
		.graph = { .mode = CALL_GRAPH_ABSOLUTE },
	};
	struct event event = { .attr = { .sample_type = PERF_SAMPLE_CALLCHAIN } };
	size_t half = 0, chains, nodes;
	struct histograms *histograms = NULL;

	if (histograms_create(&options, &histograms))
		abort();
	for (int i = 0; i < 320; i++) {
		if (i == 80)
			half = histograms->chains.nr;
		make_samples(i);
		take_samples(histograms, &event, 0);
		if (histograms_decay(histograms))
			abort();
	}
	chains = histograms->chains.nr;
	nodes = call_tree_nodes(histograms->tree);
	ok(chains <= 2 * half && nodes <= chains * FRAMES_MAX,
	   "decaying histograms do not grow with the chains that come");
	take_samples(histograms, &event, 0);
	ok(graphs_have_entries(&options, histograms_get(histograms, 0)),
	   "graphs are whole after old chains were forgotten");
	histograms_destroy(histograms);
}

int main(void)
{
	static const struct {
		const char *name;
		struct histogram_options options;
	} cases[] = {
		{ "callers first", {
			.max_stack = CALLCHAIN_DEPTH, .keys = { KEY_SYMBOL },
			.children = true,
			.graph = { .mode = CALL_GRAPH_ABSOLUTE } } },
		{ "callers first, by comm", {
			.max_stack = CALLCHAIN_DEPTH, .keys = { KEY_COMM, KEY_SYMBOL },
			.children = true,
			.graph = { .mode = CALL_GRAPH_ABSOLUTE } } },
		{ "callers first, by tid", {
			.max_stack = CALLCHAIN_DEPTH, .keys = { KEY_PID, KEY_SYMBOL },
			.children = true,
			.graph = { .mode = CALL_GRAPH_ABSOLUTE } } },
		{ "callees first", {
			.max_stack = CALLCHAIN_DEPTH, .keys = { KEY_COMM, KEY_SYMBOL },
			.children = true,
			.graph = { .mode = CALL_GRAPH_RELATIVE, .order = CALL_GRAPH_CALLEE } } },
		{ "no children", {
			.max_stack = CALLCHAIN_DEPTH, .keys = { KEY_COMM, KEY_SYMBOL },
			.graph = { .mode = CALL_GRAPH_ABSOLUTE } } },
		{ "no children, callers first", {
			.max_stack = CALLCHAIN_DEPTH, .keys = { KEY_SYMBOL },
			.graph = { .mode = CALL_GRAPH_ABSOLUTE, .order = CALL_GRAPH_CALLER } } },
		{ "no graphs", { .max_stack = CALLCHAIN_DEPTH, .keys = { KEY_SYMBOL }, .children = true } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		test_histogram(&cases[i].options, cases[i].name);
	test_decay();
	test_names();
	test_forgotten_chains();
	return tap_done();
}

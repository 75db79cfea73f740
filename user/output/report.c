// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>

#include "lib/log.h"
#include "lib/array.h"
#include "lib/strbuf.h"
#include "output/rendering.h"
#include "profile/histogram/histogram.h"
#include "profile/thread_counts.h"
#include "record/header.h"
#include "session/callchain.h"
#include "table/profile/histogram_text.h"
#include "table/profile/thread_counts_text.h"

struct report_rendering {
	struct rendering rendering;
	struct rendering_request request;
	struct report_options options;
	struct histograms *histograms;
	struct session_consumer consumer;	/* feeds thread_counts, then the histograms */
	struct thread_counts thread_counts;
};

static void tell_cut_chains(const struct histograms *histograms)
{
	_cleanup_(strbuf) struct strbuf words = STRBUF_INIT;

	chain_ends_add_words(histograms_chain_ends(histograms), &words);
	if (words.len)
		log_notice("%s", strbuf_str(&words));
}

/* Whether the recording has events in groups. */
static bool has_groups(const struct event_list *events)
{
	return array_any(events, it, (*it)->group);
}

/*
 * The number of events to show side by side with event number @first.  It is the event's group, as
 * in perf, or all events if the options request that and the recording has no groups.
 */
static size_t count_side_by_side(const struct report_rendering *r, size_t first)
{
	const struct event_list *events = r->request.events;
	uint32_t group = events->items[first]->group;
	size_t nr = 1;

	if (r->options.group && !has_groups(events))
		return events->nr - first;
	while (group && !r->options.no_group && first + nr < events->nr &&
	       events->items[first + nr]->group == group)
		nr++;
	return nr;
}

/* Append the table of event number *at and of those side by side with it, which *at skips. */
static struct error *report_add_table(const struct report_rendering *r, size_t *at,
				      struct strbuf *ret)
{
	const struct event_list *events = r->request.events;
	const struct event *first = events->items[*at];
	size_t nr = count_side_by_side(r, *at);
	_cleanup_free_ const struct histogram **items = calloc(nr, sizeof(*items));
	_cleanup_free_ const char **names = calloc(nr, sizeof(*names));
	bool is_leader = first->group && (!*at || events->items[*at - 1]->group != first->group);
	const struct report_events shown = {
		.items = items, .names = names, .nr = nr,
		.title = !first->group ? "" :
			 first->group_name ? first->group_name : "anon group",
		.of_group = is_leader && *at + 1 < events->nr &&
			    events->items[*at + 1]->group == first->group,
	};
	bool has_samples = false;

	if (!items || !names)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++) {
		items[i] = histograms_get(r->histograms, *at + i);
		names[i] = events->items[*at + i]->name;
		has_samples |= items[i] != NULL;
	}
	*at += nr;
	return has_samples ? histogram_text_add(&shown, &r->options, ret) : NULL;
}

static void report_add_head(const struct report_rendering *r, struct strbuf *ret)
{
	const struct report_options *options = &r->options;

	if (!options->after_header)
		strbuf_addf(ret, "# To display the perf.data header info, please use%s"
			    "--header/--header-only options.\n#\n",
			    options->columns && options->columns < 82 ? "\n# " : " ");
	histogram_text_add_only(&options->histogram, ret);
	strbuf_addf(ret, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
		    histograms_lost(r->histograms));
}

static struct error *report_output_print_report(struct rendering *rendering)
{
	struct report_rendering *r = container_of(rendering, struct report_rendering, rendering);
	const struct report_options *options = &r->options;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;

	err = histograms_sort(r->histograms);
	if (err)
		return err;
	if (!options->quiet)
		report_add_head(r, &text);
	for (size_t i = 0; i < r->request.events->nr && !err; )
		err = report_add_table(r, &i, &text);
	if (err)
		return err;
	if (options->threads)
		thread_counts_text_add(&r->thread_counts, options->raw_threads, &text);
	err = rendering_print(r->request.out, &text);
	if (!err)
		tell_cut_chains(r->histograms);
	return err;
}

static void destroy_report(struct rendering *rendering)
{
	struct report_rendering *r = container_of(rendering, struct report_rendering, rendering);

	histograms_destroy(r->histograms);
	thread_counts_deinit(&r->thread_counts);
	free(r);
}

static struct error *report_output_sample(struct session_consumer *consumer,
					  const struct session_record *r)
{
	struct report_rendering *self = container_of(consumer, struct report_rendering, consumer);
	struct session_consumer *next = histograms_consumer(self->histograms);

	return next->sample(next, r);
}

static struct error *report_output_other(struct session_consumer *consumer,
					 const struct session_record *r)
{
	struct report_rendering *self = container_of(consumer, struct report_rendering, consumer);
	struct session_consumer *next = histograms_consumer(self->histograms);
	struct error *err = thread_counts_add(&self->thread_counts, r);

	return err ? err : next->other(next, r);
}

static struct error *make_report_defaults(const struct event_list *events,
					  struct report_options *ret)
{
	struct error *err = call_graph_options_parse(&ret->histogram.graph, NULL);

	ret->histogram.max_stack = CALLCHAIN_DEPTH;
	ret->histogram.children = event_list_has(events, PERF_SAMPLE_CALLCHAIN);
	return err ? err : histogram_keys_parse(&ret->histogram, REPORT_DEFAULT_KEYS);
}

struct error *output_report_open(const struct rendering_request *request, struct rendering **ret)
{
	struct report_rendering *r = calloc(1, sizeof(*r));
	struct error *err = NULL;

	if (!r)
		return &error_no_memory;
	r->request = *request;
	if (request->report)
		r->options = *request->report;
	else
		err = make_report_defaults(request->events, &r->options);
	if (!err)
		err = histograms_create(&r->options.histogram, &r->histograms);
	if (err) {
		free(r);
		return err;
	}
	r->consumer = (struct session_consumer){
		.sample = report_output_sample, .other = report_output_other,
	};
	r->rendering = (struct rendering){
		.consumer = r->options.threads ? &r->consumer :
						 histograms_consumer(r->histograms),
		.finish = report_output_print_report, .destroy = destroy_report,
	};
	*ret = &r->rendering;
	return NULL;
}

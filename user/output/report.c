// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/histogram.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "output/histogram_text.h"
#include "output/rendering.h"
#include "record/header.h"

struct report_rendering {
	struct rendering rendering;
	struct rendering_request request;
	struct report_options options;
	struct histograms *histograms;
};

static void tell_cut_chains(const struct histograms *histograms)
{
	double percent;
	const struct dso *dso = chain_ends_find(histograms_chain_ends(histograms), &percent);

	if (dso)
		log_notice("%.0f %% of the call chains end in %s, which seems to be built without "
			   "frame pointers, so their callers are missing: record with "
			   "--call-graph dwarf.", percent, dso->short_name);
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
	if (header_has(r->request.header, FEATURE_BRANCH_STACK))
		log_notice("Samples are counted by where they are; the branches recorded with them "
			   "are not shown. 'perf report' counts these.");
	if (!options->after_header)
		strbuf_addf(&text, "# To display the perf.data header info, please use%s"
			    "--header/--header-only options.\n#\n",
			    options->columns && options->columns < 82 ? "\n# " : " ");
	histogram_text_add_only(&options->histogram, &text);
	strbuf_addf(&text, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
		    histograms_lost(r->histograms));
	for (size_t i = 0; i < r->request.events->nr; i++) {
		const struct histogram *histogram = histograms_get(r->histograms, i);

		if (histogram)
			histogram_text_add(histogram, options, &text);
	}
	err = rendering_print(r->request.out, &text);
	if (!err)
		tell_cut_chains(r->histograms);
	return err;
}

static void destroy_report(struct rendering *rendering)
{
	struct report_rendering *r = container_of(rendering, struct report_rendering, rendering);

	histograms_destroy(r->histograms);
	free(r);
}

static struct error *make_report_defaults(const struct event_list *events,
					  struct report_options *ret)
{
	struct error *err = call_graph_options_parse(&ret->histogram.graph, NULL);

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
	r->rendering = (struct rendering){
		.consumer = histograms_consumer(r->histograms),
		.finish = report_output_print_report, .destroy = destroy_report,
	};
	*ret = &r->rendering;
	return NULL;
}

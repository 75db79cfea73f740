// SPDX-License-Identifier: GPL-2.0
/*
 * A page that shows a recording in a browser: the files of user/page/, with the recording's profile
 * as JSON inside.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "lib/strbuf.h"
#include "output/page/page.h"
#include "output/rendering.h"
#include "table/profile/histogram_text.h"

struct page_rendering {
	struct rendering rendering;
	struct rendering_request request;
	struct session_consumer consumer;
	struct profiler *profiler;
	struct function_counts *counts;
	struct machine *machine;	/* the session's; NULL: no sample came */
};

/* In a page, only "<" could end the element that the JSON is in; it occurs in strings alone. */
static void print_json(FILE *out, const struct strbuf *json)
{
	const char *at = strbuf_str(json), *end = at + json->len;

	while (at < end) {
		size_t len = strcspn(at, "<");

		fwrite(at, 1, len, out);
		if (at + len < end)
			fputs("\\u003c", out);
		at += len + 1;
	}
}

static void tell_on_terminal(const struct profile *profile, const struct rendering_request *request)
{
	_cleanup_(strbuf) struct strbuf words = STRBUF_INIT;

	page_notes_add(&words, profile, request);
	if (words.len)
		log_notice("%s", strbuf_str(&words));
}

static struct error *print_page(struct rendering *rendering)
{
	struct page_rendering *r = container_of(rendering, struct page_rendering, rendering);
	const struct page_code code = { .counts = r->counts, .machine = r->machine };
	_cleanup_(strbuf) struct strbuf json = STRBUF_INIT;
	const char *mark = strstr(page_template, PAGE_MARK);
	const struct profile *profile;
	struct error *err = profiler_settle(r->profiler, &profile);

	if (!err)
		err = page_data_add(&json, profile, &code, &r->request);
	if (err)
		return err;
	fwrite(page_template, 1, mark - page_template, r->request.out);
	print_json(r->request.out, &json);
	fputs(mark + strlen(PAGE_MARK), r->request.out);
	tell_on_terminal(profile, &r->request);
	return NULL;
}

static struct error *take_page_sample(struct session_consumer *consumer,
				      const struct session_record *record)
{
	struct page_rendering *r = container_of(consumer, struct page_rendering, consumer);
	struct session_consumer *profiler = profiler_consumer(r->profiler);
	struct error *err = profiler->sample(profiler, record);

	r->machine = record->machine;
	return err || !record->event ? err : function_counts_add(r->counts, record);
}

static struct error *take_page_other(struct session_consumer *consumer,
				     const struct session_record *record)
{
	struct page_rendering *r = container_of(consumer, struct page_rendering, consumer);
	struct session_consumer *profiler = profiler_consumer(r->profiler);

	return profiler->other(profiler, record);
}

static struct error *finish_page_samples(struct session_consumer *consumer)
{
	struct page_rendering *r = container_of(consumer, struct page_rendering, consumer);
	struct session_consumer *profiler = profiler_consumer(r->profiler);

	return profiler->finish(profiler);
}

static void destroy_page(struct rendering *rendering)
{
	struct page_rendering *r = container_of(rendering, struct page_rendering, rendering);

	function_counts_destroy(r->counts);
	profiler_destroy(r->profiler);
	free(r);
}

struct error *output_html_open(const struct rendering_request *request, struct rendering **ret)
{
	struct page_rendering *r = calloc(1, sizeof(*r));
	struct profile_options options = {
		.states = true, .rows = true, .spread = true, .points = true,
	};
	struct error *err;

	if (!r)
		return &error_no_memory;
	r->request = *request;
	if (request->report)
		options.no_inline = request->report->histogram.no_inline;
	r->consumer = (struct session_consumer){
		.sample = take_page_sample, .other = take_page_other,
		.finish = finish_page_samples,
	};
	r->rendering = (struct rendering){
		.consumer = &r->consumer, .finish = print_page, .destroy = destroy_page,
	};
	err = profiler_create(&options, &r->profiler);
	if (!err)
		err = function_counts_create(&r->counts);
	if (err) {
		destroy_page(&r->rendering);
		return err;
	}
	*ret = &r->rendering;
	return NULL;
}

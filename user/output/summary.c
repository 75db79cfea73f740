// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "output/rendering.h"
#include "states/summary.h"

#define NSEC_PER_SEC	UINT64_C(1000000000)

struct summary_rendering {
	struct rendering rendering;
	FILE *out;
	struct summary *summary;
};

static int event_width(const struct summary_tables *tables)
{
	size_t width = 5;

	for (size_t i = 0; i < tables->nr_events; i++)
		if (strlen(tables->by_event[i].event->name) > width)
			width = strlen(tables->by_event[i].event->name);
	return width;
}

static void add_seconds(uint64_t time, struct strbuf *out)
{
	strbuf_addf(out, "%" PRIu64 ".%06" PRIu64, time / NSEC_PER_SEC,
		    time % NSEC_PER_SEC / 1000);
}

/* Append both tables; times in seconds. */
static void add_summary(const struct summary_tables *tables, struct strbuf *out)
{
	int width = event_width(tables);

	strbuf_addf(out, "# Samples: %" PRIu64 ", from ", tables->samples);
	add_seconds(tables->first_time, out);
	strbuf_addstr(out, " to ");
	add_seconds(tables->last_time, out);
	strbuf_addf(out, "\n#\n# %12s  Event\n", "Samples");
	for (size_t i = 0; i < tables->nr_events; i++)
		strbuf_addf(out, "%14" PRIu64 "  %s\n", tables->by_event[i].samples,
			    tables->by_event[i].event->name);
	strbuf_addf(out, "#\n# %12s  %-*s  %-16s    PID/TID\n", "Samples", width, "Event", "Comm");
	for (size_t i = 0; i < tables->nr_tasks; i++) {
		const struct summary_count *count = &tables->by_task[i];

		strbuf_addf(out, "%14" PRIu64 "  %-*s  %-16s  %5d/%d\n", count->samples, width,
			    count->event->name, count->text, count->pid, count->tid);
	}
}

static struct error *print_summary(struct rendering *rendering)
{
	struct summary_rendering *r = container_of(rendering, struct summary_rendering, rendering);
	_cleanup_(summary_tables) struct summary_tables tables = { 0 };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = summary_tables_make(r->summary, &tables);

	if (err)
		return err;
	add_summary(&tables, &text);
	return rendering_print(r->out, &text);
}

static void destroy_summary(struct rendering *rendering)
{
	struct summary_rendering *r = container_of(rendering, struct summary_rendering, rendering);

	summary_destroy(r->summary);
	free(r);
}

struct error *output_summary_open(const struct rendering_request *request, struct rendering **ret)
{
	struct summary_rendering *r = calloc(1, sizeof(*r));
	struct error *err;

	if (!r)
		return &error_no_memory;
	r->out = request->out;
	err = summary_create(&r->summary);
	if (err) {
		free(r);
		return err;
	}
	r->rendering = (struct rendering){
		.consumer = summary_consumer(r->summary), .finish = print_summary,
		.destroy = destroy_summary,
	};
	*ret = &r->rendering;
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "output/summary_text.h"

#include <inttypes.h>
#include <string.h>

#define NSEC_PER_SEC	UINT64_C(1000000000)

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

void summary_text_add(const struct summary_tables *tables, struct strbuf *out)
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

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "output/rendering.h"
#include "output/text/attr_text.h"
#include "perfdata/reader.h"
#include "terminal/options.h"

struct evlist_command {
	const char *input;
	bool force, frequency, group, trace_fields;
	int verbose;
};

static void add_trace_fields(struct strbuf *line, const struct event_format *format)
{
	bool any = false;

	if (!format) {
		strbuf_addstr(line, "(not a tracepoint)");
		return;
	}
	strbuf_addstr(line, "trace_fields: ");
	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		strbuf_addf(line, "%s%s", any ? "," : "", format->fields[i].name);
		any = true;
	}
}

static void add_event(const struct evlist_command *c, const struct formats *formats,
		      const struct event *event, struct strbuf *line)
{
	const struct event_format *format = event->attr.type == PERF_TYPE_TRACEPOINT ?
		formats_find(formats, event->attr.config) : NULL;

	strbuf_addstr(line, event->name);
	if (c->verbose)
		attr_text_add(line, &event->attr, ": ", ", ", ": ");
	else if (c->frequency)
		strbuf_addf(line, ": sample_%s=%" PRIu64, event->attr.freq ? "freq" : "period",
			    (uint64_t)event->attr.sample_period);
	if (c->trace_fields) {
		strbuf_addstr(line, c->verbose || c->frequency ? ", " : ": ");
		add_trace_fields(line, format);
	}
	strbuf_addch(line, '\n');
}

/* Append "{a,b}" for each group, and the names of all other events. */
static void evlist_add_groups(const struct event_list *events, struct strbuf *text)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];
		const struct event *next = i + 1 < events->nr ? events->items[i + 1] : NULL;
		bool first = !i || events->items[i - 1]->group != event->group;
		bool last = !next || next->group != event->group;

		if (!event->group)
			strbuf_addf(text, "%s\n", event->name);
		else
			strbuf_addf(text, "%s%s%s", first ? "{" : ",", event->name,
				    last ? "}\n" : "");
	}
}

static bool has_tracepoint(const struct event_list *events)
{
	return array_any(events, it, (*it)->attr.type == PERF_TYPE_TRACEPOINT);
}

static struct error *evlist_run(const struct evlist_command *c)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	_cleanup_(reader) struct reader *reader = NULL;
	const struct event_list *events;
	struct error *err;

	err = recording_open(c->input, &reader);
	if (!err)
		err = reader_read_header(reader);
	if (err)
		return err;
	events = reader_events(reader);
	if (c->group)
		evlist_add_groups(events, &text);
	for (size_t i = 0; i < events->nr && !c->group; i++)
		add_event(c, reader_formats(reader), events->items[i], &text);
	if (!c->trace_fields && has_tracepoint(events))
		strbuf_addstr(&text, "# Tip: use 'ktrace evlist --trace-fields' to show fields for "
			      "tracepoint events\n");
	err = rendering_print(stdout, &text);
	return err ? err : reader_take_failure(reader);
}

struct error *cmd_evlist(int argc, char **argv, int *ret_status)
{
	struct evlist_command c = { 0 };
	const struct option_spec options[] = {
		RECORDING_INPUT_OPTION(c.input),
		OPT_FLAG("freq", &c.frequency),
		OPT_COUNT("verbose", &c.verbose),
		OPT_FLAG("group", &c.group),
		OPT_FLAG("trace-fields", &c.trace_fields),
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "evlist",
		.synopsis = "[OPTIONS]",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (index < argc)
		return error_hint(error_new(EINVAL, "evlist takes no argument '%s'",
					    argv[index]),
				  "-i FILE names the recording");
	if (c.group && (c.verbose || c.frequency || c.trace_fields))
		return error_new(EINVAL, "evlist --group can only be combined with -i");
	return evlist_run(&c);
}

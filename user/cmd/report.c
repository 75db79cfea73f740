// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/selection_words.h"
#include "lib/log.h"
#include "lib/options.h"
#include "lib/terminal.h"
#include "output/histogram_text.h"
#include "output/rendering.h"
#include "perfdata/reader.h"
#include "session/selection.h"

struct report_command {
	const char *input, *keys, *limit, *graph;
	struct selection_words words;
	bool children, no_children, header_only, stdio, force;
	struct selection selection;
	struct cpumap cpus;
	struct symbol_options symbols;
	struct report_options report;
	struct reader *reader;
	struct machine *machine;
};

static struct error *parse_limit(const char *text, double *ret)
{
	char *end = NULL;

	*ret = text ? strtod(text, &end) : 0;
	if (text && (end == text || *end || *ret < 0 || *ret > 100))
		return error_new(EINVAL, "--percent-limit takes a number from 0 to 100, not '%s'",
				 text);
	return NULL;
}

static struct error *report_print_report(struct report_command *c)
{
	const struct rendering_request request = {
		.out = stdout, .events = reader_events(c->reader),
		.header = reader_header(c->reader), .report = &c->report,
	};
	_cleanup_(rendering) struct rendering *rendering = NULL;
	const struct output_format *format;
	struct error *err = output_format_find("report", &format);

	if (!err)
		err = output_format_open(format, &request, &rendering);
	return err ? err : recording_render(c->reader, c->machine, &c->selection, format,
					    rendering);
}

static struct error *run_report(struct report_command *c)
{
	struct histogram_options *histogram = &c->report.histogram;
	struct error *err;

	err = call_graph_options_parse(&histogram->graph, c->graph);
	if (!err)
		err = parse_limit(c->limit, &c->report.limit);
	if (!err && c->limit)
		histogram->graph.min_percent = c->report.limit;
	if (!err)
		err = histogram_keys_parse(histogram, c->keys ? c->keys : REPORT_DEFAULT_KEYS);
	if (!err)
		err = recording_open(c->input, &c->reader);
	if (!err)
		err = selection_words_parse(&c->words, reader_header(c->reader), &c->cpus,
					    &c->selection);
	if (!err && (c->report.after_header || c->header_only))
		err = recording_print_header(c->reader);
	if (err || c->header_only)
		return err ? err : reader_take_failure(c->reader);
	/*
	 * As in perf, callers are counted, too, if call chains were recorded.  In a pipe that
	 * is not known beforehand.
	 */
	histogram->children = !c->no_children &&
		(c->children || event_list_has(reader_events(c->reader), PERF_SAMPLE_CALLCHAIN));
	c->report.columns = terminal_columns();
	err = recording_machine(c->reader, &c->symbols, &c->machine);
	return err ? err : report_print_report(c);
}

/* A bare -g selects perf's default mode. */
static struct error *set_graph(void *data, const char *argument)
{
	struct report_command *c = data;

	c->graph = argument ? argument : "graph,0.5,caller";
	return NULL;
}

struct error *cmd_report(int argc, char **argv, int *ret_status)
{
	static const struct option_values values[] = {
		{ "sort", NULL, histogram_keys_add_names },
		{ "call-graph", "graph,fractal,none,caller,callee,percent,period,count", NULL },
		{ 0 },
	};
	struct report_command c = { 0 };
	const struct option_spec options[] = {
		{ OPTION_STRING, 'i', "input", "FILE", "read FILE, or - for a pipe (perf.data)",
		  &c.input, NULL },
		{ OPTION_STRING, 's', "sort", "KEYS",
		  "count samples together that are equal in these keys: comm,dso,sym,pid,cpu "
		  "(comm,dso,sym)",
		  &c.keys, NULL },
		{ OPTION_FLAG, 0, "children", NULL,
		  "also count what was called; the default where call chains were recorded",
		  &c.children, NULL },
		{ OPTION_FLAG, 0, "no-children", NULL, "count only where the samples were",
		  &c.no_children, NULL },
		{ OPTION_CALLBACK_NEXT, 'g', "call-graph", "[MODE]",
		  "draw call graphs: graph, fractal or none, least percentage, caller or callee "
		  "(graph,0.5,caller)",
		  &c, set_graph },
		{ OPTION_STRING, 0, "percent-limit", "PERCENT",
		  "leave out lines with a smaller percentage",
		  &c.limit, NULL },
		{ OPTION_STRING, 'c', "comms", "LIST", "only samples of threads with these names",
		  &c.report.histogram.comms, NULL },
		{ OPTION_STRING, 'd', "dsos", "LIST", "only samples in these binaries",
		  &c.report.histogram.dsos, NULL },
		{ OPTION_STRING, 'S', "symbols", "LIST", "only samples in these functions",
		  &c.report.histogram.symbols, NULL },
		SELECTION_WORDS_OPTIONS(c.words),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		{ OPTION_FLAG, 0, "header", NULL,
		  "first print the header of the recording: when, where and how it was made",
		  &c.report.after_header, NULL },
		{ OPTION_FLAG, 0, "header-only", NULL, "print the header of the recording alone",
		  &c.header_only, NULL },
		{ OPTION_FLAG, 0, "stdio", NULL,
		  "accepted as in perf, without effect: there is no other mode",
		  &c.stdio, NULL },
		{ OPTION_FLAG, 'q', "quiet", NULL, "print no messages but errors, and no progress",
		  &log_quiet, NULL },
		{ OPTION_FLAG, 'f', "force", NULL,
		  "accepted as in perf, without effect: owners do not matter",
		  &c.force, NULL },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "report",
		.synopsis = "[OPTIONS]",
		.options = options,
		.values = values,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (!err && index >= 0 && index < argc)
		err = error_hint(error_new(EINVAL, "report does not know what to do with '%s'",
					   argv[index]), "-i FILE names the recording");
	else if (!err && index >= 0)
		err = run_report(&c);
	selection_deinit(&c.selection);
	cpumap_deinit(&c.cpus);
	machine_destroy(c.machine);
	reader_close(c.reader);
	return err;
}

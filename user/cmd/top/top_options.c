// SPDX-License-Identifier: GPL-2.0
#include "cmd/top/top_options.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/choose.h"
#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/log.h"
#include "session/callchain.h"

/* perf's: where samples are, whoever runs there. */
#define TOP_DEFAULT_KEYS	"dso,sym"

/* perf's, in seconds. */
#define TOP_DEFAULT_DELAY	2

static struct error *top_parse_command_line(int argc, char **argv, struct top_options *o,
					    int *ret_index)
{
	struct record_options *r = &o->record;
	struct plan_options *p = &r->plan;
	struct target_options *t = &p->target;
	const struct option_spec options[] = {
		{ OPTION_CALLBACK, 'e', "event", "EVENT", "event to sample; 'ktrace list' lists them",
		  &r->specs, record_add_event },
		{ OPTION_CALLBACK, 0, "filter", "FILTER",
		  "sample only what matches; applies to the event before it",
		  &r->specs, record_add_filter },
		{ OPTION_FLAG, 'a', "all-cpus", NULL, "sample all tasks on all CPUs; the default",
		  &t->all_cpus, NULL },
		{ OPTION_STRING, 'C', "cpu", "LIST", "sample all tasks on these CPUs", &t->cpus, NULL },
		{ OPTION_STRING, 'p', "pid", "LIST", "sample these processes", &t->pids, NULL },
		{ OPTION_STRING, 't', "tid", "LIST", "sample these threads", &t->tids, NULL },
		{ OPTION_STRING, 'u', "uid", "USER", "sample the tasks of a user", &t->user, NULL },
		{ OPTION_FLAG, 'i', "no-inherit", NULL,
		  "do not sample the children that the tasks fork", &t->no_inherit, NULL },
		{ OPTION_UINT, 'c', "count", "N", "sample every Nth event", &p->period, NULL },
		{ OPTION_CALLBACK, 'F', "freq", "HZ",
		  "take about this many samples a second, or 'max'", &p->freq, record_parse_freq },
		{ OPTION_CALLBACK, 'm', "mmap-pages", "PAGES",
		  "pages of each CPU's ring, or its size as in 4M", &p->pages, record_parse_pages },
		{ OPTION_FLAG, 'g', NULL, NULL, "sample call chains, and count callers, too",
		  &p->callchain, NULL },
		{ OPTION_CALLBACK, 0, "call-graph", "MODE",
		  "the same, by frame pointers (fp), the stack (dwarf[,BYTES]) or branches (lbr)",
		  r, record_parse_call_graph },
		{ OPTION_FLAG, 0, "children", NULL,
		  "also count what was called; the default with call chains", &o->children, NULL },
		{ OPTION_FLAG, 0, "no-children", NULL, "count only where the samples were",
		  &o->no_children, NULL },
		{ OPTION_STRING, 's', "sort", "KEYS",
		  "count samples together that are equal in these keys: comm,dso,sym,pid,cpu "
		  "(dso,sym)", &o->keys, NULL },
		{ OPTION_FLAG, 'n', "show-nr-samples", NULL, "show how many samples an entry has",
		  &o->samples, NULL },
		{ OPTION_FLAG, 'K', "hide_kernel_symbols", NULL, "leave out the kernel",
		  &o->hide_kernel, NULL },
		{ OPTION_FLAG, 'U', "hide_user_symbols", NULL, "leave out user space",
		  &o->hide_user, NULL },
		{ OPTION_STRING, 0, "percent-limit", "PERCENT",
		  "leave out entries with a smaller percentage", &o->limit, NULL },
		{ OPTION_STRING, 0, "comms", "LIST", "only samples of threads with these names",
		  &o->report.histogram.comms, NULL },
		{ OPTION_STRING, 0, "dsos", "LIST", "only samples in these binaries",
		  &o->report.histogram.dsos, NULL },
		{ OPTION_STRING, 0, "symbols", "LIST", "only samples in these functions",
		  &o->report.histogram.symbols, NULL },
		{ OPTION_UINT, 'd', "delay", "SECONDS", "refresh every so many seconds (2)",
		  &o->delay, NULL },
		{ OPTION_FLAG, 'z', "zero", NULL, "begin each refresh at zero", &o->zero, NULL },
		{ OPTION_UINT, 'E', "entries", "N", "print this many lines (as many as fit)",
		  &o->entries, NULL },
		{ OPTION_FLAG, 0, "stdio", NULL, "print text instead of showing a browser",
		  &o->stdio, NULL },
		{ OPTION_FLAG, 0, "tui", NULL, "show a browser, which is usual on a terminal",
		  &o->tui, NULL },
		{ OPTION_STRING, 0, "via", "SOURCE", capture_choice_help(), &p->via, NULL },
		RECORDING_SYMBOL_OPTIONS(o->symbols),
		{ OPTION_FLAG, 'q', "quiet", NULL, "print no messages but errors", &log_quiet, NULL },
		{ OPTION_COUNT, 'v', "verbose", NULL, "print more", &log_verbosity, NULL },
		{ 0 },
	};
	static const struct option_values values[] = {
		{ .option = "sort", .add = histogram_keys_add_names },
		{ .option = "call-graph", .words = "fp,dwarf,lbr" },
		{ .option = "via", .add = capture_choice_add_names },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "top",
		.synopsis = "[OPTIONS]",
		.details = ", again and again",
		.options = options,
		.values = values,
	};
	struct error *err = command_parse(&usage, argc, argv, ret_index);

	return err || *ret_index < 0 ? err : options_no_argument(&usage, argc, argv, *ret_index);
}

static struct error *top_parse_limit(struct top_options *o)
{
	char *end;

	if (!o->limit)
		return NULL;
	o->report.limit = strtod(o->limit, &end);
	if (end == o->limit || *end || !(o->report.limit >= 0 && o->report.limit <= 100))
		return error_new(EINVAL, "--percent-limit takes a number from 0 to 100, not '%s'",
				 o->limit);
	return NULL;
}

struct error *top_options_parse(int argc, char **argv, struct top_options *o, int *ret_index)
{
	struct record_options *r = &o->record;
	struct target_options *target = &r->plan.target;
	struct histogram_options *histogram = &o->report.histogram;
	struct error *err;

	*o = (struct top_options){
		.record = { .plan = { .specs = &r->specs, .clockid = -1 } },
		.delay = TOP_DEFAULT_DELAY,
		.report.histogram.max_stack = CALLCHAIN_DEPTH,
	};
	err = top_parse_command_line(argc, argv, o, ret_index);
	if (err || *ret_index < 0)
		return err;
	if (!target->cpus && !target->pids && !target->tids && !target->user)
		target->all_cpus = true;
	r->plan.sample_cpu = true;
	if (!o->delay)
		return error_hint(error_new(EINVAL, "-d takes a number of seconds, not 0"),
				  "The browser also shows what was typed at once");
	err = call_graph_options_parse(&histogram->graph, r->plan.callchain ? NULL : "none");
	if (!err)
		err = top_parse_limit(o);
	if (!err)
		err = histogram_keys_parse(histogram, o->keys ? o->keys : TOP_DEFAULT_KEYS);
	histogram->children = r->plan.callchain && !o->no_children;
	return err;
}

void top_options_deinit(struct top_options *o)
{
	record_options_deinit(&o->record);
}

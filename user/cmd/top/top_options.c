// SPDX-License-Identifier: GPL-2.0
#include "cmd/top/top_options.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/choose.h"
#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/log.h"
#include "session/callchain.h"

/* perf's keys: where samples are, whichever task runs there. */
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
		OPT_CALL("event", &r->specs, record_add_event),
		OPT_CALL("filter", &r->specs, record_add_filter),
		OPT_FLAG("all-cpus", &t->all_cpus),
		OPT_STRING("cpu", &t->cpus),
		OPT_STRING("pid", &t->pids),
		OPT_STRING("tid", &t->tids),
		OPT_STRING("uid", &t->user),
		OPT_FLAG("no-inherit", &t->no_inherit),
		OPT_UINT("count", &p->period),
		OPT_CALL("freq", &p->freq, record_parse_freq),
		OPT_CALL("mmap-pages", &p->pages, record_parse_pages),
		OPT_FLAG(NULL, &o->chains, .letter = 'g'),
		OPT_CALL("call-graph", r, record_parse_call_graph),
		OPT_FLAG("children", &o->children),
		OPT_FLAG("no-children", &o->no_children),
		OPT_STRING("sort", &o->keys),
		OPT_FLAG("show-nr-samples", &o->samples),
		OPT_FLAG("hide_kernel_symbols", &o->hide_kernel),
		OPT_FLAG("hide_user_symbols", &o->hide_user),
		OPT_STRING("percent-limit", &o->limit),
		OPT_STRING("comms", &o->report.histogram.comms),
		OPT_STRING("dsos", &o->report.histogram.dsos),
		OPT_STRING("symbols", &o->report.histogram.symbols),
		OPT_UINT("delay", &o->delay),
		OPT_FLAG("zero", &o->zero),
		OPT_UINT("entries", &o->entries),
		OPT_FLAG("stdio", &o->stdio),
		OPT_FLAG("tui", &o->tui),
		OPT_STRING("via", &p->via, .help = capture_choice_help()),
		RECORDING_SYMBOL_OPTIONS(o->symbols),
		OPT_FLAG("quiet", &log_quiet),
		OPT_COUNT("verbose", &log_verbosity),
		{ 0 },
	};
	static const struct option_values values[] = {
		{ .option = "sort", .add = histogram_keys_add_names },
		{ .option = "call-graph", .words = "auto,fp,dwarf,lbr" },
		{ .option = "via", .add = capture_choice_add_names },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "top",
		.synopsis = "[OPTIONS]",
		.details = ", refreshed every two seconds",
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
				  "The browser also reacts to keys at once");
	/* -g: the chains shall be right, by the cheapest way. */
	if (o->chains && !r->plan.callchain)
		r->plan.callchain = r->plan.auto_callchain = true;
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

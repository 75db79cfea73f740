// SPDX-License-Identifier: GPL-2.0
#include "table/sched/timehist.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/sched/sched.h"
#include "cmd/sched/sched_window.h"
#include "lib/log.h"
#include "table/sched/timehist_text.h"
#include "terminal/pager.h"

struct timehist_command {
	struct subcommand_input *common;
	struct selection_words words;
	struct symbol_options symbols;
	bool chains, no_chains, summary_only, with_summary;
	struct timehist_options options;
	struct timehist_text_options text;
	struct cpumap prios;
	const char *prio_words;
	struct recording in;	/* its selection is that of the options */
	struct selection needed;	/* selection of the samples to read */
};

/*
 * The selection applies to the table alone: other tasks and CPUs are read, too, to know the states
 * of the tasks.  Only samples outside of a time can mostly be skipped, by an index.  The summary
 * has the migrations of the whole recording, as in perf.
 */
static struct error *timehist_narrow(struct timehist_command *c)
{
	if (!c->in.selection.times.nr || c->summary_only || c->with_summary || c->options.idle ||
	    reader_header(c->in.reader)->is_pipe)
		return NULL;
	return sched_window_find(c->common->input, &c->in.selection.times.items[0],
				 &c->needed.times);
}

static struct error *timehist_parse_prios(struct timehist_command *c)
{
	struct error *err = cpumap_parse(c->prio_words, &c->prios);

	if (err) {
		error_free(err);
		return error_hint(error_new(EINVAL, "'%s' is not a list of priorities",
					    c->prio_words),
				  "For example 0-99 for real-time tasks, or 120 for those of nice 0");
	}
	c->options.prios = &c->prios;
	return NULL;
}

static struct error *timehist_prepare(struct timehist_command *c)
{
	const struct header *header = reader_header(c->in.reader);
	struct selection *s = &c->in.selection;
	struct error *err = NULL;

	if (s->times.nr > 1)
		return error_new(EINVAL, "sched timehist shows one time, not %zu", s->times.nr);
	c->options.cpus = c->text.wanted = s->cpus;
	c->options.pids = &s->pids;
	c->options.tids = &s->tids;
	if (c->prio_words)
		err = timehist_parse_prios(c);
	if (err)
		return err;
	if (s->times.nr)
		c->options.time = s->times.items[0];
	c->text.out = stdout;
	c->text.idle = c->options.idle;
	c->text.cpus = header->nr_cpus_online ? header->nr_cpus_online : 4;
	c->text.lines = !c->summary_only;
	c->text.chains = !c->no_chains && !c->summary_only &&
			 (header->is_pipe || event_list_has(reader_events(c->in.reader),
							    PERF_SAMPLE_CALLCHAIN));
	if (c->chains && !c->text.chains && !c->summary_only)
		log_warning("The recording has no call chains: 'ktrace sched record -g' records "
			    "them.");
	return c->text.chains ? recording_machine(c->in.reader, &c->symbols, &c->in.machine) : NULL;
}

static struct error *timehist_read(struct timehist_command *c, struct timehist_text *text)
{
	_cleanup_(timehist) struct timehist *timehist = NULL;
	struct timehist_summary summary;
	struct error *err = NULL;

	pager_start();
	if (c->text.lines)
		err = timehist_text_begin(text);
	if (!err)
		err = timehist_create(&c->options, timehist_text_sink(text), &timehist);
	if (!err)
		err = recording_run(c->in.reader, c->in.machine, &c->needed,
				    timehist_consumer(timehist), c->text.lines, NULL);
	if (!err)
		err = timehist_text_flush(text);
	if (!err && timehist_unseen(timehist))
		log_warning("%" PRIu64 " times, a task stopped running without a recorded start. "
			    "Its run time then counts from the last recorded switch of its CPU, "
			    "although the task may have waited or slept. 'ktrace sched record' "
			    "records all CPUs.", timehist_unseen(timehist));
	if (err || !(c->summary_only || c->with_summary))
		return err;
	timehist_summary(timehist, &summary);
	return timehist_text_end(text, &summary);
}

static struct error *timehist_run(void *data)
{
	_cleanup_(timehist_text) struct timehist_text *text = NULL;
	struct timehist_command *c = data;
	struct error *err = NULL;

	if (c->summary_only && (c->text.wakeups || c->text.next))
		err = error_new(EINVAL, "sched timehist -s shows no lines, so -w and -n have no "
				"effect: -S shows both");
	if (!err)
		err = sched_open(&c->in, c->common, &c->words);
	if (!err)
		err = timehist_prepare(c);
	if (!err)
		err = timehist_narrow(c);
	if (!err)
		err = timehist_text_create(&c->text, &text);
	if (!err)
		err = timehist_read(c, text);
	if (err && ferror(stdout)) {
		/* main() reports it. */
		error_free(err);
		return NULL;
	}
	return err;
}

static void timehist_command_deinit(struct timehist_command *c)
{
	recording_end(&c->in);
	cpumap_deinit(&c->prios);
	selection_deinit(&c->needed);
}

struct error *sched_timehist(struct subcommand_call *call)
{
	struct timehist_command c = { .common = call->data, .text.depth = 5 };
	const struct option_spec options[] = {
		OPT_FLAG("wakeups", &c.text.wakeups),
		OPT_FLAG("migrations", &c.text.migrations),
		OPT_FLAG("next", &c.text.next),
		OPT_FLAG("cpu-visual", &c.text.picture),
		OPT_FLAG("state", &c.text.state),
		OPT_FLAG("show-prio", &c.text.prio),
		OPT_FLAG("idle-hist", &c.options.idle),
		OPT_FLAG("summary", &c.summary_only),
		OPT_FLAG("with-summary", &c.with_summary),
		OPT_FLAG("call-graph", &c.chains),
		OPT_FLAG("no-call-graph", &c.no_chains),
		OPT_UINT("max-stack", &c.text.depth),
		OPT_STRING("cpu", &c.words.cpus),
		OPT_STRING("pid", &c.words.pids),
		OPT_STRING("tid", &c.words.tids),
		OPT_STRING("prio", &c.prio_words),
		OPT_STRING("time", &c.words.times),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		SUBCOMMAND_INPUT_OPTIONS(c.common),
		{ 0 },
	};
	struct error *err;

	call->data = &c;
	err = subcommand_do(call, options, timehist_run);
	timehist_command_deinit(&c);
	return err;
}

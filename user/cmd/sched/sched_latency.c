// SPDX-License-Identifier: GPL-2.0
#include "states/known_events.h"
#include "table/sched/sched_latency.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/sched/sched.h"
#include "cmd/table_options.h"
#include "lib/log.h"
#include "output/rendering.h"
#include "table/sched/sched_latency_text.h"
#include "terminal/word_list.h"

static const char *const latency_key_names[LATENCY_KEYS] = {
	[LATENCY_BY_AVG] = "avg", [LATENCY_BY_MAX] = "max", [LATENCY_BY_SWITCH] = "switch",
	[LATENCY_BY_RUNTIME] = "runtime", [LATENCY_BY_PID] = "pid",
};

struct latency_command {
	struct subcommand_input *common;
	const char *sort;
	bool histogram;
	const char *steps;	/* NULL: those of powers of two */
	enum delay_steps steps_kind;
	struct selection_words words;
	struct sched_latency_options options;
	struct table_output output;
	struct cpumap cpus;
	struct recording in;
};

static struct error *latency_parse_keys(struct latency_command *c)
{
	return word_parse_list(WORDS(latency_key_names), "sched latency cannot sort by",
			       c->sort ? c->sort : "avg,max,switch,runtime", c->options.keys,
			       &c->options.nr_keys);
}

static struct error *latency_parse_steps(struct latency_command *c)
{
	static const char *const names[DELAY_STEP_KINDS] = {
		[DELAY_STEPS_LOG] = "log", [DELAY_STEPS_LINEAR] = "linear",
	};

	if (!c->steps)
		return NULL;
	c->histogram = true;
	return word_parse(WORDS(names), "--hist-mode does not know", c->steps, &c->steps_kind);
}

static void latency_tell_runtime(const struct event_list *events)
{
	if (!event_is_recorded(events, "sched", "sched_stat_runtime"))
		log_notice(LATENCY_TELLS_NO_RUNTIME);
}

static struct error *latency_print_steps(const struct sched_latency *latency,
					 enum delay_steps kind, const struct table_output *output)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct delay_step steps[DELAY_STEPS_NR];

	sched_delays_add(steps, sched_latency_steps(latency, kind, steps), output, &text);
	return rendering_print(stdout, &text);
}

static struct error *latency_print(const struct sched_latency *latency,
				   const struct table_output *output)
{
	_cleanup_(latency_table) struct latency_table table = { 0 };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = sched_latency_table(latency, &table);

	if (err)
		return err;
	sched_latency_add(&table, output, &text);
	return rendering_print(stdout, &text);
}

static struct error *latency_run(void *data)
{
	_cleanup_(sched_latency) struct sched_latency *latency = NULL;
	struct latency_command *c = data;
	struct error *err = latency_parse_keys(c);

	if (!err)
		err = latency_parse_steps(c);
	if (!err && c->words.cpus)
		err = cpumap_parse(c->words.cpus, &c->cpus);
	if (err)
		return err;
	c->options.cpus = c->words.cpus ? &c->cpus : NULL;
	/* All CPUs are read, because tasks are woken on others than where they run. */
	c->words.cpus = NULL;
	err = sched_open(&c->in, c->common, &c->words);
	if (!err)
		err = sched_latency_create(&c->options, &latency);
	if (!err)
		err = recording_sum_up(&c->in, sched_latency_consumer(latency), &c->output);
	if (err)
		return err;
	if (c->histogram)
		return latency_print_steps(latency, c->steps_kind, &c->output);
	latency_tell_runtime(reader_events(c->in.reader));
	return latency_print(latency, &c->output);
}

struct error *sched_latency(struct subcommand_call *call)
{
	struct latency_command c = { .common = call->data };
	const struct option_spec options[] = {
		OPT_STRING("sort", &c.sort),
		OPT_STRING("CPU", &c.words.cpus),
		OPT_FLAG("histogram", &c.histogram),
		OPT_STRING("hist-mode", &c.steps),
		OPT_FLAG("pids", &c.options.by_task),
		OPT_STRING("time", &c.words.times),
		TABLE_FORMAT_OPTIONS(&c.output),
		SUBCOMMAND_INPUT_OPTIONS(c.common),
		{ 0 },
	};
	struct error *err;

	call->data = &c;
	err = subcommand_do(call, options, latency_run);
	cpumap_deinit(&c.cpus);
	recording_end(&c.in);
	return err;
}

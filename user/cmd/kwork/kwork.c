// SPDX-License-Identifier: GPL-2.0
#include "table/kwork/kernel_works.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/subcommand.h"
#include "cmd/table_options.h"
#include "lib/array.h"
#include "output/rendering.h"
#include "states/known_events.h"
#include "table/kwork/cpu_shares.h"
#include "table/kwork/kwork_text.h"
#include "terminal/pager.h"
#include "terminal/word_list.h"

struct kwork_command {
	struct subcommand_input from;
	struct symbol_options symbols;
	struct selection_words words;
	struct kernel_works_options options;
	struct kwork_lines lines;
	const char *classes, *sort;
	bool summary;
	struct table_output output;
	enum work_key keys[WORK_KEYS];
	size_t nr_keys;
	struct recording in;
};

/* Switches, which top reads, are recorded as one more class. */
#define KWORK_SWITCHES	WORK_CLASSES
#define KWORK_RECORDED	(WORK_CLASSES + 1)

static const char *const kwork_classes[KWORK_RECORDED] = {
	[WORK_IRQ] = "irq", [WORK_SOFTIRQ] = "softirq", [WORK_QUEUED] = "workqueue",
	[KWORK_SWITCHES] = "sched",
};

static const struct subcommand_events kwork_events[KWORK_RECORDED] = {
	[WORK_IRQ] = { "irq", "irq_handler_entry irq_handler_exit", NULL, 0 },
	[WORK_SOFTIRQ] = { "irq", "softirq_raise softirq_entry softirq_exit", NULL, 0 },
	[WORK_QUEUED] = {
		"workqueue",
		"workqueue_activate_work workqueue_execute_start workqueue_execute_end", NULL, 0,
	},
	[KWORK_SWITCHES] = { "sched", "sched_switch", NULL, 0 },
};

static struct error *kwork_parse_classes(const struct word_table *classes, const char *list,
					 unsigned int *rows, size_t *nr)
{
	static const char unknown[] = "kwork does not know";

	*nr = 0;
	if (list && !list[strspn(list, ", ")])
		return word_unknown(classes, unknown, list);
	return word_parse_list(classes, unknown, list ? list : "irq,softirq,workqueue", rows, nr);
}

static struct error *kwork_set_classes(struct kwork_command *c)
{
	const struct word_table works = { kwork_classes, WORK_CLASSES, sizeof(*kwork_classes) };

	return kwork_parse_classes(&works, c->classes, c->options.classes, &c->options.nr_classes);
}

static struct error *kwork_set_keys(struct kwork_command *c)
{
	static const char *const times[WORK_KEYS] = {
		[WORK_TOTAL] = "runtime", [WORK_MAX] = "max", [WORK_COUNT] = "count",
		[WORK_ID] = "id",
	};
	static const char *const delays[WORK_KEYS] = {
		[WORK_AVG] = "avg", [WORK_MAX] = "max", [WORK_COUNT] = "count", [WORK_ID] = "id",
	};
	bool runtime = c->options.measure == WORK_RUNTIME;

	return word_parse_list(runtime ? WORDS(times) : WORDS(delays),
			       runtime ? "kwork report cannot sort by" :
			       "kwork latency cannot sort by", c->sort, c->keys, &c->nr_keys);
}

static struct error *kwork_check_events(void *data)
{
	const struct kwork_command *c = data;

	return kernel_works_check(&c->options, c->classes, reader_events(c->in.reader));
}

static struct error *kwork_begin(struct kwork_command *c)
{
	struct error *err = kwork_set_classes(c);

	c->in = (struct recording){ .check = kwork_check_events, .data = c };
	return err ? err : recording_begin(&c->in, c->from.input, &c->words, &c->symbols);
}

static struct error *kwork_show(void *data)
{
	struct kwork_command *c = data;
	_cleanup_(kernel_works) struct kernel_works *works = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = kwork_set_keys(c);

	if (!err)
		err = kwork_begin(c);
	if (!err)
		err = kernel_works_create(&c->options, &works);
	if (!err)
		err = recording_sum_up(&c->in, &works->consumer, &c->output);
	if (err)
		return err;
	kernel_works_sort(works, c->keys, c->nr_keys);
	kwork_table_add(works, c->summary, &c->output, &text);
	return rendering_print(stdout, &text);
}

static struct error *kwork_check_switches(void *data)
{
	const struct kwork_command *c = data;

	return needed_events_check(NEEDED_CPU_SHARES, reader_events(c->in.reader));
}

static struct error *kwork_show_shares(void *data)
{
	static const char *const names[CPU_SHARE_KEYS] = {
		[CPU_SHARE_RATE] = "rate", [CPU_SHARE_RUNTIME] = "runtime", [CPU_SHARE_TID] = "tid",
	};
	_cleanup_(cpu_share_table) struct cpu_share_table table = { 0 };
	_cleanup_(cpu_shares) struct cpu_shares *shares = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	enum cpu_share_key keys[CPU_SHARE_KEYS];
	struct kwork_command *c = data;
	size_t nr = 0;
	struct error *err = word_parse_list(WORDS(names), "kwork top cannot sort by", c->sort, keys,
					    &nr);

	if (err)
		return err;
	c->in = (struct recording){ .check = kwork_check_switches, .data = c };
	err = recording_begin(&c->in, c->from.input, &c->words, NULL);
	if (!err)
		err = cpu_shares_create(&shares);
	if (!err)
		err = recording_sum_up(&c->in, cpu_shares_consumer(shares), &c->output);
	if (!err)
		err = cpu_shares_make(shares, c->options.name, keys, nr, &table);
	if (err)
		return err;
	if (!cpu_shares_have_interrupts(reader_events(c->in.reader)))
		log_notice(CPU_SHARES_TELL_NO_INTERRUPTS);
	cpu_shares_add(&table, &c->output, &text);
	return rendering_print(stdout, &text);
}

static struct error *kwork_print(void *data)
{
	_cleanup_(kernel_works) struct kernel_works *works = NULL;
	struct kwork_command *c = data;
	struct recording *r = &c->in;
	struct error *err;

	if (c->lines.depth > CALLCHAIN_DEPTH - 2)
		return error_new(EINVAL, "--max-stack is at most %d", CALLCHAIN_DEPTH - 2);
	err = kwork_begin(c);
	if (!err && c->lines.chains && !reader_header(r->reader)->is_pipe &&
	    !event_list_has(reader_events(r->reader), PERF_SAMPLE_CALLCHAIN)) {
		log_warning("The recording has no call chains: 'ktrace kwork record -g' records "
			    "them.");
		c->lines.chains = false;
	}
	c->options.listener = &c->lines.listener;
	if (!err)
		err = kernel_works_create(&c->options, &works);
	if (err)
		return err;
	pager_start();
	kwork_lines_begin(&c->lines);
	return recording_run(r->reader, r->machine, &r->selection, &works->consumer, true, NULL);
}

/* Rows of option tables that several commands of kwork share. */
#define KWORK_READ_OPTIONS(c) \
	OPT_STRING("cpu", &(c)->words.cpus), \
	OPT_STRING("name", &(c)->options.name), \
	OPT_STRING("time", &(c)->words.times), \
	SUBCOMMAND_INPUT_OPTIONS(&(c)->from)
/* -k is --vmlinux for timehist, as in perf. */
#define KWORK_CLASS_OPTION(c) \
	OPT_STRING("kwork", &(c)->classes)
#define KWORK_TABLE_OPTIONS(c) \
	OPT_STRING("sort", &(c)->sort), \
	KWORK_CLASS_OPTION(c), \
	OPT_STRING("vmlinux", &(c)->symbols.vmlinux), \
	OPT_STRING("kallsyms", &(c)->symbols.kallsyms), \
	TABLE_FORMAT_OPTIONS(&(c)->output), \
	KWORK_READ_OPTIONS(c)

static struct error *kwork_report(struct subcommand_call *call)
{
	struct kwork_command *c = call->data;
	const struct option_spec options[] = {
		OPT_FLAG("with-summary", &c->summary),
		KWORK_TABLE_OPTIONS(c),
		{ 0 },
	};

	c->options.measure = WORK_RUNTIME;
	c->sort = "runtime,max,count";
	return subcommand_do(call, options, kwork_show);
}

static struct error *kwork_latency(struct subcommand_call *call)
{
	struct kwork_command *c = call->data;
	const struct option_spec options[] = {
		KWORK_TABLE_OPTIONS(c),
		{ 0 },
	};

	c->options.measure = WORK_LATENCY;
	c->sort = "avg,max,count";
	return subcommand_do(call, options, kwork_show);
}

static struct error *kwork_top(struct subcommand_call *call)
{
	struct kwork_command *c = call->data;
	const struct option_spec options[] = {
		OPT_STRING("sort", &c->sort),
		TABLE_FORMAT_OPTIONS(&c->output),
		KWORK_READ_OPTIONS(c),
		{ 0 },
	};

	c->sort = "rate,runtime";
	return subcommand_do(call, options, kwork_show_shares);
}

static struct error *kwork_timehist(struct subcommand_call *call)
{
	struct kwork_command *c = call->data;
	const struct option_spec options[] = {
		OPT_FLAG("call-graph", &c->lines.chains),
		OPT_UINT("max-stack", &c->lines.depth),
		KWORK_CLASS_OPTION(c),
		RECORDING_SYMBOL_OPTIONS(c->symbols),
		KWORK_READ_OPTIONS(c),
		{ 0 },
	};

	c->options.measure = WORK_BOTH;
	return subcommand_do(call, options, kwork_print);
}

static struct error *kwork_record(struct subcommand_call *call)
{
	static const char *const options[] = { "-a", "-m", "1024", "-c", "1", NULL };
	struct subcommand_events events[KWORK_RECORDED + 1] = { 0 };
	const struct kwork_command *c = call->data;
	unsigned int classes[KWORK_RECORDED];
	size_t nr = 0;
	struct error *err = kwork_parse_classes(WORDS(kwork_classes), c->classes, classes, &nr);

	for (size_t i = 0; i < nr; i++)
		events[i] = kwork_events[classes[i]];
	return err ? err : subcommand_record(call, options, events, 0);
}

static const struct subcommand kwork_commands[] = {
	SUBCOMMAND("record", "record interrupts, softirqs and works of workqueues", kwork_record),
	SUBCOMMAND("report", "sum up how long each interrupt, softirq and work ran", kwork_report),
	SUBCOMMAND("latency", "sum up how long softirqs and works waited to run", kwork_latency),
	SUBCOMMAND("timehist", "show each time that an interrupt, a softirq or a work ran", kwork_timehist),
	SUBCOMMAND("top", "show how the CPU time divides among tasks, interrupts and softirqs",
		   kwork_top),
	{ 0 },
};

struct error *cmd_kwork(int argc, char **argv, int *ret_status)
{
	struct kwork_command c = { .lines.depth = 5, .lines.out = stdout };
	const struct option_spec options[] = {
		KWORK_CLASS_OPTION(&c),
		SUBCOMMAND_INPUT_OPTIONS(&c.from),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "kwork", .options = options, .commands = kwork_commands,
	};
	struct error *err;

	kwork_lines_init(&c.lines);
	err = subcommands_run(&usage, &c, argc, argv, ret_status);
	kwork_lines_deinit(&c.lines);
	recording_end(&c.in);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "table/kwork/kernel_works.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/selection_words.h"
#include "cmd/subcommand.h"
#include "cmd/table_options.h"
#include "lib/array.h"
#include "output/rendering.h"
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
	struct cpumap cpus;
	struct selection selection;
	struct reader *reader;
	struct machine *machine;
};

static const char *const kwork_irqs[] = { "irq_handler_entry", "irq_handler_exit", NULL };
static const char *const kwork_softirqs[] = {
	"softirq_raise", "softirq_entry", "softirq_exit", NULL,
};
static const char *const kwork_workqueues[] = {
	"workqueue_activate_work", "workqueue_execute_start", "workqueue_execute_end", NULL,
};

static const struct {
	const char *name;
	struct subcommand_events events;	/* what is recorded of it */
} kwork_classes[WORK_CLASSES] = {
	[WORK_IRQ] = { "irq", { "irq", kwork_irqs, NULL } },
	[WORK_SOFTIRQ] = { "softirq", { "irq", kwork_softirqs, NULL } },
	[WORK_QUEUED] = { "workqueue", { "workqueue", kwork_workqueues, NULL } },
};

static struct error *kwork_add_class(void *data, const char *name)
{
	struct kwork_command *c = data;
	struct kernel_works_options *o = &c->options;

	for (size_t i = 0; i < WORK_CLASSES; i++) {
		if (strcmp(name, kwork_classes[i].name))
			continue;
		for (size_t k = 0; k < o->nr_classes; k++)
			if (o->classes[k] == i)
				return NULL;
		o->classes[o->nr_classes++] = i;
		return NULL;
	}
	return error_hint(error_new(EINVAL, "kwork does not know what '%s' is", name),
			  "There are irq, softirq and workqueue");
}

static struct error *kwork_set_classes(struct kwork_command *c)
{
	struct error *err;

	c->options.nr_classes = 0;
	err = word_list_each(c->classes ? c->classes : "irq,softirq,workqueue", ", ",
			     kwork_add_class, c);
	if (!err && !c->options.nr_classes)
		err = error_hint(error_new(EINVAL, "--kwork names nothing"),
				 "There are irq, softirq and workqueue");
	return err;
}

static struct error *kwork_add_key(void *data, const char *name)
{
	struct kwork_command *c = data;
	bool runtime = c->options.measure == WORK_RUNTIME;
	const struct {
		const char *name;
		enum work_key key;
	} keys[] = {
		{ runtime ? "runtime" : "avg", runtime ? WORK_TOTAL : WORK_AVG },
		{ "max", WORK_MAX }, { "count", WORK_COUNT }, { "id", WORK_ID },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(name, keys[i].name))
			continue;
		for (size_t k = 0; k < c->nr_keys; k++)
			if (c->keys[k] == keys[i].key)
				return NULL;
		c->keys[c->nr_keys++] = keys[i].key;
		return NULL;
	}
	return error_hint(error_new(EINVAL, "kwork %s cannot sort by '%s'",
				    runtime ? "report" : "latency", name),
			  "There are %s, max, count and id", keys[0].name);
}

static struct error *kwork_set_keys(struct kwork_command *c)
{
	return word_list_each(c->sort, ", ", kwork_add_key, c);
}

static struct error *kwork_open(struct kwork_command *c)
{
	struct error *err = recording_open(c->from.input, &c->reader);

	if (!err)
		err = reader_read_header(c->reader);
	/* The events of a pipe can come later. */
	if (err || reader_header(c->reader)->is_pipe)
		return err;
	return kernel_works_check(&c->options, c->classes, reader_events(c->reader));
}

static struct error *kwork_prepare(struct kwork_command *c)
{
	struct error *err = kwork_set_classes(c);

	if (!err)
		err = kwork_open(c);
	if (!err)
		err = selection_words_parse(&c->words, reader_header(c->reader), &c->cpus,
					    &c->selection);
	if (!err)
		err = recording_machine(c->reader, &c->symbols, &c->machine);
	return err;
}

static struct error *kwork_show(struct kwork_command *c)
{
	_cleanup_(kernel_works) struct kernel_works *works = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = kwork_set_keys(c);

	if (!err)
		err = kwork_prepare(c);
	if (!err)
		err = kernel_works_create(&c->options, &works);
	if (!err)
		err = recording_sum_up(c->reader, c->machine, &c->selection, &works->consumer,
				       &c->output);
	if (!err)
		err = kernel_works_check(&c->options, c->classes, reader_events(c->reader));
	if (err)
		return err;
	kernel_works_sort(works, c->keys, c->nr_keys);
	kwork_table_add(works, c->summary, &c->output, &text);
	return rendering_print(stdout, &text);
}

static struct error *kwork_print(struct kwork_command *c)
{
	_cleanup_(kernel_works) struct kernel_works *works = NULL;
	struct error *err = kwork_prepare(c);

	if (!err && c->lines.chains && !reader_header(c->reader)->is_pipe &&
	    !event_list_has(reader_events(c->reader), PERF_SAMPLE_CALLCHAIN)) {
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
	err = recording_run(c->reader, c->machine, &c->selection, &works->consumer, true, NULL);
	if (err && ferror(stdout)) {
		/* main() reports it. */
		error_free(err);
		return NULL;
	}
	return err;
}

/* Rows of option tables that several commands of kwork share. */
#define KWORK_READ_OPTIONS(c) \
	{ OPTION_STRING, 'C', "cpu", "LIST", "only what happens on these CPUs", \
	  &(c)->words.cpus, NULL }, \
	{ OPTION_STRING, 'n', "name", "NAME", "only what has this name", &(c)->options.name, \
	  NULL }, \
	{ OPTION_STRING, 0, "time", "START,STOP", \
	  "only this time: seconds, or 10%/2, or 0%-10%", &(c)->words.times, NULL }, \
	SUBCOMMAND_INPUT_OPTIONS(&(c)->from)
/* -k is --vmlinux for timehist, as in perf. */
#define KWORK_CLASS_OPTION(c, letter) \
	{ OPTION_STRING, letter, "kwork", "LIST", "only these of irq, softirq and workqueue", \
	  &(c)->classes, NULL }
#define KWORK_TABLE_OPTIONS(c) \
	{ OPTION_STRING, 's', "sort", "KEY[,KEY]", \
	  "sort by runtime (latency: avg), max, count, id", &(c)->sort, NULL }, \
	KWORK_CLASS_OPTION(c, 'k'), \
	{ OPTION_STRING, 0, "vmlinux", "FILE", "the symbols of the kernel are in this vmlinux", \
	  &(c)->symbols.vmlinux, NULL }, \
	{ OPTION_STRING, 0, "kallsyms", "FILE", \
	  "the symbols of the kernel are in this copy of /proc/kallsyms", \
	  &(c)->symbols.kallsyms, NULL }, \
	TABLE_FORMAT_OPTIONS(&(c)->output), \
	KWORK_READ_OPTIONS(c)

static struct error *kwork_report(struct kwork_command *c, int argc, char **argv)
{
	const struct option_spec options[] = {
		{ OPTION_FLAG, 'S', "with-summary", NULL, "show a summary below the table",
		  &c->summary, NULL },
		KWORK_TABLE_OPTIONS(c),
		{ 0 },
	};
	struct error *err;
	bool run;

	c->options.measure = WORK_RUNTIME;
	c->sort = "runtime,max,count";
	err = subcommand_parse("kwork", options, argc, argv, &run);
	return err || !run ? err : kwork_show(c);
}

static struct error *kwork_latency(struct kwork_command *c, int argc, char **argv)
{
	const struct option_spec options[] = {
		KWORK_TABLE_OPTIONS(c),
		{ 0 },
	};
	struct error *err;
	bool run;

	c->options.measure = WORK_LATENCY;
	c->sort = "avg,max,count";
	err = subcommand_parse("kwork", options, argc, argv, &run);
	return err || !run ? err : kwork_show(c);
}

static struct error *kwork_timehist(struct kwork_command *c, int argc, char **argv)
{
	const struct option_spec options[] = {
		{ OPTION_FLAG, 'g', "call-graph", NULL, "show call chains, if they were recorded",
		  &c->lines.chains, NULL },
		{ OPTION_UINT, 0, "max-stack", "N", "show at most N callers (5)", &c->lines.depth,
		  NULL },
		KWORK_CLASS_OPTION(c, 0),
		RECORDING_SYMBOL_OPTIONS(c->symbols),
		KWORK_READ_OPTIONS(c),
		{ 0 },
	};
	struct error *err;
	bool run;

	c->options.measure = WORK_BOTH;
	err = subcommand_parse("kwork", options, argc, argv, &run);
	if (!err && run && c->lines.depth > CALLCHAIN_DEPTH - 2)
		err = error_new(EINVAL, "--max-stack is at most %d", CALLCHAIN_DEPTH - 2);
	return err || !run ? err : kwork_print(c);
}

static struct error *kwork_record(struct kwork_command *c, char **argv, int *ret_status)
{
	static const char *const words[] = { "-a", "-m", "1024", "-c", "1", NULL };
	struct subcommand_events events[WORK_CLASSES + 1] = { 0 };
	struct error *err = kwork_set_classes(c);

	for (size_t i = 0; !err && i < c->options.nr_classes; i++)
		events[i] = kwork_classes[c->options.classes[i]].events;
	return err ? err : subcommand_record(words, events, argv, ret_status);
}

static struct error *kwork_run(struct kwork_command *c, int argc, char **argv, int *ret_status)
{
	static const char *const names[] = { "record", "report", "latency", "timehist", NULL };

	/* As in perf, the beginning of a name will do. */
	if (subcommand_is("record", argv[0]))
		return kwork_record(c, argv, ret_status);
	if (subcommand_is("report", argv[0]))
		return kwork_report(c, argc, argv);
	if (subcommand_is("latency", argv[0]))
		return kwork_latency(c, argc, argv);
	if (subcommand_is("timehist", argv[0]))
		return kwork_timehist(c, argc, argv);
	if (!strcmp(argv[0], "top"))
		return error_hint(error_new(ENOSYS, "ktrace kwork top is not built yet"),
				  "'ktrace kwork report' tells how long each work took");
	return subcommand_unknown("kwork", names, argv[0]);
}

struct error *cmd_kwork(int argc, char **argv, int *ret_status)
{
	struct kwork_command c = { .lines.depth = 5, .lines.out = stdout };
	const struct option_spec options[] = {
		KWORK_CLASS_OPTION(&c, 'k'),
		SUBCOMMAND_INPUT_OPTIONS(&c.from),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "kwork",
		.synopsis = "[OPTIONS] {record|report|latency|timehist} [OPTIONS]",
		.details = ". 'record' records interrupts, softirqs and works of workqueues, "
			   "'report' sums up how long they ran, 'latency' how long they waited to "
			   "run, and 'timehist' shows each of them. "
			   "'ktrace kwork report --help' prints the options of one of them",
		.options = options,
		.stop_at_argument = true,
	};
	struct error *err;
	bool run;

	err = subcommand_find("kwork", &usage, &argc, &argv, &run);
	if (err || !run)
		return err;
	kwork_lines_init(&c.lines);
	err = kwork_run(&c, argc, argv, ret_status);
	kwork_lines_deinit(&c.lines);
	machine_destroy(c.machine);
	reader_close(c.reader);
	cpumap_deinit(&c.cpus);
	selection_deinit(&c.selection);
	return err;
}

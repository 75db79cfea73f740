// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/compared_recording.h"
#include "cmd/recording.h"
#include "cmd/selection_words.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/number.h"
#include "profile/compare/comparison.h"
#include "table/diff/comparison_text.h"
#include "terminal/options.h"
#include "terminal/terminal.h"
#include "terminal/word_list.h"

#define DIFF_DEFAULT_KEYS	"dso,symbol"

struct diff_command {
	const char *keys, *compute, *order, *percentage;
	struct selection_words words;
	struct symbol_options symbols;
	bool no_verdict, force, modules, shares;
	struct comparison_options comparison;
	struct comparison_text_options text;
	struct comparison *result;
	ARRAY_OF(const char *) files;
	size_t first_group;	/* so many files are before "--"; 0: there is none */
};

/* Parse the values of perf's option: "delta", "wdiff:1,2". */
static struct error *parse_compute(struct diff_command *c)
{
	static const char *const words[] = {
		[COMPUTE_DELTA] = "delta", [COMPUTE_DELTA_ABS] = "delta-abs",
		[COMPUTE_RATIO] = "ratio", [COMPUTE_WDIFF] = "wdiff:W1,W2|wdiff",
	};
	const char *text = c->compute ? c->compute : "delta-abs";
	size_t len = strcspn(text, ":");
	_cleanup_free_ char *name = strndup(text, len);
	char *end = NULL;
	struct error *err;

	if (!strcmp(text, "cycles"))
		return error_hint(error_new(EINVAL, "-c cycles compares the cycles of basic blocks, which "
					    "ktrace does not count"),
				  "'perf diff -c cycles' does, for recordings of perf record -b");
	err = name ? word_parse(WORDS(words), "-c does not know", name, &c->text.compute) :
		     &error_no_memory;
	if (err || (c->text.compute != COMPUTE_WDIFF && !text[len]))
		return err;
	if (c->text.compute == COMPUTE_WDIFF && text[len]) {
		c->text.weights[0] = strtoll(text + len + 1, &end, 10);
		if (end && *end == ',')
			c->text.weights[1] = strtoll(end + 1, &end, 10);
	}
	if (c->text.compute == COMPUTE_WDIFF && end && !*end && c->text.weights[0] &&
	    c->text.weights[1])
		return NULL;
	return error_hint(error_new(EINVAL, "-c cannot parse '%s'", text),
			  "wdiff takes two weights: wdiff:1,2");
}

static struct error *parse_percentage(struct diff_command *c)
{
	if (!c->percentage || !strcmp(c->percentage, "absolute"))
		return NULL;
	if (strcmp(c->percentage, "relative"))
		return error_new(EINVAL, "--percentage takes absolute or relative, not '%s'",
				 c->percentage);
	c->comparison.relative = true;
	return NULL;
}

/* Use the files of the command line, or perf's defaults. */
static struct error *take_files(struct diff_command *c, char **argv, int argc)
{
	static const char *const defaults[] = { "perf.data.old", "perf.data" };

	if (argc < 2)
		for (int i = 0; i < 2; i++)
			if (!array_push(&c->files, i && argc ? argv[0] : defaults[i]))
				return &error_no_memory;
	for (int i = 0; argc >= 2 && i < argc; i++)
		if (!array_push(&c->files, argv[i]))
			return &error_no_memory;
	for (size_t i = 0; i < c->files.nr && argc < 2; i++)
		if (access(c->files.items[i], F_OK))
			return error_hint(error_errno(errno, "Cannot open %s", c->files.items[i]),
					  "'ktrace diff OLD NEW' compares two recordings; without names "
					  "they are perf.data.old and perf.data");
	return NULL;
}

/* Create the columns: one for each recording, or one for each group of runs. */
static struct error *diff_make_columns(struct diff_command *c, struct comparison_column *columns,
				       size_t *numbers)
{
	size_t nr = c->files.nr;

	for (size_t i = 0; i < nr; i++)
		numbers[i] = i;
	for (size_t i = 0; i < nr && !c->first_group; i++)
		columns[i] = (struct comparison_column){ { numbers + i, 1 }, c->files.items[i] };
	if (c->first_group) {
		columns[0].side = (struct comparison_side){ numbers, c->first_group };
		columns[1].side = (struct comparison_side){ numbers + c->first_group,
							    nr - c->first_group };
	}
	c->text.columns = columns;
	c->text.nr_columns = c->first_group ? 2 : nr;
	if (c->text.order >= c->text.nr_columns)
		return error_new(EINVAL, "-o takes the number of a recording, from 0 to %zu, not %u",
				 c->text.nr_columns - 1, c->text.order);
	return NULL;
}

static struct error *print_comparison(struct diff_command *c)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = NULL;
	bool first = true;

	for (size_t i = 0; i < comparison_nr(c->result) && !err; i++) {
		const struct comparison_event *event = comparison_event(c->result, i);

		if (!event->rows.nr)
			continue;
		if (!first)
			strbuf_addch(&text, '\n');
		first = false;
		err = comparison_text_add(event, &c->text, &text);
	}
	return err ? err : rendering_print(stdout, &text);
}

static struct error *run_diff(struct diff_command *c)
{
	_cleanup_free_ struct comparison_column *columns = calloc(c->files.nr, sizeof(*columns));
	_cleanup_free_ size_t *numbers = calloc(c->files.nr, sizeof(*numbers));
	const struct compared_recordings recordings = {
		.words = &c->words, .symbols = &c->symbols,
	};
	struct error *err = columns && numbers ? NULL : &error_no_memory;

	if (!err && c->shares && c->text.absolute)
		err = error_new(EINVAL, "diff takes --absolute or --shares, not both");
	if (!err)
		err = parse_compute(c);
	if (!err)
		err = parse_percentage(c);
	if (!err)
		err = comparison_keys_parse(&c->comparison, c->keys ? c->keys : DIFF_DEFAULT_KEYS);
	if (!err)
		err = diff_make_columns(c, columns, numbers);
	if (!err)
		err = comparison_create(&c->comparison, c->files.nr, &c->result);
	for (size_t i = 0; i < c->files.nr && !err; i++)
		err = compared_recording_read(&recordings, c->files.items[i], c->result, i);
	if (!err)
		err = compared_recordings_join(c->result);
	if (err)
		return err;
	if (!c->shares)
		c->text.absolute |= comparison_is_of_commands(c->result);
	c->text.comparison = &c->comparison;
	c->text.quiet = log_quiet;
	c->text.verdicts = !c->no_verdict;
	c->text.width = terminal_columns();
	return print_comparison(c);
}

/*
 * Find "--" between two groups of recordings: both sides of it have names, but options stand only
 * before it.
 */
static int find_groups(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return i;
	return argc;
}

static struct error *set_order(void *data, const char *argument)
{
	struct diff_command *c = data;
	unsigned long long order;

	if (!parse_u64(argument, &order) || order > 1000)
		return error_new(EINVAL, "-o takes the number of a recording, not '%s'", argument);
	c->text.order = order;
	return NULL;
}

static struct error *parse_and_run(struct diff_command *c, const struct command_usage *usage,
				   int argc, char **argv)
{
	int groups = find_groups(argc, argv), index;
	struct error *err;

	err = command_parse(usage, groups, argv, &index);
	if (err || index < 0)
		return err;
	if (index == groups && groups < argc) {
		err = take_files(c, argv + groups + 1, argc - groups - 1);
	} else if (groups < argc - 1) {
		/* Both groups exist; remove the "--" between the names. */
		c->first_group = groups - index;
		memmove(argv + groups, argv + groups + 1, (argc - groups) * sizeof(*argv));
		err = take_files(c, argv + index, argc - 1 - index);
	} else {
		err = take_files(c, argv + index, groups - index);
	}
	return err ? err : run_diff(c);
}

#define DIFF_FILTER_OPTIONS(c) \
	OPT_STRING("comms", &(c).comparison.comms), \
	OPT_STRING("dsos", &(c).comparison.dsos), \
	OPT_STRING("symbols", &(c).comparison.symbols), \
	OPT_STRING("cpu", &(c).words.cpus), \
	OPT_STRING("pid", &(c).words.pids), \
	OPT_STRING("tid", &(c).words.tids), \
	OPT_STRING("time", &(c).words.times), \
	OPT_STRING("percentage", &(c).percentage)

struct error *cmd_diff(int argc, char **argv, int *ret_status)
{
	static const struct option_values values[] = {
		{ .option = "sort", .add = comparison_keys_add_names },
		{ .option = "compute", .words = "delta,delta-abs,ratio,wdiff:1,2" },
		{ .option = "percentage", .words = "relative,absolute" },
		{ 0 },
	};
	struct diff_command c = { .text = { .order = 1, .difference.level = COMPARISON_LEVEL } };
	const struct option_spec options[] = {
		OPT_STRING("sort", &c.keys),
		OPT_STRING("compute", &c.compute),
		OPT_CALL("order", &c, set_order),
		OPT_FLAG("baseline-only", &c.text.baseline_only),
		OPT_FLAG("period", &c.text.periods),
		OPT_FLAG("formula", &c.text.formula),
		OPT_FLAG("no-verdict", &c.no_verdict),
		OPT_FLAG("absolute", &c.text.absolute),
		OPT_FLAG("shares", &c.shares),
		DIFF_FILTER_OPTIONS(c),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		OPT_STRING("field-separator", &c.text.separator),
		OPT_FLAG("quiet", &log_quiet),
		OPT_FLAG("modules", &c.modules),
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "diff", .synopsis = "[OPTIONS] [OLD] [NEW...] | OLD... -- NEW...",
		.options = options, .values = values,
	};
	struct error *err = parse_and_run(&c, &usage, argc, argv);

	comparison_destroy(c.result);
	free(c.files.items);
	return err;
}

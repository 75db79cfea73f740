// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check.h"
#include "cmd/command.h"
#include "cmd/record_options.h"
#include "cmd/table_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/coverage_file.h"
#include "check/finding.h"
#include "check/lint/class_layout.h"
#include "check/lint/lint.h"
#include "check/report/report.h"
#include "check/results_file.h"
#include "check/source_places.h"
#include "format/format_files.h"
#include "lib/ending.h"
#include "lib/library.h"
#include "lib/log.h"
#include "lib/number.h"
#include "terminal/options.h"
#include "terminal/words.h"

struct check {
	const char *folder;	/* --format-dir */
	const char *btf;	/* --btf */
	const char *source;	/* --source */
	const char *module;	/* --module */
	const char *expect, *input;	/* --expect, -i */
	const char *merge;	/* --merge */
	struct action_list actions;	/* --action, --action-rate */
	struct monitor_options monitor;	/* --monitor, --dot (of --learn, too) ... */
	struct words kept;	/* --results */
	bool compare, cost;	/* --compare, --cost */
	bool learn;		/* --learn */
	const char *output;	/* -o */
	const char *pages_text;	/* -m */
	unsigned int pages;
	bool pages_given;
	char **command;		/* after "--"; NULL: none */
	struct class_layout *layout;
	struct coverage_file *coverage;
	bool list_rules;
	const struct report_format *report;
	struct results results;
};

static struct error *add_suppressed(void *data, const char *argument)
{
	struct check *check = data;

	return suppressed_add(&check->results.suppressed, argument);
}

static struct error *add_results(void *data, const char *argument)
{
	struct check *check = data;

	words_add(&check->kept, argument);
	return check->kept.failed ? &error_no_memory : NULL;
}

static struct error *set_pages(void *data, const char *argument)
{
	struct check *check = data;

	check->pages_text = argument;
	check->pages_given = true;
	return record_parse_pages(&check->pages, argument);
}

static struct error *add_action(void *data, const char *argument)
{
	return action_add(data, argument);
}

static struct error *set_action_rate(void *data, const char *argument)
{
	struct action_list *actions = data;
	unsigned long long rate;

	if (!parse_u64(argument, &rate) || !rate || rate > ACTION_RATE_MAX)
		return error_new(EINVAL, "'%s' is no rate of actions: --action-rate is 1 to %d in a "
				 "second", argument, ACTION_RATE_MAX);
	actions->max_rate = rate;
	return NULL;
}

#define REPORT_OPTION(format)						\
	static struct error *choose_##format(void *data, const char *argument) \
	{								\
		struct check *check = data;				\
									\
		(void)argument;						\
		for (check->report = report_formats; check->report->name; check->report++) \
			if (!strcmp(check->report->name, #format))	\
				break;					\
		return NULL;						\
	}

REPORT_OPTION(ktap)
REPORT_OPTION(junit)
REPORT_OPTION(sarif)
REPORT_OPTION(json)

static struct error *ask_json(void *data, const char *argument)
{
	struct check *check = data;

	check->monitor.output.format = TABLE_AS_JSON;
	return choose_json(data, argument);
}

static struct error *lint_all(struct check *check, char *const *globs)
{
	_cleanup_(format_files) struct format_files files = { 0 };
	struct error *err;

	err = format_files_read(check->folder, globs, &files);
	for (size_t i = 0; !err && i < files.nr; i++) {
		const struct format_file *f = &files.items[i];
		struct result *result = results_add(&check->results, f->system, f->name, f->path,
						    f->text, f->len);

		err = result ? lint(&check->results, result, check->layout) : &error_no_memory;
	}
	return !err && check->results.failed ? &error_no_memory : err;
}

/* Open the BTF.  For a folder only the BTF on the command line is used.  A kernel may have none. */
static struct error *open_layout(struct check *check)
{
	struct error *err;

	if (check->folder && !check->btf)
		return NULL;
	err = class_layout_open(check->btf, &check->layout);
	if (!err || check->btf || (err->code != ENOENT && err->code != ENOTSUP))
		return err;
	library_notice(LIBRARY_BPF);
	log_debug("%s: layouts are not compared.", err->message);
	error_free(err);
	return NULL;
}

/* Cut the command after "--" off the command line.  Returns the number of arguments left. */
static int take_command(struct check *check, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		argv[i] = NULL;
		check->command = argv + i + 1;
		return i;
	}
	return argc;
}

static struct error *check_learn_usage(const struct check *check, char **files)
{
	if (!check->learn)
		return check->output ? error_new(EINVAL, "-o belongs to --learn") : NULL;
	if (check->input || check->command)
		return error_hint(error_new(EINVAL, "check --learn takes recordings as arguments, "
					    "neither -i nor a command"),
				  "As in 'ktrace check --learn good1.data good2.data good3.data'");
	if (check->folder || check->module || check->btf || check->source)
		return error_new(EINVAL, "check --learn reads recordings only, so it cannot be used "
				 "with --format-dir, --module, --btf and --source");
	if (!files[0])
		return error_hint(error_new(EINVAL, "check --learn needs recordings of good runs"),
				  "As in 'ktrace check --learn good1.data good2.data good3.data'");
	return NULL;
}

static struct error *check_usage(const struct check *check)
{
	if (check->kept.nr && (check->module || check->btf || check->expect || check->merge ||
			       check->compare || check->cost || check->command ||
			       check->monitor.models || check->learn))
		return error_hint(error_new(EINVAL, "check --results prints findings of earlier "
					    "checks, and checks nothing"),
				  "It goes with --format-dir, --source, --suppress and an output");
	if (check->folder && check->module)
		return error_new(EINVAL, "check --module needs the formats of this kernel, so it "
				 "cannot be used with --format-dir");
	if (check->input && check->command)
		return error_new(EINVAL, "check takes a recording (-i) or a command, not both");
	if (check->input && !check->expect && !check->monitor.models)
		return error_hint(error_new(EINVAL, "check has no expectations for the recording"),
				  "Name it with --expect=sched,irq,block,syscalls or a Python "
				  "file, or name a model with --monitor");
	if (check->command && check->folder)
		return error_new(EINVAL, "check cannot run a command for the events of another "
				 "kernel");
	if ((check->compare || check->cost) && !check->command)
		return error_hint(error_new(EINVAL, "check --compare and --cost need a command"),
				  "As in 'ktrace check --compare mydrv -- ./test'");
	if (check->compare + check->cost + (check->merge != NULL) + (check->expect != NULL) +
	    check->learn > 1)
		return error_new(EINVAL, "check takes one of --compare, --cost, --merge, --expect and "
				 "--learn");
	if (check->monitor.models &&
	    (check->compare || check->cost || check->merge || check->expect || check->learn))
		return error_new(EINVAL, "check takes --monitor alone, not with --compare, --cost, --merge, "
				 "--expect or --learn");
	if (check->monitor.all_tasks && !check->monitor.models)
		return error_new(EINVAL, "-a belongs to --monitor");
	if (check->monitor.models && !strcmp(check->monitor.models, "list") &&
	    (check->command || check->monitor.all_tasks))
		return error_new(EINVAL, "check --monitor=list judges nothing, so it takes no command");
	if (check->monitor.all_tasks && check->input)
		return error_new(EINVAL, "check takes a recording (-i) or judges all tasks (-a), not both");
	if (check->actions.max_rate && !check->actions.nr)
		return error_new(EINVAL, "--action-rate limits actions, and no --action was given");
	if (check->actions.nr && (!check->monitor.models || check->monitor.dot ||
				  (!check->command && !check->monitor.all_tasks)))
		return error_hint(error_new(EINVAL, "--action belongs to --monitor with a command or -a, "
					    "since only live events have actions"),
				  "As in 'ktrace check --monitor stall -a --action=stop'");
	if (!check->monitor.models && (check->monitor.counts ||
				       check->monitor.output.format == TABLE_AS_CSV))
		return error_new(EINVAL, "--counts and --csv belong to --monitor");
	if (!check->monitor.models && !check->learn && !check->expect && check->monitor.dot)
		return error_new(EINVAL, "--dot belongs to --expect, --monitor and --learn");
	if (check->expect && check->report != report_formats && strcmp(check->report->name, "ktap"))
		return error_hint(error_new(EINVAL, "check --expect prints KTAP, not --%s",
					    check->report->name),
				  "'ktrace lab --expect' writes JUnit and SARIF into files");
	if (check->expect && check->monitor.dot && (check->input || check->command))
		return error_new(EINVAL, "check --expect --dot writes machines, and judges nothing");
	if (check->command && !check->command[0])
		return error_new(EINVAL, "The command is missing behind '--'");
	if (check->pages_given && !check->compare && !check->cost &&
	    !(check->expect && check->command))
		return error_new(EINVAL, "check -m is the size of the rings of --compare, of --cost, and "
				 "of --expect with a command");
	return NULL;
}

static struct error *open_coverage(struct check *check)
{
	struct error *err = coverage_file_open(check->merge, &check->coverage);

	if (err || check->command || coverage_file_events(check->coverage)[0])
		return err;
	return error_hint(error_new(ENOENT, "%s has no events yet", check->merge),
			  "Put a command behind '--': it is the first run");
}

/* Use the events that are named, else those of the module, else those in the files of --merge. */
static char *const *choose_events(const struct check *check, const struct check_module *module,
				  char **globs)
{
	if (globs[0])
		return globs;
	if (check->module)
		return module->file.items;
	return check->coverage && !check->command ? coverage_file_events(check->coverage) : globs;
}

/* Read the findings of earlier checks as the results of this one. */
static struct error *read_kept(struct check *check)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < check->kept.nr; i++)
		err = results_file_read(check->kept.items[i], check->folder, &check->results);
	if (!err && check->source && check->results.nr)
		err = source_places_find(check->source, &check->results);
	return !err && check->results.failed ? &error_no_memory : err;
}

static struct error *look(struct check *check, char **globs)
{
	_cleanup_(check_module) struct check_module module = { 0 };
	struct error *err = NULL;

	if (check->module)
		err = check_module_open(check->module, &module);
	if (!err && check->merge)
		err = open_coverage(check);
	if (!err)
		err = open_layout(check);
	if (!err)
		err = lint_all(check, choose_events(check, &module, globs));
	if (!err && check->source)
		err = source_places_find(check->source, &check->results);
	if (!err && check->compare)
		err = check_compare_run(&check->results, check->command, check->pages_text,
					check->pages * (sysconf(_SC_PAGESIZE) / 1024));
	else if (!err && check->cost)
		err = check_cost_run(&check->results, check->command, check->pages_text);
	else if (!err && (check->command || check->coverage))
		err = check_coverage_run(&check->results, check->command, check->coverage);
	if (!err && check->results.failed)
		err = &error_no_memory;
	return err;
}

static struct error *check_run(struct check *check, char **globs, int *ret_status)
{
	struct error *err;

	if (check->monitor.models) {
		check->monitor.input = check->input;
		check->monitor.command = check->command;
		err = check_monitor_run(&check->monitor, ret_status);
		if (err) {
			error_report(err);
			*ret_status = CHECK_NOT_CHECKED;
		}
		return NULL;
	}
	if (check->learn) {
		err = check_learn_exec(globs, check->output, check->monitor.dot);
	} else if (check->kept.nr) {
		err = read_kept(check);
	} else if (check->expect) {
		err = check_expect_exec(check->expect, check->input,
					check->pages_given ? check->pages_text : NULL,
					check->monitor.dot, check->command);
	} else {
		/*
		 * On a signal, a module, a tracefs instance or a folder may have to be
		 * removed first.
		 */
		ending_begin();
		err = look(check, globs);
		ending_finish();
	}
	if (!err)
		err = check->report->print(stdout, &check->results);
	if (err) {
		error_report(err);
		*ret_status = CHECK_NOT_CHECKED;
		return NULL;
	}
	*ret_status = results_count(&check->results) ? CHECK_FINDINGS : 0;
	return NULL;
}

struct error *cmd_check(int argc, char **argv, int *ret_status)
{
	struct check check = {
		.report = report_formats, .pages_text = "4M", .monitor.actions = &check.actions,
	};
	const struct option_spec options[] = {
		OPT_STRING("format-dir", &check.folder),
		OPT_STRING("module", &check.module),
		OPT_STRING("btf", &check.btf),
		OPT_STRING("source", &check.source),
		OPT_STRING("expect", &check.expect),
		OPT_STRING("monitor", &check.monitor.models),
		OPT_STRING("dot", &check.monitor.dot),
		OPT_CALL("action", &check.actions, add_action),
		OPT_CALL("action-rate", &check.actions, set_action_rate),
		OPT_FLAG("counts", &check.monitor.counts),
		OPT_FLAG("all-cpus", &check.monitor.all_tasks),
		OPT_STRING("input", &check.input),
		OPT_FLAG("learn", &check.learn),
		OPT_STRING("output", &check.output),
		OPT_FLAG("compare", &check.compare),
		OPT_FLAG("cost", &check.cost),
		OPT_CALL("mmap-pages", &check, set_pages),
		OPT_STRING("merge", &check.merge),
		OPT_CALL("results", &check, add_results),
		OPT_CALL("suppress", &check, add_suppressed),
		OPT_FLAG("rules", &check.list_rules),
		OPT_CALL("ktap", &check, choose_ktap),
		OPT_CALL("junit", &check, choose_junit),
		OPT_CALL("sarif", &check, choose_sarif),
		OPT_CALL("json", &check, ask_json),
		OPT_CALL("csv", &check.monitor.output, table_ask_csv),
		{ 0 },
	};
	static const struct option_values values[] = {
		{ .option = "expect", .words = "sched,irq,block,syscalls" },
		{ .option = "monitor", .add = check_monitor_add_names },
		{ .option = "suppress", .add = rules_add_names },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "check",
		.synopsis = "[OPTIONS] [EVENT...] [-- COMMAND...] | --expect=LIST [-i FILE | --dot DIR | -- COMMAND...] | "
			    "--monitor=LIST [-i FILE | [-a] [-- COMMAND...]] | --learn FILE... [-o FILE] [--dot DIR]",
		.details = "; EVENT is a name or glob as in "
			   "'sched:*', or a system",
		.options = options,
		.values = values,
	};
	struct error *err;
	int index;

	argc = take_command(&check, argc, argv);
	err = record_parse_pages(&check.pages, check.pages_text);
	if (!err)
		err = command_parse(&usage, argc, argv, &index);
	if (!err && index >= 0 && check.list_rules)
		err = options_no_argument(&usage, argc, argv, index);
	if (!err && index >= 0 && index < argc && !strcmp(argv[index], "feature"))
		err = error_hint(error_new(EINVAL, "check looks for mistakes in tracepoints; 'perf "
					   "check feature' prints the features of perf's build"),
				 "'ktrace doctor' prints the abilities of ktrace on this machine");
	if (!err && index >= 0 && check.kept.nr)
		err = options_no_argument(&usage, argc, argv, index);
	if (!err && index >= 0)
		err = check_learn_usage(&check, argv + index);
	if (!err && index >= 0)
		err = check_usage(&check);
	if (!err && check.list_rules && index >= 0)
		report_rules(stdout);
	else if (!err && index >= 0)
		err = check_run(&check, argv + index, ret_status);
	coverage_file_close(check.coverage);
	class_layout_close(check.layout);
	results_deinit(&check.results);
	words_deinit(&check.kept);
	action_list_deinit(&check.actions);
	return err;
}

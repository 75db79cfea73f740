// SPDX-License-Identifier: GPL-2.0
/* The command line of a lab, which scripts/lab/engine carries out. */
#include "cmd/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/own_path.h"
#include "terminal/options.h"
#include "terminal/words.h"

#define STATUS_NOT_TRIED 2

/* Scripts of Python are installed as files to read, so that packages need no Python for them. */
#define LAB_PYTHON "/usr/bin/python3"

struct lab {
	struct words words;		/* for the engine */
	const char *module, *modules, *expect, *schema, *junit, *sarif, *html, *output;
	const char *make, *base, *patched, *kunit, *kselftest;
	unsigned int timeout;		/* s; 0: as scripts/guest has it */
	unsigned int nr_events;
	bool cost, ktap;
	const char *good, *bad;		/* of bisect; NULL: not given */
	char **workload;		/* after "--"; NULL: none */
};

#define LIST_OPTION(name)						\
	static struct error *lab_add_##name(void *data, const char *argument) \
	{								\
		struct lab *lab = data;					\
									\
		words_add_option(&lab->words, "--" #name, argument);	\
		lab->nr_events += !strcmp(#name, "event");		\
		return NULL;						\
	}

LIST_OPTION(kernel)
LIST_OPTION(event)
LIST_OPTION(see)

/* Cut the workload after "--" off the command line.  Returns the number of arguments left. */
static int lab_take_workload(struct lab *lab, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		argv[i] = NULL;
		lab->workload = argv + i + 1;
		return i;
	}
	return argc;
}

/* The only arguments are those of bisect. */
static struct error *lab_take_commits(struct lab *lab, const struct command_usage *usage, int argc,
				      char **argv, int index)
{
	if (index == argc || strcmp(argv[index], "bisect"))
		return options_no_argument(usage, argc, argv, index);
	if (argc - index != 3)
		return error_hint(error_new(EINVAL, "lab bisect takes two commits"),
				  "As in 'ktrace lab bisect v1.0 HEAD --module=. -- ./test'");
	lab->good = argv[index + 1];
	lab->bad = argv[index + 2];
	return NULL;
}

static struct error *lab_usage(const struct lab *lab)
{
	bool has_workload = lab->workload || lab->kunit || lab->kselftest;

	if (lab->workload && !lab->workload[0])
		return error_new(EINVAL, "The workload is missing behind '--'");
	if (!!lab->workload + !!lab->kunit + !!lab->kselftest > 1)
		return error_hint(error_new(EINVAL, "lab has one workload"),
				  "It is a command behind '--', --kunit or --kselftest");
	if (!lab->base != !lab->patched)
		return error_hint(error_new(EINVAL, "lab compares two sides"),
				  "Name both: --base=A --patched=B");
	if (lab->good && (!lab->module || lab->base || lab->schema || lab->junit || lab->sarif))
		return error_hint(error_new(EINVAL, "lab bisect compares commits of a module's folder"),
				  "It takes --module=DIR, and neither --base, --schema, --junit nor "
				  "--sarif");
	if (lab->base && lab->schema)
		return error_new(EINVAL, "lab takes either --schema or --base and --patched");
	if (!lab->module && !lab->nr_events && !lab->base)
		return error_hint(error_new(EINVAL, "lab needs a module or events to test"),
				  "Name a module or its folder (--module=DIR), or events of the "
				  "kernel (--event=sched)");
	if ((lab->expect || lab->cost) && !has_workload)
		return error_hint(error_new(EINVAL, "lab --expect and --cost need a workload"),
				  "As in 'ktrace lab --module=mydrv --cost -- ./test'");
	return NULL;
}

/* Becomes the engine: returns only if that fails. */
static struct error *lab_run_engine(struct lab *lab, char **ret_engine)
{
	const char *missing = lab->module && access(lab->module, F_OK) ? lab->module :
		lab->kselftest && access(lab->kselftest, F_OK) ? lab->kselftest :
		lab->schema && access(lab->schema, F_OK) ? lab->schema : NULL;
	char self[PATH_MAX], timeout[16];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct words *words = &lab->words, all = { 0 };
	struct error *err;
	char **argv;

	if (missing)
		return error_new(ENOENT, "There is no %s", missing);
	if (len < 0)
		return error_errno(errno, "Cannot find this program by /proc/self/exe");
	self[len] = '\0';
	if (asprintf(ret_engine, "%s/scripts/lab/engine", own_path()) < 0)
		return &error_no_memory;
	words_add(&all, LAB_PYTHON);
	words_add(&all, *ret_engine);
	words_add_option(&all, "--tool", self);
	words_add_all(&all, words_argv(words));
	words_add_option(&all, "--module", lab->module);
	words_add_option(&all, "--make", lab->make);
	words_add_option(&all, "--modules", lab->modules);
	words_add_option(&all, "--expect", lab->expect);
	words_add_option(&all, "--schema", lab->schema);
	words_add_option(&all, "--junit", lab->junit);
	words_add_option(&all, "--sarif", lab->sarif);
	words_add_option(&all, "--kunit", lab->kunit);
	words_add_option(&all, "--kselftest", lab->kselftest);
	words_add_option(&all, "--html", lab->html);
	words_add_option(&all, "--output", lab->output);
	words_add_option(&all, "--good", lab->good);
	words_add_option(&all, "--bad", lab->bad);
	words_add_option(&all, "--base", lab->base);
	words_add_option(&all, "--patched", lab->patched);
	snprintf(timeout, sizeof(timeout), "%u", lab->timeout);
	words_add_option(&all, "--timeout", lab->timeout ? timeout : NULL);
	if (lab->cost)
		words_add(&all, "--cost");
	if (lab->ktap)
		words_add(&all, "--ktap");
	words_add(&all, "--");
	words_add_all(&all, lab->workload);
	argv = words_argv(&all);
	if (!argv)
		return &error_no_memory;
	execv(LAB_PYTHON, argv);
	err = error_hint(error_errno(errno, "Cannot run " LAB_PYTHON),
			 "Labs are run by Python: apt-get install python3");
	words_deinit(&all);
	return err;
}

struct error *cmd_lab(int argc, char **argv, int *ret_status)
{
	struct lab lab = { 0 };
	const struct option_spec options[] = {
		OPT_CALL("kernel", &lab, lab_add_kernel),
		OPT_STRING("module", &lab.module),
		OPT_STRING("make", &lab.make),
		OPT_CALL("event", &lab, lab_add_event),
		OPT_CALL("see", &lab, lab_add_see),
		OPT_STRING("modules", &lab.modules),
		OPT_UINT("timeout", &lab.timeout),
		OPT_STRING("kunit", &lab.kunit),
		OPT_STRING("kselftest", &lab.kselftest),
		OPT_STRING("expect", &lab.expect),
		OPT_STRING("schema", &lab.schema),
		OPT_FLAG("cost", &lab.cost),
		OPT_STRING("base", &lab.base),
		OPT_STRING("patched", &lab.patched),
		OPT_FLAG("ktap", &lab.ktap),
		OPT_STRING("junit", &lab.junit),
		OPT_STRING("sarif", &lab.sarif),
		OPT_STRING("html", &lab.html),
		OPT_STRING("output", &lab.output),
		{ 0 },
	};
	static const struct option_values values[] = {
		{ .option = "expect", .words = "sched,irq,block,syscalls" },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "lab",
		.synopsis = "[OPTIONS] --module=PATH [-- WORKLOAD...] | --event=EVENT [-- WORKLOAD...] | "
			    "bisect GOOD BAD [OPTIONS] --module=DIR [-- WORKLOAD...]",
		.options = options,
		.values = values,
	};
	_cleanup_free_ char *engine = NULL;
	struct error *err;
	int index;

	argc = lab_take_workload(&lab, argc, argv);
	err = command_parse(&usage, argc, argv, &index);
	if (!err && index >= 0)
		err = lab_take_commits(&lab, &usage, argc, argv, index);
	if (!err && index >= 0)
		err = lab_usage(&lab);
	if (!err && index >= 0) {
		error_report(lab_run_engine(&lab, &engine));
		*ret_status = STATUS_NOT_TRIED;
	}
	words_deinit(&lab.words);
	return err;
}

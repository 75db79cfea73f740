// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/scratch_folder.h"
#include "cmd/test/test_source.h"
#include "cmd/test/test_workload.h"
#include "lib/strbuf.h"
#include "terminal/options.h"

struct test_command {
	bool list;
	const char *workload;
	char **patterns;	/* ended by NULL; none: all tests */
	unsigned int passed, failed, skipped;
};

/* Whether a test has this number or name, or the word in its name. */
static bool test_matches(const char *pattern, size_t number, const char *name)
{
	if (pattern[strspn(pattern, "0123456789")] == '\0')
		return *pattern && strtoul(pattern, NULL, 10) == number + 1;
	return !fnmatch(pattern, name, 0) || strstr(name, pattern);
}

static bool test_is_chosen(const struct test_command *c, size_t number, const char *name)
{
	if (!*c->patterns)
		return true;
	for (char **pattern = c->patterns; *pattern; pattern++)
		if (test_matches(*pattern, number, name))
			return true;
	return false;
}

/* Call @each, if it is not NULL, for the tests that are chosen; returns how many these are. */
static struct error *test_each(struct test_command *c, size_t *ret_nr,
			       struct error *(*each)(struct test_command *c, size_t number,
						     size_t position, const char *name, void *data),
			       void *data)
{
	const struct test_source *source;
	struct error *err = NULL;

	*ret_nr = 0;
	for (size_t i = 0; (source = test_source_at(i)) && !err; i++) {
		_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

		test_source_add_name(source, &name);
		if (name.failed)
			return &error_no_memory;
		if (!test_is_chosen(c, i, name.data))
			continue;
		++*ret_nr;
		if (each)
			err = each(c, i, *ret_nr, name.data, data);
	}
	return err;
}

static struct error *test_print_name(struct test_command *c, size_t number, size_t position,
				     const char *name, void *data)
{
	(void)c, (void)position, (void)data;
	printf("%3zu: %s\n", number + 1, name);
	return NULL;
}

static struct error *test_run_one(struct test_command *c, size_t number, size_t position,
				  const char *name, void *data)
{
	_cleanup_(test_report) struct test_report report = { .failed = false };
	const struct held_folder *folder = data;
	struct error *err;

	fflush(stdout);
	err = test_source_run(test_source_at(number), folder->path, &report);
	if (!err && (report.text.failed || report.skipped.failed))
		err = &error_no_memory;
	if (err)
		return err;
	if (report.skipped.len) {
		printf("ok %zu %s # SKIP %s\n", position, name, report.skipped.data);
		c->skipped++;
		return NULL;
	}
	printf("    KTAP version 1\n    # Subtest: %s\n%s%sok %zu %s\n", name,
	       strbuf_str(&report.text), report.failed ? "not " : "", position, name);
	if (report.failed)
		c->failed++;
	else
		c->passed++;
	return NULL;
}

static struct error *test_run_all(struct test_command *c, size_t nr)
{
	struct held_folder folder = HELD_FOLDER_INIT;
	struct error *err = scratch_folder_create(&folder, "ktrace-test");

	if (!err) {
		printf("KTAP version 1\n1..%zu\n", nr);
		err = test_each(c, &nr, test_run_one, &folder);
	}
	scratch_folder_destroy(&folder);
	if (!err)
		printf("# Totals: pass:%u fail:%u skip:%u\n", c->passed, c->failed, c->skipped);
	return err;
}

static struct error *test_do(struct test_command *c)
{
	struct error *err;
	size_t nr;

	if (c->workload)
		return test_workload_run(c->workload);
	/* As in perf, the word is the same as the option. */
	if (*c->patterns && !strcmp(*c->patterns, "list")) {
		c->patterns++;
		c->list = true;
	}
	err = test_each(c, &nr, c->list ? test_print_name : NULL, NULL);
	if (!err && !nr)
		err = error_hint(error_new(EINVAL, "No test has '%s' in its name", *c->patterns),
				 "'ktrace test --list' lists them");
	return err || c->list ? err : test_run_all(c, nr);
}

static const struct option_values values[] = {
	{ "workload", NULL, test_workload_add_names, NULL },
	{ 0 },
};

struct error *cmd_test(int argc, char **argv, int *ret_status)
{
	struct test_command c = { .list = false };
	const struct option_spec options[] = {
		OPT_FLAG("list", &c.list),
		OPT_STRING("workload", &c.workload),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "test",
		.synopsis = "[OPTIONS] [PATTERN]...",
		.options = options,
		.values = values,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	c.patterns = argv + index;
	err = test_do(&c);
	*ret_status = c.failed ? EXIT_FAILURE : 0;
	return err;
}

// SPDX-License-Identifier: GPL-2.0
/* ktrace mem: which accesses to memory took long, with the options of perf. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/mem_events.h"
#include "cmd/subcommand.h"
#include "terminal/word_list.h"
#include "terminal/words.h"

struct mem_command {
	struct subcommand_input from;
	const char *cpus, *separator;
	const char *types;		/* of -t; NULL: both */
	bool physical, page_size, unresolved;
	enum mem_access accesses[MEM_ACCESSES];
	size_t nr_accesses;
};

static const char *const mem_names[MEM_ACCESSES] = {
	[MEM_LOADS] = "load", [MEM_STORES] = "store",
};

static struct error *mem_parse_types(struct mem_command *c)
{
	c->nr_accesses = 0;
	return word_parse_list(WORDS(mem_names), "mem does not know", c->types ? c->types :
			       "load,store", c->accesses, &c->nr_accesses);
}

static bool mem_has(const struct mem_command *c, enum mem_access access)
{
	for (size_t i = 0; i < c->nr_accesses; i++)
		if (c->accesses[i] == access)
			return true;
	return false;
}

/*
 * Remove the options of mem from the arguments behind the name of its command.  All other options
 * belong to the command that runs.
 */
static struct error *mem_take_options(struct mem_command *c, char **argv, struct words *rest)
{
	for (; *argv; argv++) {
		if (!strcmp(*argv, "--")) {
			words_add_all(rest, argv);
			break;
		}
		if (!strcmp(*argv, "-p") || !strcmp(*argv, "--phys-data")) {
			c->physical = true;
		} else if (!strcmp(*argv, "--data-page-size")) {
			c->page_size = true;
		} else if (!strncmp(*argv, "--type=", 7)) {
			c->types = *argv + 7;
		} else if (!strcmp(*argv, "-t") || !strcmp(*argv, "--type")) {
			if (!argv[1])
				return error_new(EINVAL, "%s needs load, store or both", *argv);
			c->types = *++argv;
		} else {
			words_add(rest, *argv);
		}
	}
	return mem_parse_types(c);
}

/* Stores have no weight, so that theirs is not shown. */
static void mem_add_keys(const struct mem_command *c, struct words *words)
{
	const char *keys = mem_has(c, MEM_LOADS) ?
		"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked" :
		"mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked";

	if (mem_has(c, MEM_LOADS) && !c->physical && !c->page_size)
		return;
	words_add(words, "-s");
	words_addf(words, "%s%s%s", keys, c->physical ? ",phys_daddr" : "",
		   c->page_size ? ",data_page_size" : "");
}

static struct error *mem_report(struct subcommand_call *call)
{
	_cleanup_(words) struct words words = { 0 }, rest = { 0 };
	struct mem_command *c = call->data;
	struct error *err = mem_take_options(c, call->argv + 1, &rest);

	if (err)
		return err;
	words_add(&words, "report");
	words_add(&words, "--mem-mode");
	words_add(&words, "-n");
	mem_add_keys(c, &words);
	words_add_option(&words, "-i", c->from.input);
	words_add_option(&words, "-C", c->cpus);
	words_add_option(&words, "-t", c->separator);
	if (c->unresolved)
		words_add(&words, "-U");
	words_add_all(&words, words_argv(&rest));
	return rest.failed ? &error_no_memory : command_call(&words, call->ret_status);
}

static bool mem_asks_for_help(const struct subcommand_call *call)
{
	return call->argc > 1 && (!strcmp(call->argv[1], "-h") || !strcmp(call->argv[1], "--help") ||
				  !strcmp(call->argv[1], "--list-options"));
}

static struct error *mem_record(struct subcommand_call *call)
{
	_cleanup_(words) struct words words = { 0 }, rest = { 0 };
	struct mem_command *c = call->data;
	struct error *err = mem_take_options(c, call->argv + 1, &rest);

	if (err)
		return err;
	words_add(&words, "record");
	words_add(&words, "-W");
	words_add(&words, "-d");
	if (c->physical)
		words_add(&words, "--phys-data");
	if (c->page_size)
		words_add(&words, "--data-page-size");
	if (!mem_asks_for_help(call))
		err = mem_events_add(&words, c->accesses, c->nr_accesses, MEM_LATENCY, "mem");
	if (err)
		return err;
	words_add_option(&words, "-C", c->cpus);
	words_add_all(&words, words_argv(&rest));
	return rest.failed ? &error_no_memory : command_call(&words, call->ret_status);
}

static const struct subcommand mem_commands[] = {
	SUBCOMMAND("record", "record which accesses to memory took long", mem_record),
	SUBCOMMAND("report", "show accesses to memory: the address, the code and the source of the "
		   "data", mem_report),
	{ 0 },
};

struct error *cmd_mem(int argc, char **argv, int *ret_status)
{
	struct mem_command c = { 0 };
	const struct option_spec options[] = {
		OPT_STRING("type", &c.types),
		OPT_FLAG("phys-data", &c.physical),
		OPT_FLAG("data-page-size", &c.page_size),
		OPT_FLAG("hide-unresolved", &c.unresolved),
		OPT_STRING("cpu", &c.cpus),
		OPT_STRING("field-separator", &c.separator),
		SUBCOMMAND_INPUT_OPTIONS(&c.from),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "mem", .options = options, .commands = mem_commands,
	};

	return subcommands_run(&usage, &c, argc, argv, ret_status);
}

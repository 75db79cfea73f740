// SPDX-License-Identifier: GPL-2.0
/* ktrace c2c: which cache lines CPUs take from each other, with the options and tables of perf. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/mem_events.h"
#include "cmd/subcommand.h"
#include "cmd/table_options.h"
#include "lib/number.h"
#include "output/rendering.h"
#include "table/c2c/cache_line_text.h"
#include "terminal/word_list.h"

#define DOUBLE_LINE	128	/* bytes: two lines that processors prefetch together */

struct c2c_command {
	struct subcommand_input from;
	struct symbol_options symbols;
	struct selection_words words;
	struct cache_line_options options;
	struct table_output output;
	const char *display, *keys;
	bool stats, lines, accesses, full_symbols, no_source, double_line, stdio;
	int nodes;
	struct recording in;
};

static const char *const c2c_displays[] = {
	[LINES_BY_TOTAL] = "tot", [LINES_BY_LOCAL] = "lcl", [LINES_BY_REMOTE] = "rmt",
	[LINES_BY_PEER] = "peer",
};

static const char *const c2c_keys[ACCESS_KEYS] = {
	[ACCESS_BY_CODE] = "iaddr", [ACCESS_BY_PID] = "pid", [ACCESS_BY_TID] = "tid",
	[ACCESS_BY_DSO] = "dso",
};

static struct error *c2c_check(void *data)
{
	const struct c2c_command *c = data;

	return cache_lines_check(reader_events(c->in.reader));
}

static struct error *c2c_set_options(struct c2c_command *c)
{
	struct cache_line_options *options = &c->options;
	struct error *err = NULL;

	options->size = c->double_line ? DOUBLE_LINE : cache_line_defaults.size;
	options->sources = !c->no_source;
	options->keys = cache_line_defaults.keys;
	if (c->keys) {
		options->keys.nr = 0;
		err = word_parse_list(WORDS(c2c_keys), "c2c cannot join accesses by", c->keys,
				      options->keys.items, &options->keys.nr);
	}
	if (!err && c->display)
		err = word_parse(WORDS(c2c_displays), "c2c does not know the display", c->display,
				 &options->display);
	if (!err && c->stats + c->lines + c->accesses > 1)
		err = error_new(EINVAL, "--stats, --lines and --accesses are different tables: choose "
				"one");
	return err;
}

static void c2c_add(const struct c2c_command *c, const struct cache_line_text *text,
		    struct strbuf *out)
{
	bool all = c->output.format == TABLE_AS_TEXT && !c->stats && !c->lines && !c->accesses;

	if (c->stats || all)
		access_totals_add(text, &c->output, out);
	if (all)
		strbuf_addch(out, '\n');
	if (!c->stats && !c->accesses)
		cache_lines_add(text, &c->output, out);
	if (all)
		strbuf_addch(out, '\n');
	if (c->accesses || all)
		line_accesses_add(text, &c->output, out);
}

static struct error *c2c_show(void *data)
{
	_cleanup_(cache_lines) struct cache_lines *lines = NULL;
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	struct c2c_command *c = data;
	struct cache_line_text text = {
		.nodes = c->nodes > NODE_CPUS ? NODE_CPUS : c->nodes,
		.full_symbols = c->full_symbols,
	};
	struct error *err = c2c_set_options(c);

	if (err)
		return err;
	c->in = (struct recording){ .check = c2c_check, .data = c };
	err = recording_begin(&c->in, c->from.input, &c->words, &c->symbols);
	if (!err)
		err = cache_lines_create(&c->options, reader_header(c->in.reader), &lines);
	if (!err)
		err = recording_sum_up(&c->in, &lines->consumer, &c->output);
	if (!err)
		err = cache_lines_sort(lines);
	if (err)
		return err;
	text.lines = lines;
	text.events = reader_events(c->in.reader);
	c2c_add(c, &text, &out);
	return rendering_print(stdout, &out);
}

static struct error *c2c_report(struct subcommand_call *call)
{
	struct c2c_command *c = call->data;
	const struct option_spec options[] = {
		OPT_STRING("display", &c->display),
		OPT_STRING("coalesce", &c->keys),
		OPT_COUNT("node-info", &c->nodes),
		OPT_FLAG("stats", &c->stats),
		OPT_FLAG("lines", &c->lines),
		OPT_FLAG("accesses", &c->accesses),
		OPT_FLAG("show-all", &c->options.show_all),
		OPT_FLAG("double-cl", &c->double_line),
		OPT_FLAG("full-symbols", &c->full_symbols),
		OPT_FLAG("no-source", &c->no_source),
		OPT_FLAG("stdio", &c->stdio),
		OPT_STRING("time", &c->words.times),
		TABLE_FORMAT_OPTIONS(&c->output),
		RECORDING_SYMBOL_OPTIONS(c->symbols),
		SUBCOMMAND_INPUT_OPTIONS(&c->from),
		{ 0 },
	};

	return subcommand_do(call, options, c2c_show);
}

static bool c2c_is(const char *word, const char *letter, const char *name)
{
	return !strcmp(word, letter) || !strcmp(word, name);
}

/* Remove the options of c2c record; all other ones, and those behind --, are options of record. */
static struct error *c2c_take_options(char **argv, unsigned int *ret_latency, struct words *rest)
{
	for (; *argv; argv++) {
		const char *latency = !strncmp(*argv, "--ldlat=", 8) ? *argv + 8 : NULL;
		unsigned long long number;

		if (!strcmp(*argv, "--")) {
			words_add_all(rest, argv + 1);
			return NULL;
		}
		if (c2c_is(*argv, "-u", "--all-user")) {
			words_add(rest, "--all-user");
			continue;
		}
		if (c2c_is(*argv, "-k", "--all-kernel")) {
			words_add(rest, "--all-kernel");
			continue;
		}
		if (c2c_is(*argv, "-e", "--event") || !strncmp(*argv, "--event=", 8))
			return error_hint(error_new(EINVAL, "c2c record chooses the events itself: "
						    "loads and stores"),
					  "'ktrace record -W -d --phys-data -e EVENT' records others");
		if (c2c_is(*argv, "-l", "--ldlat"))
			latency = argv[1] ? *++argv : "";
		if (!latency) {
			words_add(rest, *argv);
			continue;
		}
		if (!parse_u64(latency, &number) || !number || number > UINT16_MAX)
			return error_new(EINVAL, "--ldlat needs a latency from 1 to %u cycles, not "
					 "'%s'", UINT16_MAX, latency);
		*ret_latency = number;
	}
	return NULL;
}

static struct error *c2c_record(struct subcommand_call *call)
{
	static const enum mem_access both[] = { MEM_LOADS, MEM_STORES };
	static const char *const options[] = { "-W", "-d", "--phys-data", "--sample-cpu" };
	_cleanup_(words) struct words words = { 0 }, rest = { 0 };
	const char *first = call->argc > 1 ? call->argv[1] : "";
	unsigned int latency = MEM_LATENCY;
	struct error *err = c2c_take_options(call->argv + 1, &latency, &rest);

	if (err)
		return err;
	words_add(&words, "record");
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		words_add(&words, options[i]);
	if (!c2c_is(first, "-h", "--help") && strcmp(first, "--list-options"))
		err = mem_events_add(&words, both, ARRAY_SIZE(both), latency, "c2c");
	if (err)
		return err;
	words_add_all(&words, words_argv(&rest));
	return rest.failed ? &error_no_memory : command_call(&words, call->ret_status);
}

static const struct subcommand c2c_commands[] = {
	SUBCOMMAND("record", "record accesses to memory, with the source of their data", c2c_record),
	SUBCOMMAND("report", "show the cache lines that CPUs take from each other, and the code "
		   "that accesses them", c2c_report),
	{ 0 },
};

struct error *cmd_c2c(int argc, char **argv, int *ret_status)
{
	struct c2c_command c = { 0 };
	const struct option_spec options[] = {
		OPT_COUNT("verbose", &log_verbosity),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "c2c", .options = options, .commands = c2c_commands,
	};
	struct error *err = subcommands_run(&usage, &c, argc, argv, ret_status);

	recording_end(&c.in);
	return err;
}

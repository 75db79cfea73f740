// SPDX-License-Identifier: GPL-2.0
#include "table/tables.h"

#include <stdio.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/table_options.h"
#include "lib/log.h"
#include "output/rendering.h"
#include "terminal/options.h"

struct table_command {
	const char *input;
	struct symbol_options symbols;
	struct selection_words words;
	struct table_output output;
	const struct table_provider *provider;
	struct recording in;
};

static struct error *table_list(void)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	for (const struct table_row *row = tables_of_topics; row->name; row++)
		strbuf_addf(&text, "  %-20s  %s\n", row->name, row->help);
	return rendering_print(stdout, &text);
}

static struct error *table_check_recorded(void *data)
{
	const struct table_command *c = data;

	return c->provider->check(c->provider, reader_events(c->in.reader));
}

static struct error *table_show(struct table_command *c)
{
	const struct table_provider *provider = c->provider;
	_cleanup_(table_maker) struct table_maker *maker = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, told = STRBUF_INIT;
	struct table_source source;
	struct error *err;

	c->in = (struct recording){ .check = table_check_recorded, .data = c };
	err = recording_begin(&c->in, c->input, &c->words,
			      provider->needs_machine ? &c->symbols : NULL);
	if (err)
		return err;
	source = (struct table_source){
		reader_events(c->in.reader), reader_formats(c->in.reader), c->in.machine,
		reader_header(c->in.reader), reader_ledger_read(c->in.reader),
	};
	err = table_maker_create(provider, &source, &maker);
	if (!err)
		err = recording_sum_up(&c->in, maker->consumer, &c->output);
	if (err)
		return err;
	maker->damaged = c->output.damaged;
	err = provider->add(maker, &c->output, &text);
	if (err)
		return err;
	table_maker_tell(maker, &told);
	if (told.len)
		log_notice("%s", strbuf_str(&told));
	return rendering_print(stdout, &text);
}

static struct error *table_run(struct table_command *c, const char *name)
{
	const struct table_row *row;
	struct error *err = table_find(name, &row);

	if (err)
		return err;
	c->provider = row->provider;
	return table_show(c);
}

struct error *cmd_table(int argc, char **argv, int *ret_status)
{
	struct table_command c = { 0 };
	const struct option_spec options[] = {
		RECORDING_INPUT_OPTION(c.input),
		OPT_STRING("time", &c.words.times),
		TABLE_FORMAT_OPTIONS(&c.output),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		OPT_COUNT("verbose", &log_verbosity),
		RECORDING_QUIET_OPTION,
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "table",
		.synopsis = "[OPTIONS] [TABLE]",
		.details = "; without TABLE, the tables are listed",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (index + 1 < argc)
		return options_no_argument(&usage, argc, argv, index + 1);
	err = index < argc ? table_run(&c, argv[index]) : table_list();
	recording_end(&c.in);
	return err;
}

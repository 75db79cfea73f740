// SPDX-License-Identifier: GPL-2.0
#include "table/tables.h"

#include <stdio.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/selection_words.h"
#include "cmd/table_options.h"
#include "lib/log.h"
#include "output/rendering.h"
#include "terminal/options.h"

struct table_command {
	const char *input;
	struct symbol_options symbols;
	struct selection_words words;
	struct table_output output;
	struct selection selection;
	struct reader *reader;
	struct machine *machine;
};

static struct error *table_list(void)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	for (const struct table_row *row = tables_of_topics; row->name; row++)
		strbuf_addf(&text, "  %-20s  %s\n", row->name, row->help);
	return rendering_print(stdout, &text);
}

static struct error *table_open_recording(struct table_command *c,
					  const struct table_provider *provider)
{
	struct error *err = recording_open(c->input, &c->reader);

	if (!err)
		err = reader_read_header(c->reader);
	/* The events of a pipe can come later. */
	if (!err && !reader_header(c->reader)->is_pipe)
		err = provider->check(provider, reader_events(c->reader));
	if (!err)
		err = selection_words_parse(&c->words, reader_header(c->reader), NULL,
					    &c->selection);
	if (!err && provider->needs_machine)
		err = recording_machine(c->reader, &c->symbols, &c->machine);
	return err;
}

static struct error *table_show(struct table_command *c, const struct table_provider *provider)
{
	_cleanup_(table_maker) struct table_maker *maker = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, told = STRBUF_INIT;
	struct table_source source;
	struct error *err = table_open_recording(c, provider);

	if (err)
		return err;
	source = (struct table_source){
		reader_events(c->reader), reader_formats(c->reader), c->machine,
		reader_header(c->reader),
	};
	err = table_maker_create(provider, &source, &maker);
	if (!err)
		err = recording_sum_up(c->reader, c->machine, &c->selection, maker->consumer,
				       &c->output);
	if (!err)
		err = provider->check(provider, source.events);
	if (!err)
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

	return err ? err : table_show(c, row->provider);
}

struct error *cmd_table(int argc, char **argv, int *ret_status)
{
	struct table_command c = { 0 };
	const struct option_spec options[] = {
		RECORDING_INPUT_OPTION(c.input),
		{ OPTION_STRING, 0, "time", "START,STOP",
		  "only this time: seconds, or 10%/2, or 0%-10%", &c.words.times, NULL },
		TABLE_FORMAT_OPTIONS(&c.output),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		{ OPTION_COUNT, 'v', "verbose", NULL, "print more messages", &log_verbosity,
		  NULL },
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

	(void)ret_status;
	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (index + 1 < argc)
		return options_no_argument(&usage, argc, argv, index + 1);
	err = index < argc ? table_run(&c, argv[index]) : table_list();
	machine_destroy(c.machine);
	reader_close(c.reader);
	selection_deinit(&c.selection);
	return err;
}

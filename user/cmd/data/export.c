// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "cmd/command.h"
#include "cmd/data/conversion.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "terminal/options.h"

static struct error *find_export_format(const char *to, const struct output_format **ret)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	if (to)
		return output_format_find(to, ret);
	output_formats_add_names(&names);
	return error_hint(error_new(EINVAL, "export needs an output format"),
			  "'--to sqlite' writes a database; the formats are %s", strbuf_str(&names));
}

static const char *make_formats_help(struct strbuf *out)
{
	strbuf_addstr(out, "the format: ");
	output_formats_add_names(out);
	return strbuf_str(out);
}

struct error *cmd_export(int argc, char **argv, int *ret_status)
{
	static const struct option_values values[] = { { .option = "to", .add = output_formats_add_names }, { 0 } };
	_cleanup_(conversion) struct conversion c = {
		.existing_hint = "Name another file, or remove it first",
	};
	const struct output_format *format;
	const char *to = NULL, *output = NULL;
	bool force = false;
	_cleanup_(strbuf) struct strbuf formats = STRBUF_INIT;
	const char *formats_help = make_formats_help(&formats);
	const struct option_spec options[] = {
		RECORDING_INPUTS_OPTION(c.inputs),
		OPT_STRING("to", &to, .help = formats_help),
		OPT_STRING("output", &output),
		OPT_STRING("event", &c.selection.events),
		SELECTION_WORDS_OPTIONS(c.words),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		REDACTION_WORDS_OPTIONS(c.redaction),
		RECORDING_QUIET_OPTION,
		RECORDING_FORCE_OPTION(force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "export",
		.synopsis = "--to FORMAT [OPTIONS] [RECORDINGS] [-o] OUTPUT",
		.options = options,
		.values = values,
	};
	struct error *err;
	int index, nr_words, nr = 0;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	nr_words = argc - index - !output;
	if (nr_words > 0)
		err = recording_take_words(&c.inputs, nr_words, argv + index, &nr);
	if (err)
		return err;
	index += nr;
	if (argc - index != !output)
		return error_hint(error_new(EINVAL, "export takes the name of one file to write, "
					    "not %d", argc - index + !!output),
				  "'ktrace export --to %s FILE' reads perf.data and writes FILE",
				  to ? to : "sqlite");
	err = find_export_format(to, &format);
	return err ? err : conversion_run(&c, format, output ? output : argv[index]);
}

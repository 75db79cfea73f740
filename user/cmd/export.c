// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/selection_words.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "lib/options.h"
#include "output/database.h"

struct export_command {
	const char *input, *to;
	struct selection_words words;
	struct symbol_options symbols;
	bool force;
	struct reader *reader;
	struct machine *machine;
	struct cpumap cpus;
	struct selection selection;
};

static void export_command_deinit(struct export_command *c)
{
	machine_destroy(c->machine);
	reader_close(c->reader);
	selection_deinit(&c->selection);
	cpumap_deinit(&c->cpus);
}
DEFINE_CLEANUP(export_command, struct export_command, export_command_deinit)

static bool has_callchains(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

static struct error *open_recording(struct export_command *c)
{
	struct error *err = recording_open(c->input, &c->reader);

	if (!err)
		err = reader_read_header(c->reader);
	if (!err)
		err = selection_words_parse(&c->words, reader_header(c->reader), &c->cpus,
					    &c->selection);
	return err ? err : recording_machine(c->reader, &c->symbols, &c->machine);
}

static struct error *run(struct export_command *c, const char *path)
{
	_cleanup_(database) struct database *database = NULL;
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	struct error *err;

	if (!c->to || strcmp(c->to, "sqlite"))
		return error_hint(c->to ? error_new(EINVAL, "Cannot export to '%s'", c->to) :
				  error_new(EINVAL, "export needs to know what to write"),
				  "'--to sqlite' writes a database");
	if (!access(path, F_OK))
		return error_hint(error_new(EEXIST, "%s is there already", path),
				  "Name another file, or remove it first");
	err = open_recording(c);
	if (err)
		return err;
	err = new_file_create(&file, path);
	if (err)
		return error_hint(err, "Name a file in a folder where you may write");
	err = database_create(file.temporary, path, has_callchains(reader_events(c->reader)),
			      &database);
	if (!err)
		err = recording_run(c->reader, c->machine, &c->selection,
				    database_consumer(database), false, NULL);
	if (!err)
		err = database_finish(database);
	return err ? err : new_file_commit(&file);
}

struct error *cmd_export(int argc, char **argv, int *ret_status)
{
	static const struct option_values values[] = { { "to", "sqlite", NULL }, { 0 } };
	_cleanup_(export_command) struct export_command c = { 0 };
	const struct option_spec options[] = {
		{ OPTION_STRING, 'i', "input", "FILE", "read FILE, or - for a pipe (perf.data)",
		  &c.input, NULL },
		{ OPTION_STRING, 0, "to", "FORMAT", "what to write: sqlite", &c.to, NULL },
		SELECTION_WORDS_OPTIONS(c.words),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		{ OPTION_FLAG, 'q', "quiet", NULL, "print no messages but errors, and no progress",
		  &log_quiet, NULL },
		{ OPTION_FLAG, 'f', "force", NULL, "accepted for perf's sake; owners do not matter",
		  &c.force, NULL },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "export",
		.synopsis = "--to sqlite [OPTIONS] OUTPUT",
		.options = options,
		.values = values,
	};
	struct error *err;
	int index;

	(void)ret_status;
	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (argc - index != 1)
		return error_hint(error_new(EINVAL, "export takes the name of one file to write, "
					    "not %d", argc - index),
				  "'ktrace export --to sqlite FILE.db' reads perf.data");
	return run(&c, argv[index]);
}

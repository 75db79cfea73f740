// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/options.h"
#include "lib/progress.h"
#include "perfdata/recover.h"
#include "vmcore/memory.h"
#include "vmcore/rescue.h"
#include "vmcore/session_table.h"

struct recover_command {
	const char *output, *formats, *vmcore;
};

static void report(const char *input, const char *output, const struct recovery *recovery)
{
	if (recovery->was_whole) {
		log_notice("%s is whole; %s holds the same %" PRIu64 " records.", input, output,
			   recovery->records);
		return;
	}
	log_notice("%s holds the %" PRIu64 " records of %s up to offset %" PRIu64 "; %" PRIu64
		   " bytes behind it were dropped.", output, recovery->records, input,
		   recovery->end, recovery->dropped);
	if (!recovery->has_formats)
		log_warning("Its event formats are lost, its samples are without fields. --formats FILE takes them from another "
			    "recording of the same kernel.");
}

static void report_rescue(const struct vmcore_session *session, const char *release,
			  const char *output, const struct rescue *rescue)
{
	log_notice("%s has the %" PRIu64 " samples that the rings of %s (%d) held when Linux %s "
		   "died.", output, rescue->samples, session->comm, session->pid, release);
	if (rescue->taken)
		log_notice("%" PRIu64 " earlier ones were taken out of the rings by %s, for its own "
			   "recording.", rescue->taken, session->comm);
	if (rescue->overwritten)
		log_notice("%" PRIu64 " earlier ones were overwritten.", rescue->overwritten);
	if (rescue->lost)
		log_warning("%" PRIu64 " samples were lost; ktrace sql \"select * from loss\" -i %s "
			    "tells where.", rescue->lost, output);
	if (rescue->damaged_rings)
		log_warning("%" PRIu64 " of its rings are damaged, and were read up to there.",
			    rescue->damaged_rings);
}

/* Write what the rings of one session held; the file of one of several has a number, too. */
static struct error *rescue_one(const struct session_table *table,
				const struct vmcore_session *session, const char *output,
				unsigned int number)
{
	_cleanup_free_ char *path = NULL;
	struct rescue rescue;
	struct error *err;

	if ((number ? asprintf(&path, "%s.%u", output, number) : asprintf(&path, "%s", output)) < 0) {
		path = NULL;
		return &error_no_memory;
	}
	err = rescue_session(session, path, &rescue);
	if (!err)
		report_rescue(session, table->release, path, &rescue);
	return err;
}

static struct error *recover_vmcore(const char *core, const char *output)
{
	_cleanup_(session_table) struct session_table table = { 0 };
	_cleanup_(memory) struct memory *memory = NULL;
	unsigned int described = 0, number = 0;
	struct error *err;

	err = memory_open(core, &memory);
	if (!err)
		err = session_table_read(memory, core, &table);
	if (err)
		return err;
	for (size_t i = 0; i < table.nr; i++) {
		const struct vmcore_session *session = &table.items[i];

		described += session->description != NULL;
		if (!session->description)
			log_warning("The session of %s (%d) has no description, so what its rings held "
				    "is not recovered.", session->comm, session->pid);
	}
	if (!described)
		return error_new(ENODATA, "No session that can be recovered was open when Linux %s "
				 "died", table.release);
	for (size_t i = 0; i < table.nr && !err; i++)
		if (table.items[i].description)
			err = rescue_one(&table, &table.items[i], output,
					 described > 1 ? ++number : 0);
	return err;
}

static struct error *recover_run(const struct recover_command *c, const char *input)
{
	_cleanup_(reader) struct reader *reader = NULL, *like = NULL;
	struct recovery recovery;
	struct error *err;

	if (file_is_same(input, c->output))
		return error_hint(error_new(EEXIST, "%s is the recording to recover, so nothing "
					    "can be written to it", c->output),
				  "Write to another file with -o FILE");
	err = reader_open(input, &reader);
	if (!err && c->formats)
		err = reader_open(c->formats, &like);
	if (err)
		return err;
	/* The recording is read once, and what is intact is copied, so count it twice. */
	progress_begin("Recovering", 2 * reader_bytes_left(reader));
	err = recover_to(reader, like, c->output, &recovery);
	progress_end();
	if (!err)
		report(input, c->output, &recovery);
	return err;
}

struct error *cmd_recover(int argc, char **argv, int *ret_status)
{
	struct recover_command c = { 0 };
	const struct option_spec options[] = {
		{ OPTION_STRING, 'o', "output", "FILE", "write FILE (the recording's name and "
		  ".recovered)", &c.output, NULL },
		{ OPTION_STRING, 0, "formats", "FILE", "take lost event formats from FILE, another "
		  "recording of the same kernel", &c.formats, NULL },
		{ OPTION_STRING, 0, "vmcore", "FILE", "make a recording of what the rings held when "
		  "the kernel died; FILE is its vmcore", &c.vmcore, NULL },
		RECORDING_QUIET_OPTION,
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "recover",
		.synopsis = "[OPTIONS] {FILE | --vmcore=FILE}",
		.options = options,
	};
	_cleanup_free_ char *output = NULL;
	const char *input;
	struct error *err;
	int index;

	(void)ret_status;
	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (c.vmcore && (argc != index || c.formats))
		return error_new(EINVAL, "With --vmcore, recover takes neither a recording nor --formats");
	if (!c.vmcore && argc - index != 1)
		return error_hint(error_new(EINVAL, "recover takes one recording, not %d",
					    argc - index),
				  "'ktrace recover FILE' writes FILE.recovered");
	input = c.vmcore ? c.vmcore : argv[index];
	if (!c.output && asprintf(&output, "%s.recovered", input) < 0) {
		output = NULL;
		return &error_no_memory;
	}
	if (output)
		c.output = output;
	return c.vmcore ? recover_vmcore(input, c.output) : recover_run(&c, input);
}

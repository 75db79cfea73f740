// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/options.h"
#include "lib/progress.h"
#include "perfdata/recover.h"

struct recover_command {
	const char *output, *formats;
};

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

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

static struct error *recover_run(const struct recover_command *c, const char *input)
{
	_cleanup_(reader) struct reader *reader = NULL, *like = NULL;
	struct recovery recovery;
	struct error *err;

	if (is_same_file(input, c->output))
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
		{ OPTION_FLAG, 'q', "quiet", NULL, "print no messages but errors, and no progress",
		  &log_quiet, NULL },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "recover",
		.synopsis = "[OPTIONS] FILE",
		.options = options,
	};
	_cleanup_free_ char *output = NULL;
	struct error *err;
	int index;

	(void)ret_status;
	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (argc - index != 1)
		return error_hint(error_new(EINVAL, "recover takes one recording, not %d",
					    argc - index),
				  "'ktrace recover FILE' writes FILE.recovered");
	if (!c.output && asprintf(&output, "%s.recovered", argv[index]) < 0) {
		output = NULL;
		return &error_no_memory;
	}
	if (output)
		c.output = output;
	return recover_run(&c, argv[index]);
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/command.h"
#include "cmd/data/conversion.h"
#include "cmd/subcommand.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "terminal/options.h"

struct data_convert {
	struct conversion conversion;
	const char *to_json, *to_ctf;
};

static struct error *check_data_convert(const struct data_convert *c)
{
	if (c->to_json && c->to_ctf)
		return error_hint(error_new(EINVAL, "data convert writes one format, not both"),
				  "Leave out --to-ctf or --to-json, and convert again for the other");
	if (!c->to_json && !c->to_ctf)
		return error_hint(error_new(EINVAL, "data convert needs an output format"),
				  "--to-json FILE and --to-ctf DIR are the formats of perf; "
				  "'ktrace export --to' has others");
	if (c->to_json && c->conversion.task_records)
		return error_hint(error_new(EINVAL, "The format of --to-json cannot hold the "
					    "records that --all adds; --to-ctf can"),
				  "'ktrace script --show-task-events --show-mmap-events' prints them");
	if (c->to_json && c->conversion.wall_clock)
		return error_hint(error_new(EINVAL, "JSON has the times of the recording's clock, so "
					    "--tod is only for --to-ctf"),
				  "The header of the JSON has the time of the recording");
	return NULL;
}

/* The bytes of a file, or of those in a folder, which has no other folders. */
static double count_written_bytes(const char *path)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	const struct dirent *entry;
	double bytes = 0;
	struct stat st;

	if (!dir)
		return stat(path, &st) ? 0 : st.st_size;
	while ((entry = readdir(dir)))
		if (!fstatat(dirfd(dir), entry->d_name, &st, 0) && S_ISREG(st.st_mode))
			bytes += st.st_size;
	return bytes;
}

/* The message of perf, with our name. */
static void tell_converted(const struct conversion *conversion, const char *format,
			   const char *path)
{
	if (log_quiet || !strcmp(path, "-"))
		return;
	fprintf(stderr, "[ ktrace data convert: Converted '%s' into %s data '%s' ]\n",
		recording_first(&conversion->inputs), format, path);
	fprintf(stderr, "[ ktrace data convert: Converted and wrote %.3f MB (%ju samples",
		count_written_bytes(path) / 1024 / 1024, (uintmax_t)conversion->samples);
	if (conversion->task_records)
		fprintf(stderr, ", %ju non-samples", (uintmax_t)conversion->others);
	fprintf(stderr, ") ]\n");
}

static struct error *data_run(void *data)
{
	struct data_convert *c = data;
	const char *path = c->to_json ? c->to_json : c->to_ctf;
	const struct output_format *format;
	struct error *err = check_data_convert(c);

	if (!err)
		err = output_format_find(c->to_json ? "json" : "ctf", &format);
	if (!err)
		err = conversion_run(&c->conversion, format, path);
	if (!err)
		tell_converted(&c->conversion, c->to_json ? "JSON" : "CTF", path);
	return err;
}

static struct error *data_convert(struct subcommand_call *call)
{
	struct data_convert c = {
		.conversion.existing_hint = "--force overwrites it",
	};
	const struct option_spec options[] = {
		RECORDING_INPUTS_OPTION(c.conversion.inputs),
		OPT_STRING("to-json", &c.to_json),
		OPT_STRING("to-ctf", &c.to_ctf),
		OPT_FLAG("tod", &c.conversion.wall_clock),
		OPT_FLAG("all", &c.conversion.task_records),
		OPT_FLAG("force", &c.conversion.replace),
		RECORDING_SYMBOL_OPTIONS(c.conversion.symbols),
		OPT_COUNT("verbose", &log_verbosity),
		RECORDING_QUIET_OPTION,
		{ 0 },
	};
	struct error *err;

	call->data = &c;
	err = subcommand_do(call, options, data_run);
	conversion_deinit(&c.conversion);
	return err;
}

static const struct subcommand data_commands[] = {
	SUBCOMMAND("convert", "write a recording as JSON or in the Common Trace Format", data_convert),
	{ 0 },
};

struct error *cmd_data(int argc, char **argv, int *ret_status)
{
	const struct option_spec options[] = { { 0 } };
	const struct command_usage usage = {
		.name = "data", .options = options, .commands = data_commands,
	};

	return subcommands_run(&usage, NULL, argc, argv, ret_status);
}

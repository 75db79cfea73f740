// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "perfdata/write/indexer.h"
#include "terminal/options.h"
#include "terminal/progress.h"

static struct error *index_run(const char *path)
{
	_cleanup_(reader) struct reader *reader = NULL;
	_cleanup_free_ char *output = reader_index_path(path);
	struct indexed indexed;
	struct error *err;

	if (!output)
		return &error_no_memory;
	err = reader_open(path, &reader);
	if (err)
		return err;
	progress_begin("Indexing", reader_bytes_left(reader));
	err = indexer_write(reader, output, &indexed);
	progress_end();
	if (err)
		return err;
	if (indexed.has_own)
		log_notice("%s has an index inside, so nothing was written.", path);
	else
		log_notice("%s: %zu extent%s of %s, %" PRIu64 " sample%s.", output,
			   indexed.entries, indexed.entries == 1 ? "" : "s", path,
			   indexed.samples, indexed.samples == 1 ? "" : "s");
	return NULL;
}

struct error *cmd_index(int argc, char **argv, int *ret_status)
{
	const struct option_spec options[] = {
		RECORDING_QUIET_OPTION,
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "index",
		.synopsis = "[OPTIONS] FILE",
		.details = "; writes FILE.index",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (argc - index != 1)
		return error_hint(error_new(EINVAL, "index takes one recording, not %d",
					    argc - index),
				  "'ktrace index FILE' writes FILE.index");
	return index_run(argv[index]);
}

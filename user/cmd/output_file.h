/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a recording in a format to a file, which gets its name only when it is complete, or to
 * standard output.
 */
#ifndef KTRACE_CMD_OUTPUT_FILE_H
#define KTRACE_CMD_OUTPUT_FILE_H

#include "lib/error.h"
#include "output/outputs.h"
#include "perfdata/reader.h"
#include "session/machine.h"
#include "session/selection.h"

struct output_file {
	struct reader *reader;
	struct machine *machine;
	const struct selection *selection;
	const struct output_format *format;
	/*
	 * The events and the header are those of the reader; output_file_write() sets the
	 * destination.
	 */
	struct rendering_request request;
	bool replace_folder;	/* for NEEDS_FOLDER: an older folder is replaced, with its files */
	/* Set by output_file_write(): the samples of the recording, and other records written. */
	uint64_t samples, others;
};

/*
 * Write @path.  "-" is standard output, whose write errors are known only when the command ends.
 * An older file of that name is replaced when the new one is complete.
 */
struct error *output_file_write(struct output_file *output, const char *path);

#endif

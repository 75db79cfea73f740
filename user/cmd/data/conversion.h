/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes recordings in another format, for the commands that convert.  All zero: everything in
 * perf.data.  The command sets the options that it parsed, and calls conversion_run() once.
 */
#ifndef KTRACE_CMD_DATA_CONVERSION_H
#define KTRACE_CMD_DATA_CONVERSION_H

#include "cmd/data/redaction_words.h"
#include "cmd/recording.h"
#include "cmd/selection_words.h"
#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "lib/error.h"
#include "output/outputs.h"

struct conversion {
	struct recording_inputs inputs;
	struct selection_words words;
	struct symbol_options symbols;
	struct redaction_words redaction;
	struct selection selection;	/* the events; the rest comes from the words */
	bool replace;			/* an older file, or an older trace in a folder */
	const char *existing_hint;	/* the next step if an older one exists; no full stop */
	bool wall_clock;		/* refuse recordings without times of the wall clock */
	bool task_records;		/* for ctf: also write records of tasks and maps */

	/* Its own. */
	struct reader *reader;
	struct machine *machine;
	struct cpumap cpus;

	/* Set by conversion_run(). */
	uint64_t samples;		/* in the recording */
	uint64_t others;		/* written records of tasks and maps */
};

void conversion_deinit(struct conversion *conversion);
DEFINE_CLEANUP(conversion, struct conversion, conversion_deinit)

/*
 * Write @path; "-" is standard output.  EINVAL: the format does not support an option.  EEXIST: a
 * file or folder of that name exists and may not be replaced.  With every error an existing file or
 * folder is left as it was.
 */
struct error *conversion_run(struct conversion *conversion, const struct output_format *format,
			     const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes recordings in another format, for the commands that do so.  All zero: everything in
 * perf.data.  The command sets what it parsed, and calls conversion_run() once.
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
	struct selection selection;	/* the events; the rest is made of the words */
	bool replace;			/* an older file, or an older trace in a folder */
	const char *existing_hint;	/* what to do about an older one; no full stop */
	bool wall_clock;		/* refuse recordings that do not tell it */
	bool task_records;		/* for ctf: write those of tasks and maps, too */

	/* Its own. */
	struct reader *reader;
	struct machine *machine;
	struct cpumap cpus;

	/* Set by conversion_run(). */
	uint64_t samples;		/* how many the recording has */
	uint64_t others;		/* how many records of tasks and maps were written */
};

void conversion_deinit(struct conversion *conversion);
DEFINE_CLEANUP(conversion, struct conversion, conversion_deinit)

/*
 * Write @path; "-" is standard output.  Errors: EINVAL if the format cannot do what is asked;
 * EEXIST if there is something of that name that must stay; what is there is then untouched, as
 * with every error.
 */
struct error *conversion_run(struct conversion *conversion, const struct output_format *format,
			     const char *path);

#endif

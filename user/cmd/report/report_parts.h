/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of `ktrace report` that report.c puts together, each of which has a file of its own.
 */
#ifndef KTRACE_CMD_REPORT_REPORT_PARTS_H
#define KTRACE_CMD_REPORT_REPORT_PARTS_H

#include "browser/screen.h"
#include "cmd/recording.h"
#include "cmd/report/report_words.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "output/page/page.h"
#include "perfdata/reader.h"
#include "profile/histogram/entry_samples.h"
#include "session/machine.h"
#include "session/selection.h"
#include "table/profile/histogram_text.h"

/*
 * Shows a recording in a browser on the terminal, while it is being read and afterwards.
 */

/* The recording to show, as its command has opened it.  All is the command's. */
struct report_source {
	struct reader *reader;
	struct machine *machine;
	const struct selection *selection;
	const struct report_options *report;
	bool samples;		/* show how many samples an entry has */
	/* Add what happened around a sample, as sample_context_add() does. */
	struct error *(*context)(struct report_source *source, const struct entry_sample *sample,
				 struct strbuf *ret, size_t *ret_line);
	/*
	 * Open it again, for only these times (as --time takes them; "": all of them); or another
	 * one, @path.  It lives as long as the source.
	 */
	struct error *(*reopen)(struct report_source *source, const char *times, const char *path);
	/* Add what a script prints of it, both its output and its messages. */
	struct error *(*script)(struct report_source *source, const char *name, struct strbuf *ret);
};

/* Show @source on @screen until the user quits. */
struct error *report_browse(struct report_source *source, struct screen *screen);

/*
 * Compares the recording of `ktrace report --html` with those of --diff.
 */
struct report_diff {
	struct comparison_options options;
	struct comparison *comparison;
	struct page_comparison page;
	size_t *numbers;		/* of all recordings */
};

/*
 * Read all recordings of --diff, and once more those that are shown.  @reader has these; *ret
 * points into @diff.
 */
struct error *report_diff_read(const struct report_words *words, struct reader *reader,
			       struct report_diff *diff, const struct page_comparison **ret);
void report_diff_deinit(struct report_diff *diff);
DEFINE_CLEANUP(report_diff, struct report_diff, report_diff_deinit)

/*
 * What a recording tells of the time around one sample, as lines of ktrace script.
 */

/*
 * Add the lines of the samples that were taken on the CPU of @sample, or of its thread if CPUs
 * were not recorded, from 5 ms before it to 5 ms behind it.  Its own line begins with ">", and is
 * number *ret_line, counted from 0.  The recording is opened once more for this.
 */
struct error *sample_context_add(const struct recording_inputs *inputs,
				 const struct symbol_options *symbols,
				 const struct entry_sample *sample, struct strbuf *ret,
				 size_t *ret_line);

#endif

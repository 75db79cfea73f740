/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of `ktrace report` that report.c combines.  Each is a file of its own. */
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

/* The recording to show, opened by its command, which owns all pointers. */
struct report_source {
	struct reader *reader;
	struct machine *machine;
	const struct selection *selection;
	const struct report_options *report;
	bool samples;		/* show the number of samples of an entry */
	/* Add the events around a sample, as sample_context_add() does. */
	struct error *(*context)(struct report_source *source, const struct entry_sample *sample,
				 struct strbuf *ret, size_t *ret_line);
	/*
	 * Reopen it for some times only (in the form of --time; "": all of them), or open another
	 * recording, @path.  It lives as long as the source.
	 */
	struct error *(*reopen)(struct report_source *source, const char *times, const char *path);
	/* Add the output and the messages of a script that runs on it. */
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
 * Read all recordings of --diff, and read the shown ones again.  @reader has these; *ret points
 * into @diff.
 */
struct error *report_diff_read(const struct report_words *words, struct reader *reader,
			       struct report_diff *diff, const struct page_comparison **ret);
void report_diff_deinit(struct report_diff *diff);
DEFINE_CLEANUP(report_diff, struct report_diff, report_diff_deinit)

/* The events of a recording around one sample, as lines of ktrace script. */

/*
 * Add the lines of samples from 5 ms before @sample to 5 ms behind it.  They are those of its CPU,
 * or of its thread if CPUs were not recorded.  The line of @sample begins with ">", and its number,
 * counted from 0, is *ret_line.  The recording is opened once more for this.
 */
struct error *sample_context_add(const struct recording_inputs *inputs,
				 const struct symbol_options *symbols,
				 const struct entry_sample *sample, struct strbuf *ret,
				 size_t *ret_line);

#endif

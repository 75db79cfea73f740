/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shows a recording in a browser on the terminal, while it is being read and afterwards.
 */
#ifndef KTRACE_CMD_REPORT_REPORT_BROWSER_H
#define KTRACE_CMD_REPORT_REPORT_BROWSER_H

#include "browser/screen.h"
#include "perfdata/reader.h"
#include "session/machine.h"
#include "session/selection.h"
#include "table/profile/histogram_text.h"

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
	/* Open it again, for only these times (as --time takes them; "": all of them). */
	struct error *(*reopen)(struct report_source *source, const char *times);
};

/* Show @source on @screen until the user quits. */
struct error *report_browse(struct report_source *source, struct screen *screen);

#endif

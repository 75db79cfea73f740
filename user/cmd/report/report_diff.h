/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares the recording of `ktrace report --html` with those of --diff.
 */
#ifndef KTRACE_CMD_REPORT_REPORT_DIFF_H
#define KTRACE_CMD_REPORT_REPORT_DIFF_H

#include "cmd/report/report_words.h"
#include "lib/cleanup.h"
#include "output/page/page.h"

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

#endif

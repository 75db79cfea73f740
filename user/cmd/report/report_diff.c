// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/report_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/compared_recording.h"
#include "lib/log.h"

/* The shown recordings are read silently, because the page has their messages. */
static struct error *read_shown(const struct compared_recordings *recordings,
				const struct recording_inputs *inputs, struct report_diff *diff,
				size_t first)
{
	static const char *const none[] = { RECORDING_DEFAULT };
	const char *const *files = inputs->nr ? inputs->items : none;
	bool quiet = log_quiet;
	struct error *err = NULL;

	log_quiet = true;
	for (size_t i = 0; i < (inputs->nr ? inputs->nr : 1) && !err; i++)
		err = compared_recording_read(recordings, files[i], diff->comparison, first + i);
	log_quiet = quiet;
	return err;
}

struct error *report_diff_read(const struct report_words *words, struct reader *reader,
			       struct report_diff *diff, const struct page_comparison **ret)
{
	const struct selection base = {
		.switch_on = words->switch_on, .switch_off = words->switch_off,
		.show_switches = words->show_switches, .off_cpu = words->off_cpu,
		.wall_time = words->wall_time,
	};
	const struct compared_recordings recordings = {
		.words = &words->selection, .symbols = &words->symbols, .base = &base,
	};
	size_t before = words->others.nr, after = words->inputs.nr ? words->inputs.nr : 1;
	struct error *err;

	if (reader_header(reader)->is_pipe)
		return error_hint(error_new(EINVAL, "--diff reads the recording twice, which a pipe "
					    "does not allow"), "Record into a file, with -o FILE");
	diff->numbers = calloc(before + after, sizeof(*diff->numbers));
	if (!diff->numbers)
		return &error_no_memory;
	for (size_t i = 0; i < before + after; i++)
		diff->numbers[i] = i;
	err = comparison_keys_parse(&diff->options, "dso,symbol");
	if (!err)
		err = comparison_create(&diff->options, before + after, &diff->comparison);
	for (size_t i = 0; i < before && !err; i++)
		err = compared_recording_read(&recordings, words->others.items[i],
					      diff->comparison, i);
	if (!err)
		err = read_shown(&recordings, &words->inputs, diff, before);
	if (!err)
		err = compared_recordings_join(diff->comparison);
	if (err)
		return err;
	diff->page = (struct page_comparison){
		.comparison = diff->comparison, .names = words->others.items,
		.absolute = words->diff_cost ||
			    (!words->diff_shares && comparison_is_of_commands(diff->comparison)),
		.before = { diff->numbers, before }, .after = { diff->numbers + before, after },
	};
	*ret = &diff->page;
	return NULL;
}

void report_diff_deinit(struct report_diff *diff)
{
	comparison_destroy(diff->comparison);
	free(diff->numbers);
}

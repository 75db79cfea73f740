// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/event_words.h"
#include "cmd/stat/stat_command.h"
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_recorded.h"
#include "lib/interrupt.h"

static struct error *stat_count_command(struct stat_options *o, int argc, char **argv,
					int *ret_status)
{
	_cleanup_(stat_command) struct stat_command c = {
		.options = o,
		.recording.info = { .version = KTRACE_VERSION, .argc = argc, .argv = argv },
	};
	bool recorded = o->counters.by_keys && (stat_recorded_is_needed() || o->keys.stacks);
	struct error *err = recorded ? NULL : counters_init(&o->counters, &c.counters);

	if (!err)
		err = stat_command_open(&c);
	if (!err && o->clear && !isatty(fileno(c.out)))
		err = error_new(EINVAL, "--interval-clear needs a terminal for the output");
	if (!err && !o->counters.by_keys)
		err = stat_command_init(&c);
	if (!err)
		err = o->counters.by_keys ? stat_keys_run(&c, recorded) :
		      o->versus ? stat_versus_run(&c) : stat_command_run(&c);
	if (err)
		return err;
	stat_command_tell(&c);
	*ret_status = c.status;
	return NULL;
}

struct error *cmd_stat(int argc, char **argv, int *ret_status)
{
	_cleanup_(stat_options) struct stat_options options = { .control = CONTROL_INIT };
	struct error *err;
	int index;

	interrupt_begin();
	err = stat_options_parse(argc, argv, &options, &index);
	if (err || index < 0) {
		event_words_end();
		return err;
	}
	if (index < argc)
		return stat_report(&options.layout, argc - index, argv + index);
	err = stat_count_command(&options, argc, argv, ret_status);
	event_words_end();
	/* As after perf, the shell sees that a signal has ended the counting. */
	if (!err)
		interrupt_end_by_signal();
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/sched.h"

#include "cmd/command.h"
#include "terminal/words.h"

/* The events of `perf sched record`; the optional ones need a kernel with schedstats. */
static struct error *sched_record(struct subcommand_call *call)
{
	static const char *const options[] = { "-a", "-m", "1024", "-c", "1", NULL };
	static const struct subcommand_events events[] = {
		{ "sched", "sched_switch sched_stat_runtime sched_process_fork sched_wakeup_new "
			   "sched_migrate_task sched_waking",
		  "sched_stat_wait sched_stat_sleep sched_stat_iowait", 0 },
		{ 0 },
	};

	return subcommand_record(call, options, events, 0);
}

/* As in perf, this is script itself. */
static struct error *sched_script(struct subcommand_call *call)
{
	const struct subcommand_input *common = call->data;
	_cleanup_(words) struct words words = { 0 };

	words_add(&words, "script");
	words_add_option(&words, "-i", common->input);
	words_add_all(&words, call->argv + 1);
	return command_call(&words, call->ret_status);
}

static const struct subcommand sched_commands[] = {
	SUBCOMMAND("record", "record the tasks that all CPUs run", sched_record),
	SUBCOMMAND("latency", "sum up how long tasks had to wait for a CPU", sched_latency),
	SUBCOMMAND("map", "show the tasks that each CPU ran", sched_map),
	SUBCOMMAND("timehist", "show each time that a task was switched away from a CPU",
		   sched_timehist),
	SUBCOMMAND("script", "print the recording, as 'ktrace script'", sched_script),
	SUBCOMMAND_LATER("replay", "Meanwhile 'perf sched replay' reads recordings of ktrace"),
	{ "stats", NULL, sched_stats_of, sched_stats_commands, NULL },
	{ 0 },
};

struct error *cmd_sched(int argc, char **argv, int *ret_status)
{
	struct subcommand_input common = { 0 };
	const struct option_spec options[] = {
		SUBCOMMAND_INPUT_OPTIONS(&common),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "sched", .options = options, .commands = sched_commands,
	};

	return subcommands_run(&usage, &common, argc, argv, ret_status);
}

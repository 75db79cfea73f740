// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/sched.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/array.h"
#include "lib/log.h"
#include "terminal/words.h"

/* What `perf sched record` records. */
static struct error *sched_record(char **argv, int *ret_status)
{
	static const char *const words[] = { "-a", "-m", "1024", "-c", "1", NULL };
	static const char *const always[] = {
		"sched_switch", "sched_stat_runtime", "sched_process_fork", "sched_wakeup_new",
		"sched_migrate_task", "sched_waking", NULL,
	};
	/* Only kernels with schedstats have these. */
	static const char *const if_there[] = {
		"sched_stat_wait", "sched_stat_sleep", "sched_stat_iowait", NULL,
	};
	const struct subcommand_events events[] = { { "sched", always, if_there }, { 0 } };

	return subcommand_record(words, events, argv, ret_status);
}

/* As in perf, this is script itself. */
static struct error *sched_script(const struct subcommand_input *common, int argc, char **argv,
				  int *ret_status)
{
	_cleanup_(words) struct words words = { 0 };

	words_add(&words, "script");
	words_add_option(&words, "-i", common->input);
	words_add_all(&words, argv + 1);
	return command_call(&words, ret_status);
}

static const struct sched_command {
	const char *name;
	struct error *(*run)(struct subcommand_input *common, int argc, char **argv);
} sched_commands[] = {
	{ "latency", sched_latency },
	{ "map", sched_map },
	{ "timehist", sched_timehist },
};

static struct error *sched_find(const char *name, const struct sched_command **ret)
{
	const char *names[ARRAY_SIZE(sched_commands) + 3] = { "record", "script" };

	for (size_t i = 0; i < ARRAY_SIZE(sched_commands); i++) {
		/* As in perf, the beginning of a name will do: "sched lat". */
		if (strlen(name) > 2 &&
		    !strncmp(sched_commands[i].name, name, strlen(name))) {
			*ret = &sched_commands[i];
			return NULL;
		}
		names[i + 2] = sched_commands[i].name;
	}
	return subcommand_unknown("sched", names, name);
}

struct error *cmd_sched(int argc, char **argv, int *ret_status)
{
	struct subcommand_input common = { 0 };
	const struct option_spec options[] = {
		SUBCOMMAND_INPUT_OPTIONS(&common),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "sched",
		.synopsis = "[OPTIONS] {record|latency|map|timehist|script} [OPTIONS]",
		.details = ". 'record' records what all CPUs run, 'latency' sums up how long tasks "
			   "had to wait for a CPU, 'map' shows what each CPU ran, 'timehist' each "
			   "time that a task was taken from one, and 'script' is 'ktrace script'. "
			   "'ktrace sched latency --help' prints the "
			   "options of one of them",
		.options = options,
		.stop_at_argument = true,
	};
	const struct sched_command *command = NULL;
	struct error *err;
	bool run;

	err = subcommand_find("sched", &usage, &argc, &argv, &run);
	if (err || !run)
		return err;
	if (!strcmp(argv[0], "record") || !strcmp(argv[0], "rec"))
		return sched_record(argv, ret_status);
	if (!strcmp(argv[0], "script"))
		return sched_script(&common, argc, argv, ret_status);
	if (!strcmp(argv[0], "replay"))
		return error_hint(error_new(ENOSYS, "ktrace sched replay is not built yet"),
				  "Meanwhile 'perf sched replay' reads what ktrace records");
	if (!strcmp(argv[0], "stats"))
		return error_hint(error_new(ENOSYS, "ktrace sched stats is not built yet"),
				  "Meanwhile 'perf sched stats' of perf 7 reads /proc/schedstat");
	err = sched_find(argv[0], &command);
	if (err)
		return err;
	argv[0] = (char *)command->name;
	return command->run(&common, argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
#include "recorder/recorder.h"

#include "lib/interrupt.h"

static struct error *recorder_fork_and_open(struct plan *plan,
					    const struct workload_options *command,
					    struct recorder *recorder)
{
	struct error *err = command->argv ? workload_fork(command, &recorder->workload) : NULL;

	if (err)
		return err;
	if (plan->target.is_command)
		plan->target.tasks[0] = recorder->workload.pid;
	return captures_open(plan, &recorder->captures);
}

struct error *recorder_open(struct plan *plan, const struct workload_options *command,
			    struct recorder *ret)
{
	struct error *err;

	*ret = (struct recorder){
		.plan = plan,
		.loop = {
			.captures = &ret->captures,
			.workload = &ret->workload,
			.has_tasks = plan->target.tasks,
		},
	};
	err = recorder_fork_and_open(plan, command, ret);
	/* Up to here, which can take a while, ^C simply ends the process. */
	interrupt_block();
	return err;
}

struct error *recorder_start(struct recorder *recorder)
{
	struct error *err = captures_start(&recorder->captures);

	return err || !recorder->workload.pid ? err : workload_exec(&recorder->workload);
}

struct error *recorder_run(struct recorder *recorder, struct loop_consumer *consumer)
{
	return loop_run(&recorder->loop, consumer);
}

struct error *recorder_ledger(struct recorder *recorder, struct loop_consumer *consumer)
{
	struct error *err;

	err = captures_ledger(&recorder->captures, consumer->sink, &recorder->ledger);
	return err || !consumer->clock ? err : consumer->clock(consumer, &recorder->captures);
}

void recorder_close(struct recorder *recorder)
{
	captures_close(&recorder->captures);
	workload_finish(&recorder->workload);
	ledger_deinit(&recorder->ledger);
}

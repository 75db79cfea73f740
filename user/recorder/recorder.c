// SPDX-License-Identifier: GPL-2.0
#include "recorder/recorder.h"

#include <limits.h>
#include <poll.h>

#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/monotonic.h"

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
	/* Until here, which can take a while, ^C simply ends the process. */
	interrupt_block();
	return err;
}

struct delay_control {
	struct recorder *recorder;
	bool begin;
};

static struct error *delay_obey(void *data, enum control_word word)
{
	struct delay_control *c = data;

	if (word == CONTROL_SNAPSHOT)
		log_warning("There is no snapshot before recording begins (--control)");
	c->begin |= word == CONTROL_ENABLE || word == CONTROL_STOP;
	c->recorder->told_end |= word == CONTROL_STOP;
	if (word != CONTROL_ENABLE && word != CONTROL_DISABLE)
		return NULL;
	if (c->recorder->started)
		return captures_pause(&c->recorder->captures, word == CONTROL_DISABLE);
	/* A client that gets the answer may rely on being recorded. */
	c->recorder->started = word == CONTROL_ENABLE;
	return c->recorder->started ? captures_start(&c->recorder->captures) : NULL;
}

/* Wait for a command of --control, a signal or the timeout. */
static struct error *delay_wait(struct recorder *recorder, struct delay_control *c, uint64_t ms)
{
	struct control *control = recorder->loop.control;
	struct pollfd input = { .fd = control ? control->fd : -1, .events = POLLIN };

	interrupt_poll(&input, input.fd >= 0, ms < INT_MAX ? ms : INT_MAX);
	return control ? control_read(control, delay_obey, c) : NULL;
}

struct error *recorder_delay(struct recorder *recorder, unsigned int ms)
{
	struct workload *command = &recorder->workload;
	struct delay_control c = { .recorder = recorder };
	uint64_t now = monotonic_ms();
	uint64_t end = ms == RECORDER_UNTIL_TOLD ? UINT64_MAX : now + ms;
	struct error *err = command->pid ? workload_exec(command) : NULL;

	recorder->delayed = true;
	/* SIGCHLD interrupts the wait. */
	for (; !err && !c.begin && now < end && !interrupt_signal(); now = monotonic_ms()) {
		if (command->pid && workload_ended(command))
			break;
		err = delay_wait(recorder, &c, end - now);
	}
	if (!err && command->pid && workload_ended(command))
		log_notice("The command ended before recording was to begin.");
	return err;
}

struct error *recorder_start(struct recorder *recorder)
{
	struct error *err = recorder->started ? NULL : captures_start(&recorder->captures);

	if (err || !recorder->workload.pid || recorder->delayed)
		return err;
	return workload_exec(&recorder->workload);
}

struct error *recorder_run(struct recorder *recorder, struct loop_consumer *consumer)
{
	if (recorder->told_end)
		recorder->loop.duration_ms = 1;
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

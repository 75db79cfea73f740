// SPDX-License-Identifier: GPL-2.0
#include "recorder/workload.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/interrupt.h"

/* The interval of checks whether a command has ended after SIGTERM. */
#define END_POLL_MS 10

struct error *workload_fork(const struct workload_options *options, struct workload *ret)
{
	const struct spawn spawn = {
		.program = options->argv[0],
		.argv = options->argv,
		.errors = options->errors_fd,
		.unblocked = options->unblocked,
		.out_to_errors = options->to_errors,
		/* The task's name in records until the exec changes it. */
		.waiting_name = "ktrace-exec",
	};

	*ret = (struct workload){ .name = options->argv[0] };
	return spawn_gated(&spawn, &ret->pid, &ret->gate);
}

struct error *workload_exec(struct workload *workload)
{
	struct error *err = spawn_open_gate(&workload->gate, workload->name);

	/* Arguments that older pages write behind -g. */
	if (err && err->code == ENOENT &&
	    (!strcmp(workload->name, "dwarf") || !strcmp(workload->name, "lbr")))
		error_hint(err, "-g takes no argument; --call-graph %s records such chains",
			   workload->name);
	return err;
}

bool workload_ended(struct workload *workload)
{
	pid_t pid = workload->pid;

	if (pid && !workload->reaped &&
	    wait4(pid, &workload->wait_status, WNOHANG, &workload->usage) == pid)
		workload->reaped = true;
	return !workload->pid || workload->reaped;
}

int workload_status(const struct workload *workload)
{
	return spawn_status(workload->wait_status);
}

void workload_finish(struct workload *workload)
{
	if (!workload->pid)
		return;
	if (!workload_ended(workload))
		kill(workload->pid, SIGTERM);
	spawn_close_gate(&workload->gate);
	/* If the command ignores SIGTERM, we wait for it until a second signal comes. */
	while (!workload_ended(workload) && !interrupt_is_urgent())
		poll(NULL, 0, END_POLL_MS);
}

// SPDX-License-Identifier: GPL-2.0
/* sched_process_exit reports whether the whole process ends: not in v6.12, but in v7.3. */
#include <linux/sched.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

static void ended(void *data, struct task_struct *task, bool group_dead)
{
}

void probe(void);
void probe(void)
{
	check_trace_callback_type_sched_process_exit(ended);
}

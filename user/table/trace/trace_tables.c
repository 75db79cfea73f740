// SPDX-License-Identifier: GPL-2.0
/* Provider of the table of system calls (table/tables.def), without a command line. */
#include "record/header.h"
#include "table/print/table_provider.h"
#include "table/trace/trace_summary.h"

struct trace_maker {
	struct table_maker maker;
	struct session_consumer consumer;
	struct syscall_listener end;	/* single calls have no listener */
	struct syscalls *syscalls;
	struct descriptor_paths *paths;
	struct syscall_stats *stats;
	struct syscall_states *states;
	uint64_t events;
};

static struct error *trace_maker_check(const struct table_provider *provider,
				       const struct event_list *events)
{
	return syscall_states_recorded(events) ? NULL : trace_no_calls();
}

static struct error *trace_end_call(struct syscall_listener *listener,
				    const struct syscall_call *call)
{
	return NULL;
}

static struct error *trace_maker_sample(struct session_consumer *consumer,
					const struct session_record *r)
{
	struct trace_maker *m = container_of(consumer, struct trace_maker, consumer);
	bool taken = false;
	struct error *err = syscall_states_sample(m->states, r, &taken);

	m->events += taken;
	return err;
}

static struct error *trace_maker_other(struct session_consumer *consumer,
				       const struct session_record *r)
{
	struct trace_maker *m = container_of(consumer, struct trace_maker, consumer);

	return syscall_states_other(m->states, r) ? NULL : &error_no_memory;
}

static struct error *trace_maker_finish(struct session_consumer *consumer)
{
	return syscall_states_keep(container_of(consumer, struct trace_maker, consumer)->states);
}

static struct error *trace_maker_add(struct table_maker *maker, const struct table_output *output,
				     struct strbuf *out)
{
	struct trace_maker *m = container_of(maker, struct trace_maker, maker);
	struct trace_summary summary = {
		.events = m->events - syscall_states_repeated(m->states),
	};
	struct syscall_task_sums *tasks;
	struct error *err = syscall_stats_sorted(m->stats, m->states, &tasks, &summary.nr);

	summary.tasks = err ? NULL : tasks;
	if (!err)
		trace_summary_add(&summary, output, out);
	return err;
}

static void trace_maker_deinit(struct table_maker *maker)
{
	struct trace_maker *m = container_of(maker, struct trace_maker, maker);

	syscall_states_destroy(m->states);
	syscall_stats_destroy(m->stats);
	descriptor_paths_destroy(m->paths);
	syscalls_destroy(m->syscalls);
}

static struct error *trace_maker_init(struct table_maker *maker, const struct table_source *source)
{
	struct trace_maker *m = container_of(maker, struct trace_maker, maker);
	struct error *err = syscalls_create(source->header ? source->header->arch : NULL,
					    &m->syscalls);

	m->end = (struct syscall_listener){ .enter = trace_end_call, .exit = trace_end_call };
	m->consumer = (struct session_consumer){
		.sample = trace_maker_sample, .other = trace_maker_other,
		.finish = trace_maker_finish,
	};
	maker->consumer = &m->consumer;
	if (!err)
		err = descriptor_paths_create(false, &m->paths);
	if (!err)
		err = syscall_stats_create(&m->end, &m->stats);
	return err ? err : syscall_states_create(m->syscalls, NULL, m->paths,
						 syscall_stats_listener(m->stats), &m->states);
}

/* The maps show which tasks have 32-bit programs. */
const struct table_provider table_trace_summary = {
	.needs_machine = true, .size = sizeof(struct trace_maker), .check = trace_maker_check,
	.init = trace_maker_init, .deinit = trace_maker_deinit, .add = trace_maker_add,
};

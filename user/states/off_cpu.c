// SPDX-License-Identifier: GPL-2.0
#include "states/off_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/* A sleeping task, with the sample of its last switch. */
struct off_cpu_sleep {
	bool asleep;
	bool was_on_cpu;	/* a switch away from it was recorded */
	uint64_t since;
	uint64_t before;	/* ns of sleep from the start of the recording to its wakeup */
	struct perf_event_header *record;	/* a copy; owned */
	size_t alloc;
	const struct event *event;
	const struct event_format *format;
	int32_t pid, tid;
};

struct off_cpu {
	struct session_consumer consumer, *next;
	struct task_listener listener;
	struct sched_events events;
	struct task_states states;
	ARRAY_OF(struct off_cpu_sleep) sleeps;	/* by the index of their task */
	/* The session's, after its first record. */
	struct processes *processes;
	struct machine *machine;
	const struct event_list *list;
	struct off_cpu_rest rest;
};

static struct off_cpu_sleep *off_cpu_sleep_of(struct off_cpu *o, const struct sched_task *task)
{
	return array_at(&o->sleeps, task->index, 0);
}

/* With a second tracer of sched_switch, chains begin with the function that calls both. */
static bool off_cpu_is_scheduler(const struct place *place)
{
	static const char *const names[] = {
		"__traceiter_sched_switch", "__schedule", "schedule", "preempt_schedule",
	};

	for (size_t i = 0; place->symbol && i < ARRAY_SIZE(names); i++)
		if (!strcmp(place->symbol->name, names[i]))
			return true;
	return false;
}

void off_cpu_cut_chain(struct machine *machine, struct sample *sample)
{
	uint64_t *chain = (uint64_t *)sample->callchain;
	uint64_t nr = sample->nr_callchain, skip = 1;
	struct place place;

	if (!machine || nr < 2 || chain[0] != (uint64_t)PERF_CONTEXT_KERNEL)
		return;
	for (; skip < nr && chain[skip] < (uint64_t)PERF_CONTEXT_MAX; skip++) {
		machine_find(machine, NULL, PERF_RECORD_MISC_KERNEL, chain[skip], &place);
		if (!off_cpu_is_scheduler(&place))
			break;
	}
	if (skip == nr || chain[skip] >= (uint64_t)PERF_CONTEXT_MAX)
		return;
	chain[skip - 1] = chain[0];
	sample->callchain += skip - 1;
	sample->nr_callchain -= skip - 1;
	sample->ip = chain[skip];
	sample->cpumode = PERF_RECORD_MISC_KERNEL;
}

/* A sleeping task runs again, or the recording ends. */
static struct error *off_cpu_wake_up(struct off_cpu *o, const struct sched_task *task,
				     struct off_cpu_sleep *sleep, uint64_t until)
{
	struct session_record r = {
		.record = { .header = sleep->record, .event = sleep->event, .time = sleep->since },
		.event = sleep->event, .format = sleep->format, .events = o->list,
		.pid = sleep->pid, .tid = sleep->tid,
		.processes = o->processes, .machine = o->machine,
	};

	sleep->asleep = false;
	if (!o->next->sample || !sample_decode(sleep->event, sleep->record, &r.sample))
		return NULL;
	r.sample.period = until > sleep->since ? until - sleep->since : 0;
	r.comm = processes_comm(o->processes, r.pid, r.tid);
	if (o->machine)
		r.maps = processes_maps(o->processes, r.pid, r.tid);
	if (task->woken)
		r.waker = task->woken_by_interrupt ? "[interrupt]" :
			  processes_comm(o->processes, -1, task->waker);
	off_cpu_cut_chain(o->machine, &r.sample);
	return o->next->sample(o->next, &r);
}

static struct error *off_cpu_fall_asleep(struct off_cpu *o, const struct sched_event *e)
{
	const struct session_record *r = e->sample;
	const struct perf_event_header *header = r->record.header;
	struct sched_task *task = e->tid ? task_states_find(&o->states, e->tid) : NULL;
	struct off_cpu_sleep *sleep;

	if (!task)
		return NULL;
	sleep = off_cpu_sleep_of(o, task);
	if (!sleep)
		return &error_no_memory;
	sleep->was_on_cpu = true;
	if (e->leave.runnable || e->leave.dead)
		return NULL;
	if (sleep->alloc < header->size) {
		void *grown = realloc(sleep->record, header->size);

		if (!grown)
			return &error_no_memory;
		sleep->record = grown;
		sleep->alloc = header->size;
	}
	memcpy(sleep->record, header, header->size);
	sleep->asleep = true;
	sleep->since = e->time;
	sleep->event = r->event;
	sleep->format = r->format;
	sleep->tid = e->tid;
	sleep->pid = r->pid < 0 ? processes_pid(r->processes, e->tid) : r->pid;
	return NULL;
}

static struct error *off_cpu_runs(struct off_cpu *o, int32_t tid, uint64_t time)
{
	struct sched_task *task = tid ? task_states_find(&o->states, tid) : NULL;
	struct off_cpu_sleep *sleep;

	if (!task || task->index >= o->sleeps.nr)
		return NULL;
	sleep = &o->sleeps.items[task->index];
	return sleep->asleep ? off_cpu_wake_up(o, task, sleep, time) : NULL;
}

/* Count the sleep before the first recorded switch of a task. */
static struct error *off_cpu_stay(struct task_listener *listener, const struct sched_task *task,
				  uint64_t until, enum task_state next,
				  const struct sched_event *event)
{
	struct off_cpu *o = container_of(listener, struct off_cpu, listener);

	struct off_cpu_sleep *sleep;

	if (!event)
		return NULL;
	sleep = off_cpu_sleep_of(o, task);
	if (!sleep)
		return &error_no_memory;
	/* If a loss ends a sleep, the known part counts. */
	if (next == TASK_UNKNOWN && sleep->asleep)
		return off_cpu_wake_up(o, task, sleep, until);
	if (task->at_least && task->state == TASK_BLOCKED)
		sleep->before += until - task->since;
	return NULL;
}

static struct error *off_cpu_sample(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct off_cpu *o = container_of(consumer, struct off_cpu, consumer);
	struct sched_event event;
	struct error *err = sched_event_read(&o->events, r, &event);

	if (err)
		return err;
	o->processes = r->processes;
	o->machine = r->machine;
	o->list = r->events;
	if (!event.kind)
		return o->next->sample && !event.again ? o->next->sample(o->next, r) : NULL;
	err = task_states_apply(&o->states, &event);
	if (err || event.kind != SCHED_EVENT_SWITCH)
		return err;
	err = off_cpu_runs(o, event.next_tid, event.time);
	return err ? err : off_cpu_fall_asleep(o, &event);
}

static struct error *off_cpu_other(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct off_cpu *o = container_of(consumer, struct off_cpu, consumer);
	const struct perf_event_header *header = r->record.header;
	struct error *err = task_states_other(&o->states, r);

	/* In a command's recording, the switch to one of its tasks is no event of its tasks. */
	if (!err && header->type == PERF_RECORD_SWITCH &&
	    !(header->misc & PERF_RECORD_MISC_SWITCH_OUT))
		err = off_cpu_runs(o, r->tid, r->sample.time);
	if (!err && o->next->other)
		err = o->next->other(o->next, r);
	return err;
}

static struct error *off_cpu_finish(struct session_consumer *consumer)
{
	struct off_cpu *o = container_of(consumer, struct off_cpu, consumer);
	struct error *err = NULL, *last = NULL;
	const struct sched_task *task;
	uint64_t until;

	if (o->processes)
		err = task_states_finish(&o->states, o->processes);
	for (size_t i = 0; i < o->sleeps.nr && !err; i++) {
		/*
		 * Wakeups by recorded tasks are no evidence about tasks that were not recorded
		 * themselves.
		 */
		if (o->sleeps.items[i].was_on_cpu && o->sleeps.items[i].before) {
			o->rest.asleep_before++;
			o->rest.before_ns += o->sleeps.items[i].before;
		}
		if (!o->sleeps.items[i].asleep)
			continue;
		task = o->states.tasks.items[i];
		o->rest.asleep_after += task->state != TASK_DEAD;
		until = task->state == TASK_DEAD && task->since < o->states.end ? task->since :
										  o->states.end;
		err = off_cpu_wake_up(o, task, &o->sleeps.items[i], until);
	}
	if (o->next->finish)
		last = o->next->finish(o->next);
	if (err)
		error_free(last);
	return err ? err : last;
}

static struct error *off_cpu_rename(struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		char *name;

		if (strcmp(events->items[i]->name, "sched:sched_switch"))
			continue;
		name = strdup(OFF_CPU_EVENT);
		if (!name)
			return &error_no_memory;
		free(events->items[i]->name);
		events->items[i]->name = name;
	}
	return NULL;
}

struct error *off_cpu_create(struct event_list *events, struct session_consumer *next,
			     struct off_cpu **ret)
{
	struct off_cpu *o = calloc(1, sizeof(*o));

	if (!o)
		return &error_no_memory;
	o->next = next;
	o->listener.stay = off_cpu_stay;
	o->states.listener = &o->listener;
	o->consumer = (struct session_consumer){
		.sample = off_cpu_sample, .other = off_cpu_other, .finish = off_cpu_finish,
	};
	*ret = o;
	return off_cpu_rename(events);
}

void off_cpu_destroy(struct off_cpu *o)
{
	if (!o)
		return;
	array_free_each(&o->sleeps, .record);
	sched_events_deinit(&o->events);
	task_states_deinit(&o->states);
	free(o);
}

struct session_consumer *off_cpu_consumer(struct off_cpu *off_cpu)
{
	return &off_cpu->consumer;
}

void off_cpu_rest(const struct off_cpu *off_cpu, struct off_cpu_rest *ret)
{
	*ret = off_cpu->rest;
}

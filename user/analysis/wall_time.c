// SPDX-License-Identifier: GPL-2.0
#include "analysis/wall_time.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/off_cpu.h"
#include "lib/array.h"
#include "record/body.h"

/* A thread, and the sample of the last switch away from it. */
struct wall_thread {
	uint64_t ran;		/* ns since its last sample, in stays that have ended */
	uint64_t counted;	/* what ran until then is in @ran, or has a sample */
	struct perf_event_header *record;	/* a copy; owned; NULL: there was none */
	size_t alloc;
	const struct event *event;
	int32_t pid;
	bool seen;		/* in a sample of its own; others may not be recorded */
	uint64_t before;	/* ns off the CPU without a sample of where */
};

struct wall_time {
	struct session_consumer consumer, *next;
	struct task_listener listener;
	struct sched_events events;
	struct task_states states;
	struct {
		struct wall_thread *items;	/* by the index of their task */
		size_t nr, alloc;
	} threads;
	const struct event *event;	/* that all samples are given */
	/* The session's, once it has given a record. */
	struct processes *processes;
	struct machine *machine;
	const struct event_list *list;
	struct wall_rest rest;
	uint64_t copy[(UINT16_MAX + 1) / sizeof(uint64_t)];	/* of a record */
};

bool wall_time_is_clock(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type == PERF_TYPE_SOFTWARE)
		return attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		       attr->config == PERF_COUNT_SW_TASK_CLOCK;
	/* Above is which of several PMUs it is. */
	return attr->type == PERF_TYPE_HARDWARE &&
	       (uint32_t)attr->config == PERF_COUNT_HW_CPU_CYCLES;
}

static struct wall_thread *wall_thread_of(struct wall_time *w, const struct sched_task *task)
{
	while (w->threads.nr <= task->index)
		if (!array_push(&w->threads, ((struct wall_thread){ 0 })))
			return NULL;
	return &w->threads.items[task->index];
}

static struct error *wall_give(struct wall_time *w, struct session_record *r, const char *state,
			       uint64_t period)
{
	if (!w->next->sample)
		return NULL;
	r->sample.period = period;
	r->task_state = state;
	r->event = w->event;
	/* Its fields are those of a switch, or of nothing. */
	r->format = NULL;
	r->events = w->list;
	return w->next->sample(w->next, r);
}

/* A thread that was off the CPU is in another state. */
static struct error *wall_off(struct wall_time *w, struct wall_thread *thread,
			      const struct sched_task *task, uint64_t period)
{
	struct perf_event_header *header = (struct perf_event_header *)w->copy;
	struct session_record r = {
		.record = { .header = header, .event = thread->event, .time = task->since },
		.event = thread->event, .pid = thread->pid, .tid = task->tid,
		.processes = w->processes, .machine = w->machine,
	};

	if (thread->record)
		memcpy(header, thread->record, thread->record->size);
	if (!thread->record || !sample_decode(thread->event, header, &r.sample)) {
		thread->before += period;
		return NULL;
	}
	r.comm = processes_comm(w->processes, r.pid, r.tid);
	if (w->machine)
		r.maps = processes_maps(w->processes, r.pid, r.tid);
	off_cpu_cut_chain(w->machine, &r.sample);
	if (task->woken && !(task->state == TASK_RUNNABLE && task->leave.runnable))
		r.waker = task->woken_by_interrupt ? "[interrupt]" :
			  processes_comm(w->processes, -1, task->waker);
	if (task->state == TASK_RUNNABLE) {
		w->rest.runnable += period;
		return wall_give(w, &r, "runnable", period);
	}
	w->rest.blocked += period;
	return wall_give(w, &r, "blocked", period);
}

static struct error *wall_stay(struct task_listener *listener, const struct sched_task *task,
			       uint64_t until, enum task_state next,
			       const struct sched_event *event)
{
	struct wall_time *w = container_of(listener, struct wall_time, listener);
	struct wall_thread *thread = wall_thread_of(w, task);
	uint64_t since = task->since;

	if (!thread)
		return &error_no_memory;
	if (task->state == TASK_RUNNING) {
		since = since < thread->counted ? thread->counted : since;
		thread->ran += until > since ? until - since : 0;
		thread->counted = until;
		return NULL;
	}
	if (task->state == TASK_DEAD || until <= since)
		return NULL;
	return wall_off(w, thread, task, until - since);
}

/* A sample of the clock stands for all that the thread ran since the last one. */
static struct error *wall_on(struct wall_time *w, const struct session_record *r)
{
	int32_t tid = r->sample.tid;
	struct sched_task *task = tid ? task_states_find(&w->states, tid) : NULL;
	struct wall_thread *thread;
	struct session_record on = *r;
	uint64_t period;

	/* Idle tasks are no threads; of others nothing is known before the first switch. */
	if (!task)
		return NULL;
	thread = wall_thread_of(w, task);
	if (!thread)
		return &error_no_memory;
	if (task->state == TASK_RUNNING) {
		uint64_t since = task->since < thread->counted ? thread->counted : task->since;

		thread->ran += r->sample.time > since ? r->sample.time - since : 0;
		if (r->sample.time > since)
			thread->counted = r->sample.time;
	}
	thread->seen = true;
	period = thread->ran;
	thread->ran = 0;
	w->rest.running += period;
	return period ? wall_give(w, &on, "running", period) : NULL;
}

/* Remember where the thread stops. */
static struct error *wall_keep_switch(struct wall_time *w, const struct sched_event *e)
{
	const struct session_record *r = e->sample;
	const struct perf_event_header *header = r->record.header;
	struct sched_task *task = e->tid ? task_states_find(&w->states, e->tid) : NULL;
	struct wall_thread *thread = task ? wall_thread_of(w, task) : NULL;

	if (!task)
		return NULL;
	if (!thread)
		return &error_no_memory;
	if (thread->alloc < header->size) {
		void *grown = realloc(thread->record, header->size);

		if (!grown)
			return &error_no_memory;
		thread->record = grown;
		thread->alloc = header->size;
	}
	memcpy(thread->record, header, header->size);
	thread->event = r->event;
	thread->seen = true;
	thread->pid = r->pid < 0 ? processes_pid(r->processes, e->tid) : r->pid;
	return NULL;
}

static struct error *wall_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct wall_time *w = container_of(consumer, struct wall_time, consumer);
	struct sched_event event;
	struct error *err = sched_event_read(&w->events, r, &event);

	if (err)
		return err;
	w->processes = r->processes;
	w->machine = r->machine;
	w->list = r->events;
	if (!event.kind && wall_time_is_clock(r->event))
		return wall_on(w, r);
	if (!event.kind)
		return w->next->sample ? w->next->sample(w->next, r) : NULL;
	err = task_states_apply(&w->states, &event);
	return err || event.kind != SCHED_EVENT_SWITCH ? err : wall_keep_switch(w, &event);
}

static struct error *wall_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct wall_time *w = container_of(consumer, struct wall_time, consumer);
	struct error *err = task_states_other(&w->states, r);

	if (!err && w->next->other)
		err = w->next->other(w->next, r);
	return err;
}

static struct error *wall_finish(struct session_consumer *consumer)
{
	struct wall_time *w = container_of(consumer, struct wall_time, consumer);
	struct error *err = NULL, *last = NULL;

	if (w->processes)
		err = task_states_finish(&w->states, w->processes);
	for (size_t i = 0; i < w->threads.nr; i++) {
		if (!w->threads.items[i].seen)
			continue;
		w->rest.unsampled += w->threads.items[i].ran;
		w->rest.before += w->threads.items[i].before;
	}
	if (w->next->finish)
		last = w->next->finish(w->next);
	if (err)
		error_free(last);
	return err ? err : last;
}

struct error *wall_time_create(struct event_list *events, struct session_consumer *next,
			       struct wall_time **ret)
{
	_cleanup_(wall_time) struct wall_time *w = calloc(1, sizeof(*w));

	if (!w)
		return &error_no_memory;
	for (size_t i = 0; i < events->nr && !w->event; i++) {
		char *name;

		if (strcmp(events->items[i]->name, "sched:sched_switch"))
			continue;
		name = strdup(WALL_TIME_EVENT);
		if (!name)
			return &error_no_memory;
		free(events->items[i]->name);
		events->items[i]->name = name;
		w->event = events->items[i];
	}
	w->next = next;
	w->listener.stay = wall_stay;
	w->states.listener = &w->listener;
	w->consumer = (struct session_consumer){
		.sample = wall_sample, .other = wall_other, .finish = wall_finish,
	};
	*ret = take_ptr(w);
	return NULL;
}

void wall_time_destroy(struct wall_time *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->threads.nr; i++)
		free(w->threads.items[i].record);
	free(w->threads.items);
	sched_events_deinit(&w->events);
	task_states_deinit(&w->states);
	free(w);
}

struct session_consumer *wall_time_consumer(struct wall_time *w)
{
	return &w->consumer;
}

void wall_time_rest(const struct wall_time *w, struct wall_rest *ret)
{
	*ret = w->rest;
}

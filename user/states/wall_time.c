// SPDX-License-Identifier: GPL-2.0
#include "states/wall_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "states/known_events.h"
#include "states/off_cpu.h"

/* A copy of a sample, to be given again with another period. */
struct wall_place {
	struct perf_event_header *record;	/* owned; NULL: none */
	size_t alloc;
	const struct event *event;
	int32_t pid;
	uint64_t time;
};

struct wall_thread {
	uint64_t ran;		/* ns since its last sample, in ended stays */
	uint64_t counted;	/* run time up to then is in @ran, or has a sample */
	struct wall_place on;	/* its last sample of the clock */
	struct wall_place off;	/* the last switch away from it; at first, its creation */
	bool seen;		/* it has a sample of its own; other threads may not be recorded */
	bool switched;		/* away from it, so @off is its own */
	bool strange;		/* records were lost since, so @off may be wrong */
	uint64_t lost;		/* ns off the CPU at an unknown place because of that */
	uint64_t before;	/* ns off the CPU before its first own sample */
};

struct wall_time {
	struct session_consumer consumer, *next;
	struct task_listener listener;
	struct sched_events events;
	struct task_states states;
	ARRAY_OF(struct wall_thread) threads;	/* by the index of their task */
	const struct event *event;	/* the event of all samples */
	/* The session's, after its first record. */
	struct processes *processes;
	struct machine *machine;
	const struct event_list *list;
	bool ending;
	struct wall_rest rest;
	uint64_t copy[(UINT16_MAX + 1) / sizeof(uint64_t)];	/* of a record */
};

/* Whether samples of @event show where threads ran. */
static bool wall_time_is_clock(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type == PERF_TYPE_SOFTWARE)
		return attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		       attr->config == PERF_COUNT_SW_TASK_CLOCK;
	/* The upper bits select one of several PMUs. */
	return attr->type == PERF_TYPE_HARDWARE &&
	       (uint32_t)attr->config == PERF_COUNT_HW_CPU_CYCLES;
}

struct error *wall_time_check(const struct event_list *events)
{
	bool clock = false;
	struct error *err = needed_events_check(NEEDED_SLEEPS, events);

	for (size_t i = 0; i < events->nr && !clock; i++)
		clock = wall_time_is_clock(events->items[i]);
	if (err || clock)
		return err;
	return error_hint(error_new(ENODATA, "The recording does not show the running code: it has "
				    "no samples of cpu-clock or cycles"),
			  "'ktrace record --off-cpu' records it");
}

static struct wall_thread *wall_thread_of(struct wall_time *w, const struct sched_task *task)
{
	return array_at(&w->threads, task->index, 0);
}

static struct error *wall_give(struct wall_time *w, struct session_record *r, const char *state,
			       uint64_t period)
{
	if (!w->next->sample)
		return NULL;
	r->sample.period = period;
	r->task_state = state;
	r->event = w->event;
	/* Its fields are those of a switch, or there are none. */
	r->format = NULL;
	r->events = w->list;
	return w->next->sample(w->next, r);
}

static struct error *wall_place_keep(struct wall_place *place, const struct session_record *r,
				     int32_t pid)
{
	const struct perf_event_header *header = r->record.header;

	if (place->alloc < header->size) {
		void *grown = realloc(place->record, header->size);

		if (!grown)
			return &error_no_memory;
		place->record = grown;
		place->alloc = header->size;
	}
	memcpy(place->record, header, header->size);
	place->event = r->event;
	place->pid = pid;
	place->time = r->sample.time;
	return NULL;
}

/* Returns false if there is no such sample.  The record is in a copy, which may be modified. */
static bool wall_place_get(struct wall_time *w, const struct wall_place *place, int32_t tid,
			   uint64_t time, struct session_record *ret)
{
	struct perf_event_header *header = (struct perf_event_header *)w->copy;

	*ret = (struct session_record){
		.record = { .header = header, .event = place->event, .time = time },
		.event = place->event, .pid = place->pid, .tid = tid,
		.processes = w->processes, .machine = w->machine,
	};
	if (place->record)
		memcpy(header, place->record, place->record->size);
	if (!place->record || !sample_decode(place->event, header, &ret->sample))
		return false;
	/* In the sample of a thread's creation, these are its creator's. */
	ret->sample.pid = place->pid;
	ret->sample.tid = tid;
	ret->comm = processes_comm(w->processes, place->pid, tid);
	if (w->machine)
		ret->maps = processes_maps(w->processes, place->pid, tid);
	return true;
}

/* The state of a thread off the CPU changes. */
static struct error *wall_off(struct wall_time *w, struct wall_thread *thread,
			      const struct sched_task *task, uint64_t period)
{
	struct session_record r;

	if (thread->strange) {
		thread->lost += period;
		return NULL;
	}
	if (!thread->switched || !wall_place_get(w, &thread->off, task->tid, task->since, &r)) {
		thread->before += period;
		return NULL;
	}
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

/*
 * Process the first sample of a thread.  If its creation was recorded, it has waited for a CPU
 * since then.
 */
static struct error *wall_first(struct wall_time *w, struct wall_thread *thread, int32_t tid)
{
	uint64_t period = thread->before;
	struct session_record r;

	thread->seen = true;
	if (!period || !wall_place_get(w, &thread->off, tid, thread->off.time, &r))
		return NULL;
	thread->before = 0;
	off_cpu_cut_chain(w->machine, &r.sample);
	w->rest.runnable += period;
	return wall_give(w, &r, "runnable", period);
}

/*
 * No further sample of the thread follows, so its last one also represents the run time since; if
 * the clock has none, the switch where it stopped does.
 */
static struct error *wall_last(struct wall_time *w, struct wall_thread *thread, int32_t tid)
{
	const struct wall_place *place = thread->on.record ? &thread->on : &thread->off;
	uint64_t period = thread->ran;
	struct session_record r;

	if (!thread->seen || !period || (place == &thread->off && !thread->switched) ||
	    !wall_place_get(w, place, tid, place->time, &r))
		return NULL;
	thread->ran = 0;
	w->rest.running += period;
	return wall_give(w, &r, "running", period);
}

static struct error *wall_stay(struct task_listener *listener, const struct sched_task *task,
			       uint64_t until, enum task_state next,
			       const struct sched_event *event)
{
	struct wall_time *w = container_of(listener, struct wall_time, listener);
	struct wall_thread *thread = wall_thread_of(w, task);
	uint64_t since = task->since;
	struct error *err = NULL;

	if (!thread)
		return &error_no_memory;
	if (task->state == TASK_RUNNING) {
		since = since < thread->counted ? thread->counted : since;
		thread->ran += until > since ? until - since : 0;
		if (thread->counted < until)
			thread->counted = until;
	} else if (task->state != TASK_DEAD && until > since) {
		err = wall_off(w, thread, task, until - since);
	}
	thread->strange |= next == TASK_UNKNOWN && event;
	/* A switch that ends it is a sample, too. */
	if (!err && (w->ending || (next == TASK_DEAD && event->kind != SCHED_EVENT_SWITCH)))
		err = wall_last(w, thread, task->tid);
	return err;
}

/* A sample of the clock represents the thread's whole run time since the last one. */
static struct error *wall_on(struct wall_time *w, const struct session_record *r)
{
	int32_t tid = r->sample.tid;
	struct sched_task *task = tid ? task_states_find(&w->states, tid) : NULL;
	struct wall_thread *thread;
	struct session_record on = *r;
	struct error *err = NULL;
	uint64_t period;

	/* Idle tasks are no threads; other tasks are unknown before their first switch. */
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
	if (!thread->seen)
		err = wall_first(w, thread, tid);
	if (!err)
		err = wall_place_keep(&thread->on, r, r->pid);
	if (err)
		return err;
	period = thread->ran;
	thread->ran = 0;
	w->rest.running += period;
	return period ? wall_give(w, &on, "running", period) : NULL;
}

/* Remember the place where the thread stops, or is created. */
static struct error *wall_keep(struct wall_time *w, const struct sched_event *e)
{
	const struct session_record *r = e->sample;
	bool is_switch = e->kind == SCHED_EVENT_SWITCH;
	struct sched_task *task = e->tid ? task_states_find(&w->states, e->tid) : NULL;
	struct wall_thread *thread = task ? wall_thread_of(w, task) : NULL;
	struct error *err;

	if (!task)
		return NULL;
	if (!thread)
		return &error_no_memory;
	if (is_switch && !thread->seen) {
		err = wall_first(w, thread, e->tid);
		if (err)
			return err;
	}
	if (!is_switch && (thread->seen || thread->before))
		return NULL;
	thread->switched = is_switch;
	thread->strange &= !is_switch;
	err = wall_place_keep(&thread->off, r, is_switch && r->pid >= 0 ? r->pid :
			      processes_pid(r->processes, e->tid));
	/* The name of an ended thread may later belong to another one. */
	if (!err && is_switch && e->leave.dead)
		err = wall_last(w, thread, e->tid);
	return err;
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
		return w->next->sample && !event.again ? w->next->sample(w->next, r) : NULL;
	err = task_states_apply(&w->states, &event);
	if (err || (event.kind != SCHED_EVENT_SWITCH && event.kind != SCHED_EVENT_WAKEUP_NEW))
		return err;
	return wall_keep(w, &event);
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

	w->ending = true;
	if (w->processes)
		err = task_states_finish(&w->states, w->processes);
	for (size_t i = 0; i < w->threads.nr; i++)
		if (w->threads.items[i].seen) {
			w->rest.before += w->threads.items[i].before;
			w->rest.lost += w->threads.items[i].lost;
		}
	if (w->next->finish)
		last = w->next->finish(w->next);
	if (err)
		error_free(last);
	return err ? err : last;
}

static struct event *wall_switches(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (!strcmp(events->items[i]->name, "sched:sched_switch") ||
		    !strcmp(events->items[i]->name, WALL_TIME_EVENT))
			return events->items[i];
	return NULL;
}

struct error *wall_time_rename_event(struct event_list *events)
{
	struct event *event = wall_switches(events);
	char *name = event ? strdup(WALL_TIME_EVENT) : NULL;

	if (!event)
		return NULL;
	if (!name)
		return &error_no_memory;
	free(event->name);
	event->name = name;
	return NULL;
}

struct error *wall_time_create(const struct event_list *events, struct session_consumer *next,
			       struct wall_time **ret)
{
	struct wall_time *w = calloc(1, sizeof(*w));

	if (!w)
		return &error_no_memory;
	w->event = wall_switches(events);
	w->next = next;
	w->listener.stay = wall_stay;
	w->states.listener = &w->listener;
	w->consumer = (struct session_consumer){
		.sample = wall_sample, .other = wall_other, .finish = wall_finish,
	};
	*ret = w;
	return NULL;
}

void wall_time_destroy(struct wall_time *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->threads.nr; i++) {
		free(w->threads.items[i].on.record);
		free(w->threads.items[i].off.record);
	}
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

void wall_time_add_missing(const struct wall_time *w, struct strbuf *out)
{
	if (w->rest.before)
		strbuf_addf(out, "%.6f ms more are not shown: threads were off the CPU before "
			    "their first switch, in an unknown function.", w->rest.before / 1e6);
	if (w->rest.lost)
		strbuf_addf(out, "%sFor %.6f ms the states of threads are unknown, because records "
			    "were lost.", w->rest.before ? " " : "", w->rest.lost / 1e6);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * State intervals of tasks are markers that last, with the call chain with which the task left its
 * CPU.  An interval whose beginning or end is not in the recording is left out.  So is one whose
 * end does not fit: recordings of some tasks do not show when these get a CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "output/firefox/firefox.h"

/* Positions in the fields of a state interval. */
enum { STAY_CPU, STAY_STATE, STAY_WAKER };

static const char *const stay_names[TASK_STATES] = {
	[TASK_RUNNING] = "running", [TASK_RUNNABLE] = "waiting for a CPU",
	[TASK_BLOCKED] = "blocked",
};

static bool is_whole_stay(const struct sched_task *task, enum task_state next)
{
	if (task->at_least || next == TASK_UNKNOWN)
		return false;
	return task->state == TASK_RUNNING ||
	       (task->state == TASK_RUNNABLE && next == TASK_RUNNING) ||
	       (task->state == TASK_BLOCKED && (next == TASK_RUNNING || next == TASK_RUNNABLE));
}

static struct error *add_stay_waker(struct firefox_states *s, const struct sched_task *task,
				    const struct session_record *r)
{
	const struct firefox_field *field = &s->schemas[TASK_BLOCKED].items[STAY_WAKER];
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (task->woken_by_interrupt)
		strbuf_addstr(&text, "an interrupt");
	else
		strbuf_addf(&text, "%s %d", processes_comm(r->processes, -1, task->waker),
			    task->waker);
	return text.failed ? &error_no_memory :
	       firefox_add_text(s->file, &s->values, field, strbuf_str(&text), text.len);
}

static struct error *add_stay_values(struct firefox_states *s, const struct sched_task *task,
				     const struct session_record *r)
{
	const struct firefox_schema *schema = &s->schemas[task->state];
	struct error *err = NULL;

	strbuf_reset(&s->values);
	if (task->state == TASK_RUNNING)
		firefox_add_number(&s->values, &schema->items[STAY_CPU], task->cpu);
	else if (task->leave.letter && (task->state == TASK_BLOCKED || task->leave.runnable))
		err = firefox_add_text(s->file, &s->values, &schema->items[STAY_STATE],
				       &task->leave.letter, 1);
	if (!err && task->state == TASK_BLOCKED && task->waker >= 0)
		err = add_stay_waker(s, task, r);
	return !err && s->values.failed ? &error_no_memory : err;
}

static struct error *add_stay(struct firefox_states *s, const struct sched_task *task,
			      uint64_t until, const struct session_record *r)
{
	struct task_name name = { r->sample.pid, task->tid, NULL };
	struct firefox_marker marker = {
		.time = until, .since = task->since, .lasts = true,
		.name = s->schemas[task->state].name, .values = &s->values,
		.stack = task->state == TASK_RUNNING ? SAMPLE_STACK_NONE :
			 s->left.items[task->index],
	};
	struct firefox_thread *thread;
	struct error *err;

	if (task->tid != r->sample.tid)
		name.pid = processes_pid(r->processes, task->tid);
	if (name.pid < 0)
		return NULL;
	name.comm = processes_comm(r->processes, name.pid, name.tid);
	err = firefox_threads_find(s->threads, s->file, &name, r, &thread);
	if (!err)
		err = add_stay_values(s, task, r);
	if (!err)
		firefox_thread_add_marker(thread, &marker);
	return err;
}

static struct error *firefox_stay(struct task_listener *listener, const struct sched_task *task,
				  uint64_t until, enum task_state next,
				  const struct sched_event *event)
{
	struct firefox_states *s = container_of(listener, struct firefox_states, listener);
	struct error *err = NULL;

	if (!array_at(&s->left, task->index, SAMPLE_STACK_NONE))
		return &error_no_memory;
	if (is_whole_stay(task, next))
		err = add_stay(s, task, until, event->sample);
	if (event->kind == SCHED_EVENT_SWITCH && event->tid == task->tid)
		s->left.items[task->index] = s->stack;
	return err;
}

/* Most recordings have no such events, and then no texts about them. */
static struct error *begin_states(struct firefox_states *s)
{
	struct error *err = NULL;

	s->listener.stay = firefox_stay;
	s->states.listener = &s->listener;
	for (size_t i = 0; !err && i < TASK_STATES; i++) {
		struct firefox_schema *schema = &s->schemas[i];

		if (!stay_names[i])
			continue;
		err = firefox_find_text(s->file, stay_names[i], strlen(stay_names[i]),
					&schema->name);
		if (!err)
			err = firefox_schema_add(schema, s->file, "_cpu", FIREFOX_UNSIGNED);
		if (!err)
			err = firefox_schema_add(schema, s->file, "state", FIREFOX_TEXT);
		if (!err)
			err = firefox_schema_add(schema, s->file, "waker", FIREFOX_TEXT);
	}
	return err;
}

void firefox_states_deinit(struct firefox_states *s)
{
	for (size_t i = 0; i < TASK_STATES; i++)
		firefox_schema_deinit(&s->schemas[i]);
	sched_events_deinit(&s->events);
	task_states_deinit(&s->states);
	strbuf_deinit(&s->values);
	free(s->left.items);
}

struct error *firefox_states_take(struct firefox_states *s, const struct session_record *r,
				  uint32_t stack)
{
	struct sched_event event;
	struct error *err = sched_event_read(&s->events, r, &event);

	if (err || event.kind == SCHED_EVENT_OTHER)
		return err;
	s->stack = stack;
	if (!s->listener.stay)
		err = begin_states(s);
	return err ? err : task_states_apply(&s->states, &event);
}

void firefox_states_write_schemas(const struct firefox_states *s)
{
	for (size_t i = 0; s->listener.stay && i < TASK_STATES; i++)
		if (stay_names[i])
			firefox_schema_write(&s->schemas[i], NULL, s->file);
}

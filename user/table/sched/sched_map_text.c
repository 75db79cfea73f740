// SPDX-License-Identifier: GPL-2.0
#include "table/sched/sched_map_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/color.h"
#include "lib/escape.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/strbuf.h"
#include "record/header.h"
#include "states/task_states.h"
#include "table/print/table_print.h"
#include "terminal/word_list.h"

#define FLUSH_BYTES	65536
/* The map's data about a task; idle tasks share one. */
struct map_name {
	char text[3];		/* "A0"; empty: it has not run yet */
	bool renamed;		/* it has a name that no line has shown */
	bool marked;
};

struct sched_map_text {
	struct session_consumer consumer;
	const struct sched_map_options *options;
	struct sched_events events;
	struct task_states states;
	struct map_name idle;
	ARRAY_OF(struct map_name) names;	/* by the index of their task */
	ARRAY_OF(size_t) runs;	/* by CPU: index of its task + 2; 1: idle; 0: not known yet */
	ARRAY_OF(int32_t) columns;	/* compact: the CPUs in the order in which they came */
	/* tids that were named before they did anything; -1: none */
	ARRAY_OF(int32_t) early;
	struct hash_table by_tid;	/* of early */
	char letter, digit;	/* of the next task */
	struct strbuf buf;
};

static struct map_name *map_name_at(struct sched_map_text *m, size_t run)
{
	if (run == 1)
		return &m->idle;
	return array_at(&m->names, run - 2, 0);
}

/* Where an early task is; NULL: it is none. */
static int32_t *map_find_early(struct sched_map_text *m, int32_t tid)
{
	hash_table_each(&m->by_tid, hash_key_number(tid), n)
		if (m->early.items[n] == tid)
			return &m->early.items[n];
	return NULL;
}

static struct error *map_add_early(struct sched_map_text *m, int32_t tid)
{
	if (tid < 0 || map_find_early(m, tid))
		return NULL;
	if (!array_push(&m->early, tid) ||
	    !hash_table_add(&m->by_tid, hash_key_number(tid), m->early.nr - 1))
		return &error_no_memory;
	return NULL;
}

static bool map_forget_early(struct sched_map_text *m, int32_t tid)
{
	int32_t *early = map_find_early(m, tid);

	if (early)
		*early = -1;
	return early;
}

struct map_match {
	const char *comm;
	bool in_part, found;
};

static struct error *map_compare(void *data, const char *word)
{
	struct map_match *match = data;

	match->found |= match->in_part ? !!strstr(match->comm, word) : !strcmp(match->comm, word);
	return NULL;
}

/* Whether the options select a task. */
static bool map_wants(const struct sched_map_text *m, const struct sched_event *e, int32_t tid)
{
	struct map_match match = { .in_part = m->options->tasks_in_part };

	if (!m->options->tasks)
		return true;
	match.comm = processes_comm(e->sample->processes, -1, tid);
	error_free(word_list_each(m->options->tasks, ",", map_compare, &match));
	return match.found;
}

static void map_give_name(struct sched_map_text *m, struct map_name *name, int32_t tid,
			  bool wanted)
{
	const struct id_list *marked = &m->options->marked_tids;

	for (size_t i = 0; i < marked->nr; i++)
		name->marked |= marked->items[i] == tid;
	name->renamed |= map_forget_early(m, tid);
	if (!tid) {
		snprintf(name->text, sizeof(name->text), ". ");
		return;
	}
	/* As in perf, one sign stands for all other tasks. */
	if (!wanted) {
		snprintf(name->text, sizeof(name->text), "- ");
		return;
	}
	name->text[0] = m->letter;
	name->text[1] = m->digit;
	if (m->letter++ < 'Z')
		return;
	m->letter = 'A';
	m->digit = m->digit < '9' ? m->digit + 1 : '0';
}

static struct error *map_add_cpu(struct sched_map_text *m, int32_t cpu, bool *is_new)
{
	if (!array_at(&m->runs, cpu, 0))
		return &error_no_memory;
	*is_new = !m->runs.items[cpu];
	if (*is_new && m->options->compact && !array_push(&m->columns, cpu))
		return &error_no_memory;
	return NULL;
}

static void map_add_colored(struct sched_map_text *m, const char *text, bool colored,
			    enum color_role role)
{
	if (colored)
		strbuf_addstr(&m->buf, color_on(role));
	strbuf_addstr(&m->buf, text);
	if (colored)
		strbuf_addstr(&m->buf, color_off(role));
}

static struct error *map_add_column(struct sched_map_text *m, int32_t cpu, int32_t switched,
				    bool left)
{
	const struct sched_map_options *o = m->options;
	size_t run = (size_t)cpu < m->runs.nr ? m->runs.items[cpu] : 0;
	struct map_name *name;

	if (o->shown && !cpumap_has(o->shown, cpu))
		return NULL;
	if (cpu == switched)
		map_add_colored(m, "*", o->marked_cpus && cpumap_has(o->marked_cpus, cpu),
				COLOR_MATCH);
	else
		strbuf_addch(&m->buf, ' ');
	if (!run) {
		strbuf_addstr(&m->buf, "   ");
		return NULL;
	}
	if (cpu == switched && left) {
		strbuf_addstr(&m->buf, "-  ");
		return NULL;
	}
	name = map_name_at(m, run);
	if (!name)
		return &error_no_memory;
	map_add_colored(m, name->text, name->marked, COLOR_NOTE);
	strbuf_addch(&m->buf, ' ');
	return NULL;
}

/* @left: the task that ran on the CPU that @switched went away. */
static struct error *map_add_columns(struct sched_map_text *m, int32_t switched, bool left)
{
	size_t nr = m->options->compact ? m->columns.nr :
		    m->options->cpus > m->runs.nr ? m->options->cpus : m->runs.nr;
	struct error *err = NULL;

	for (size_t i = 0; i < nr && !err; i++)
		err = map_add_column(m, m->options->compact ? m->columns.items[i] : (int32_t)i,
				     switched, left);
	return err;
}

static struct error *map_write(struct sched_map_text *m)
{
	FILE *out = m->options->out;

	if (m->buf.failed)
		return &error_no_memory;
	fwrite(strbuf_str(&m->buf), 1, m->buf.len, out);
	strbuf_reset(&m->buf);
	return ferror(out) ? error_errno(errno, "Cannot write the map") : NULL;
}

static struct error *map_add_line(struct sched_map_text *m, const struct sched_event *e,
				  struct map_name *name, bool is_new, bool is_new_cpu)
{
	const struct sched_map_options *o = m->options;
	struct error *err;
	size_t from;

	strbuf_addstr(&m->buf, "  ");
	err = map_add_columns(m, e->cpu, false);
	if (!err && (!o->shown || cpumap_has(o->shown, e->cpu))) {
		strbuf_addstr(&m->buf, "  ");
		table_add_seconds(e->time, 12, &m->buf);
		strbuf_addstr(&m->buf, " secs ");
		if (is_new || name->renamed || (o->verbose && e->next_tid)) {
			from = m->buf.len;
			strbuf_addf(&m->buf, "%s => %s:%" PRId32, name->text,
				    processes_comm(e->sample->processes, -1, e->next_tid),
				    e->next_tid);
			escape_line_ends(&m->buf, from);
			name->renamed = false;
		}
		if (o->compact && is_new_cpu)
			strbuf_addf(&m->buf, " (CPU %" PRId32 ")", e->cpu);
	}
	strbuf_addch(&m->buf, '\n');
	return err ? err : m->buf.len >= FLUSH_BYTES || m->buf.failed ? map_write(m) : NULL;
}

/* A line for a task that was asked for and went away, if it was seen to come. */
static struct error *map_add_left(struct sched_map_text *m, const struct sched_event *e)
{
	const struct sched_map_options *o = m->options;
	struct sched_task *task = e->tid ? task_states_find(&m->states, e->tid) : NULL;
	const struct map_name *name = map_name_at(m, task ? task->index + 2 : 1);
	struct error *err;

	if (!name)
		return &error_no_memory;
	if (!name->text[0] || (o->shown && !cpumap_has(o->shown, e->cpu)))
		return NULL;
	strbuf_addstr(&m->buf, "  ");
	err = map_add_columns(m, e->cpu, true);
	strbuf_addstr(&m->buf, "  ");
	table_add_seconds(e->time, 12, &m->buf);
	strbuf_addstr(&m->buf, " secs \n");
	return err;
}

static struct error *map_switch(struct sched_map_text *m, const struct sched_event *e)
{
	struct sched_task *task = e->next_tid ? task_states_find(&m->states, e->next_tid) : NULL;
	bool is_new, is_new_cpu;
	struct map_name *name;
	struct error *err;

	if (e->cpu < 0 || e->cpu >= HEADER_CPUS_MAX)
		return NULL;
	err = map_add_cpu(m, e->cpu, &is_new_cpu);
	if (err)
		return err;
	m->runs.items[e->cpu] = task ? task->index + 2 : 1;
	name = map_name_at(m, m->runs.items[e->cpu]);
	if (!name)
		return &error_no_memory;
	is_new = !name->text[0];
	if (is_new)
		map_give_name(m, name, e->next_tid, map_wants(m, e, e->next_tid));
	if (map_wants(m, e, e->next_tid))
		err = map_add_line(m, e, name, is_new, is_new_cpu);
	if (!err && m->options->tasks && map_wants(m, e, e->tid))
		err = map_add_left(m, e);
	return err;
}

static struct error *map_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct sched_map_text *m = container_of(consumer, struct sched_map_text, consumer);
	struct sched_event event;
	struct error *err = sched_event_read(&m->events, r, &event);

	if (err || !event.kind)
		return err;
	err = task_states_apply(&m->states, &event);
	return err || event.kind != SCHED_EVENT_SWITCH ? err : map_switch(m, &event);
}

/*
 * perf looks up the task that wrote the record of a name.  For the names of tasks that existed
 * before the recording that is the idle task.
 */
static struct error *map_rename(struct sched_map_text *m, const struct session_record *r)
{
	int32_t tid = r->sample.tid >= 0 ? r->sample.tid : r->tid;
	struct sched_task *task = tid ? task_states_find(&m->states, tid) : NULL;
	struct map_name *name;

	if (tid && !task)
		return map_add_early(m, tid);
	name = map_name_at(m, task ? task->index + 2 : 1);
	if (!name)
		return &error_no_memory;
	name->renamed = true;
	return NULL;
}

static struct error *map_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct sched_map_text *m = container_of(consumer, struct sched_map_text, consumer);

	if (r->record.header->type == PERF_RECORD_COMM)
		return map_rename(m, r);
	if (r->record.header->type == PERF_RECORD_FORK)
		map_forget_early(m, r->tid);
	return task_states_other(&m->states, r);
}

static struct error *map_finish(struct session_consumer *consumer)
{
	return map_write(container_of(consumer, struct sched_map_text, consumer));
}

struct error *sched_map_text_create(const struct sched_map_options *options,
				    struct sched_map_text **ret)
{
	struct sched_map_text *m = calloc(1, sizeof(*m));

	if (!m)
		return &error_no_memory;
	m->options = options;
	m->letter = 'A';
	m->digit = '0';
	m->consumer = (struct session_consumer){
		.sample = map_sample, .other = map_other, .finish = map_finish,
	};
	*ret = m;
	return NULL;
}

void sched_map_text_destroy(struct sched_map_text *m)
{
	if (!m)
		return;
	sched_events_deinit(&m->events);
	task_states_deinit(&m->states);
	free(m->names.items);
	free(m->runs.items);
	free(m->columns.items);
	free(m->early.items);
	hash_table_deinit(&m->by_tid);
	strbuf_deinit(&m->buf);
	free(m);
}

struct session_consumer *sched_map_text_consumer(struct sched_map_text *m)
{
	return &m->consumer;
}

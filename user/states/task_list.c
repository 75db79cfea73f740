// SPDX-License-Identifier: GPL-2.0
#include "states/task_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "record/body.h"

struct task_list {
	struct session_consumer consumer;
	struct task_entry *items;
	size_t nr, alloc;
	struct hash_table table;	/* positions by tid */
	size_t first, last;	/* of the tasks at the top */
	bool keep_maps;
	struct processes *processes;	/* those of the session; NULL: not known yet */
};

static size_t task_list_find(const struct task_list *list, int32_t tid)
{
	hash_table_each(&list->table, hash_key_number(tid), n)
		if (list->items[n].tid == tid)
			return n;
	return TASK_LIST_NONE;
}

static struct task_entry *task_list_find_or_add(struct task_list *list, int32_t pid, int32_t tid)
{
	const struct task_entry task = {
		.pid = pid, .tid = tid, .ppid = -1, .parent = TASK_LIST_NONE,
		.child = TASK_LIST_NONE, .next = TASK_LIST_NONE, .last_child = TASK_LIST_NONE,
	};
	size_t position = task_list_find(list, tid);

	if (position != TASK_LIST_NONE)
		return &list->items[position];
	if (!array_push(list, task) ||
	    !hash_table_add(&list->table, hash_key_number(tid), list->nr - 1))
		return NULL;
	/* As in perf, this is the name of a task until a record has one. */
	snprintf(list->items[list->nr - 1].comm, TASK_LIST_COMM_BYTES, ":%d", (int)tid);
	return &list->items[list->nr - 1];
}

static void task_list_name(struct task_entry *task, const char *comm)
{
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
}

static struct error *task_list_fork(struct task_list *list, const struct session_record *r)
{
	const struct body_task *told = body_of(r->record.header, struct body_task);
	struct task_entry *task;

	if (!told)
		return NULL;
	if (!task_list_find_or_add(list, told->ppid, told->ptid))
		return &error_no_memory;
	task = task_list_find_or_add(list, told->pid, told->tid);
	if (!task)
		return &error_no_memory;
	/* The number may have belonged to a task that has ended. */
	task->pid = told->pid;
	task->ppid = told->ptid;
	maps_release(&task->maps);
	task_list_name(task, r->comm);
	return NULL;
}

/* Keep the current maps of a task's process, unless they were kept when it ended. */
static struct error *task_list_hold(struct task_entry *task, struct processes *processes)
{
	const struct maps *maps;

	if (task->maps.list)
		return NULL;
	maps = processes_maps(processes, task->pid, task->tid);
	if (!maps)
		return &error_no_memory;
	maps_hold(&task->maps, maps);
	return NULL;
}

/* As in perf, a process keeps its maps when it ends. */
static struct error *task_list_exit(struct task_list *list, const struct session_record *r)
{
	const struct body_task *told = body_of(r->record.header, struct body_task);
	size_t position = told ? task_list_find(list, told->tid) : TASK_LIST_NONE;

	/* Its other threads may still map files. */
	if (position == TASK_LIST_NONE || told->pid != told->tid)
		return NULL;
	return task_list_hold(&list->items[position], r->processes);
}

/* As in perf, a task with a map is known, too. */
static struct error *task_list_map(struct task_list *list, const struct session_record *r)
{
	const struct body_mmap *told = body_of(r->record.header, struct body_mmap);
	uint16_t mode = r->record.header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct task_entry *task;

	if (!told || mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL)
		return NULL;
	task = task_list_find_or_add(list, told->pid, told->tid);
	if (!task)
		return &error_no_memory;
	/* An EXIT before was no end: see processes_maps_to_change(). */
	maps_release(&task->maps);
	return NULL;
}

/* A thread has the last maps of its process. */
static struct error *task_list_hold_of_process(struct task_list *list, struct task_entry *task)
{
	size_t leader = task->pid == task->tid ? TASK_LIST_NONE : task_list_find(list, task->pid);

	if (!task->maps.list && leader != TASK_LIST_NONE && list->items[leader].maps.list)
		maps_hold(&task->maps, &list->items[leader].maps);
	return task_list_hold(task, list->processes);
}

static struct error *task_list_finish(struct session_consumer *consumer)
{
	struct task_list *list = container_of(consumer, struct task_list, consumer);
	struct error *err = NULL;

	/* The idle tasks have the kernel's maps, which perf does not print either. */
	for (size_t i = 0; list->keep_maps && list->processes && i < list->nr && !err; i++)
		if (list->items[i].tid)
			err = task_list_hold_of_process(list, &list->items[i]);
	return err;
}

static struct error *task_list_other(struct session_consumer *consumer,
				     const struct session_record *r)
{
	struct task_list *list = container_of(consumer, struct task_list, consumer);
	struct task_entry *task;

	list->processes = r->processes;
	if (r->record.header->type == PERF_RECORD_EXIT && list->keep_maps)
		return task_list_exit(list, r);
	if (list->keep_maps && (r->record.header->type == PERF_RECORD_MMAP ||
				r->record.header->type == PERF_RECORD_MMAP2))
		return task_list_map(list, r);
	if (r->record.header->type == PERF_RECORD_FORK)
		return task_list_fork(list, r);
	if (r->record.header->type != PERF_RECORD_COMM)
		return NULL;
	task = task_list_find_or_add(list, r->pid, r->tid);
	if (!task)
		return &error_no_memory;
	task_list_name(task, r->comm);
	return NULL;
}

struct error *task_list_create(bool keep_maps, struct task_list **ret)
{
	struct task_list *list = calloc(1, sizeof(*list));
	struct task_entry *idle;

	if (!list)
		return &error_no_memory;
	list->consumer.other = task_list_other;
	list->consumer.finish = task_list_finish;
	list->keep_maps = keep_maps;
	list->first = list->last = TASK_LIST_NONE;
	idle = task_list_find_or_add(list, 0, 0);
	if (!idle) {
		task_list_destroy(list);
		return &error_no_memory;
	}
	task_list_name(idle, "swapper");
	*ret = list;
	return NULL;
}

void task_list_destroy(struct task_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->nr; i++)
		maps_release(&list->items[i].maps);
	free(list->items);
	hash_table_deinit(&list->table);
	free(list);
}

struct session_consumer *task_list_consumer(struct task_list *list)
{
	return &list->consumer;
}

/* perf's order: it keeps threads in 256 trees, by their numbers. */
DEFINE_COMPARISON(task_list_compare, struct task_entry,
		  array_order((uint32_t)x->tid % 256, (uint32_t)y->tid % 256) ?:
		  array_order(x->tid, y->tid))

static void task_list_append(struct task_list *list, size_t parent, size_t position)
{
	size_t *first = parent == TASK_LIST_NONE ? &list->first : &list->items[parent].child;
	size_t *last = parent == TASK_LIST_NONE ? &list->last : &list->items[parent].last_child;

	list->items[position].parent = parent;
	if (*last == TASK_LIST_NONE)
		*first = position;
	else
		list->items[*last].next = position;
	*last = position;
}

/*
 * Link the task to its parent, the parent to its own, and so on.  As in perf, children are in the
 * order of discovery.  @walk has the number of the walk that reached a task, from 1.
 */
static void task_list_walk(struct task_list *list, size_t *walk, size_t start)
{
	size_t position = start;

	while (!walk[position]) {
		int32_t ppid = list->items[position].ppid;
		size_t parent = ppid == -1 ? TASK_LIST_NONE : task_list_find(list, ppid);

		walk[position] = start + 1;
		/* Only a damaged recording has tasks that are their own ancestors. */
		if (parent != TASK_LIST_NONE && walk[parent] == start + 1)
			parent = TASK_LIST_NONE;
		task_list_append(list, parent, position);
		if (parent == TASK_LIST_NONE)
			return;
		position = parent;
	}
}

size_t task_list_link(struct task_list *list)
{
	size_t *walk = calloc(list->nr, sizeof(*walk));

	if (!walk)
		return TASK_LIST_NONE;
	array_sort(list, task_list_compare);
	hash_table_deinit(&list->table);
	for (size_t i = 0; i < list->nr; i++)
		if (!hash_table_add(&list->table, hash_key_number(list->items[i].tid), i)) {
			free(walk);
			return TASK_LIST_NONE;
		}
	for (size_t i = 0; i < list->nr; i++)
		task_list_walk(list, walk, i);
	free(walk);
	return list->first;
}

const struct task_entry *task_list_get(const struct task_list *list, size_t position)
{
	return &list->items[position];
}

size_t task_list_next(const struct task_list *list, size_t position)
{
	const struct task_entry *task = &list->items[position];

	if (task->child != TASK_LIST_NONE) {
		list->items[task->child].depth = task->depth + 1;
		return task->child;
	}
	while (task->next == TASK_LIST_NONE && task->parent != TASK_LIST_NONE)
		task = &list->items[task->parent];
	if (task->next != TASK_LIST_NONE)
		list->items[task->next].depth = task->depth;
	return task->next;
}

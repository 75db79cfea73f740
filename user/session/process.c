// SPDX-License-Identifier: GPL-2.0
#include "session/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kernel comms have 16 bytes; a recording can claim longer ones. */
#define COMM_BYTES	32

struct thread {
	int32_t pid, tid;
	bool used;		/* the slot is taken */
	bool comm_told;		/* else comm is ":TID" */
	char comm[COMM_BYTES];
	struct maps *maps;	/* NULL: not looked at yet */
};

struct processes {
	struct thread *table;	/* open addressing, by tid */
	size_t nr, mask;
	struct thread *last;	/* found last: samples of a thread come in a row */
};

static struct thread *slot_of(const struct processes *processes, int32_t tid)
{
	size_t i = ((uint32_t)tid * 0x9E3779B1u) & processes->mask;

	while (processes->table[i].used && processes->table[i].tid != tid)
		i = (i + 1) & processes->mask;
	return &processes->table[i];
}

static bool grow(struct processes *processes)
{
	struct thread *old = processes->table;
	size_t size = old ? (processes->mask + 1) * 2 : 256;
	struct thread *table = calloc(size, sizeof(*table));

	if (!table)
		return false;
	processes->table = table;
	processes->last = NULL;
	for (size_t i = 0; old && i <= processes->mask; i++) {
		size_t mask = processes->mask;

		if (!old[i].used)
			continue;
		processes->mask = size - 1;
		*slot_of(processes, old[i].tid) = old[i];
		processes->mask = mask;
	}
	processes->mask = size - 1;
	free(old);
	return true;
}

static void set_comm(struct thread *thread, const char *comm, size_t len)
{
	len = strnlen(comm, len);
	if (len > COMM_BYTES - 1)
		len = COMM_BYTES - 1;
	memcpy(thread->comm, comm, len);
	thread->comm[len] = '\0';
	thread->comm_told = true;
}

static void reset_thread(struct thread *thread, int32_t pid, int32_t tid)
{
	maps_put(thread->maps);
	*thread = (struct thread){ .pid = pid, .tid = tid, .used = true };
	snprintf(thread->comm, sizeof(thread->comm), ":%d", tid);
}

/* NULL: out of memory. */
static struct thread *find_or_add(struct processes *processes, int32_t pid, int32_t tid)
{
	struct thread *thread = processes->last;

	if (!thread || thread->tid != tid) {
		thread = slot_of(processes, tid);
		if (!thread->used) {
			if (processes->nr * 2 > processes->mask) {
				if (!grow(processes))
					return NULL;
				thread = slot_of(processes, tid);
			}
			reset_thread(thread, pid, tid);
			processes->nr++;
		}
		processes->last = thread;
	}
	if (thread->pid == -1 && pid != -1) {
		/* Now its process is known, whose maps are its own. */
		maps_put(take_ptr(thread->maps));
		thread->pid = pid;
	}
	return thread;
}

/* Threads have the maps of their leader, which may not have been heard of before. */
static struct error *find_maps(struct processes *processes, int32_t pid, int32_t tid,
			       struct maps **ret)
{
	struct thread *thread = find_or_add(processes, pid, tid), *leader;
	struct error *err = NULL;

	if (!thread)
		return &error_no_memory;
	if (!thread->maps && (thread->pid == tid || thread->pid == -1)) {
		err = maps_create(&thread->maps);
	} else if (!thread->maps) {
		pid = thread->pid;
		leader = find_or_add(processes, pid, pid);
		if (!leader)
			return &error_no_memory;
		if (!leader->maps)
			err = maps_create(&leader->maps);
		if (err)
			return err;
		/* The table may have moved. */
		thread = slot_of(processes, tid);
		thread->maps = maps_get(slot_of(processes, pid)->maps);
	}
	*ret = thread->maps;
	return err;
}

struct error *processes_create(struct processes **ret)
{
	struct processes *processes = calloc(1, sizeof(*processes));
	struct thread *idle = NULL;

	if (processes && grow(processes))
		idle = find_or_add(processes, 0, 0);
	if (!idle) {
		processes_destroy(processes);
		return &error_no_memory;
	}
	set_comm(idle, "swapper", sizeof("swapper"));
	*ret = processes;
	return NULL;
}

void processes_destroy(struct processes *processes)
{
	if (!processes)
		return;
	for (size_t i = 0; processes->table && i <= processes->mask; i++)
		maps_put(processes->table[i].maps);
	free(processes->table);
	free(processes);
}

static struct error *apply_comm(struct processes *processes,
				const struct perf_event_header *header)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, tid;
		char comm[];
	} *told = (const void *)header;
	struct thread *thread;

	if (header->size <= sizeof(*told))
		return NULL;
	thread = find_or_add(processes, told->pid, told->tid);
	if (!thread)
		return &error_no_memory;
	set_comm(thread, told->comm, header->size - sizeof(*told));
	return NULL;
}

static struct error *apply_fork(struct processes *processes,
				const struct perf_event_header *header)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, ppid, tid, ptid;
	} *told = (const void *)header;
	char comm[COMM_BYTES];
	struct maps *maps, *parents_maps;
	struct thread *parent, *child;
	struct error *err;
	bool comm_told;

	if (header->size < sizeof(*told))
		return NULL;
	parent = find_or_add(processes, told->ppid, told->ptid);
	if (!parent)
		return &error_no_memory;
	/* A number used again, by a process whose start was not recorded. */
	if (parent->pid != told->ppid)
		reset_thread(parent, told->ppid, told->ptid);
	comm_told = parent->comm_told;
	memcpy(comm, parent->comm, sizeof(comm));

	child = find_or_add(processes, told->pid, told->tid);
	if (!child)
		return &error_no_memory;
	reset_thread(child, told->pid, told->tid);
	if (comm_told)
		set_comm(child, comm, sizeof(comm));
	/* FORK_EXEC: it stands for a task that was there before; its maps follow. */
	if (told->pid == told->ppid || header->misc & PERF_RECORD_MISC_FORK_EXEC)
		return NULL;
	err = find_maps(processes, told->ppid, told->ptid, &parents_maps);
	if (!err)
		err = find_maps(processes, told->pid, told->tid, &maps);
	if (!err && maps != parents_maps)
		maps_copy(maps, parents_maps);
	return err;
}

struct error *processes_apply(struct processes *processes, const struct record *record)
{
	switch (record->header->type) {
	case PERF_RECORD_COMM:
		return apply_comm(processes, record->header);
	case PERF_RECORD_FORK:
		return apply_fork(processes, record->header);
	default:
		/* After EXIT a task may still switch out under its name. */
		return NULL;
	}
}

const char *processes_comm(struct processes *processes, int32_t pid, int32_t tid)
{
	struct thread *thread = find_or_add(processes, pid, tid);

	return thread ? thread->comm : "";
}

struct maps *processes_maps(struct processes *processes, int32_t pid, int32_t tid)
{
	struct maps *maps = NULL;

	error_free(find_maps(processes, pid, tid, &maps));
	return maps;
}

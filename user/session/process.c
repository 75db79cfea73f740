// SPDX-License-Identifier: GPL-2.0
#include "session/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "record/body.h"

/* The kernel's comms have 16 bytes; a recording can claim longer ones. */
#define COMM_BYTES	32

struct thread {
	int32_t pid, tid;
	int32_t parent;		/* the thread that forked it; -1: unknown */
	bool used;		/* the slot is in use */
	bool comm_told;		/* a record named it; else comm is ":TID" */
	const char *comm;	/* in comms; NULL: ":TID", not requested yet */
	struct maps *maps;	/* NULL: not requested yet, or it ended long ago */
	uint64_t ended;		/* its number among the ends; 0: it has not ended */
};

/* This many ended processes keep their maps, for records that are slightly out of order. */
#define ENDED_KEPT	1024

struct comm {
	struct comm *next;	/* in its slot */
	char text[COMM_BYTES];
};

struct processes {
	struct thread *table;	/* open addressing, by tid */
	size_t nr, mask;
	struct thread *last;	/* last one found: samples of a thread often follow each other */
	int32_t ended[ENDED_KEPT];	/* the last ones that ended, by the number of their end */
	uint64_t nr_ended;
	struct {
		struct comm **slots;
		size_t nr, mask;
	} comms;
};

static struct thread *thread_slot(const struct processes *processes, int32_t tid)
{
	size_t i = hash_key_number(tid) & processes->mask;

	while (processes->table[i].used && processes->table[i].tid != tid)
		i = (i + 1) & processes->mask;
	return &processes->table[i];
}

static bool processes_grow(struct processes *processes)
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
		*thread_slot(processes, old[i].tid) = old[i];
		processes->mask = mask;
	}
	processes->mask = size - 1;
	free(old);
	return true;
}

static bool grow_comms(struct processes *processes)
{
	size_t size = processes->comms.slots ? (processes->comms.mask + 1) * 4 : 64;
	struct comm **slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; processes->comms.slots && i <= processes->comms.mask; i++) {
		struct comm *comm = processes->comms.slots[i];

		while (comm) {
			struct comm **slot = &slots[hash_key_text(comm->text) & (size - 1)];
			struct comm *next = comm->next;

			comm->next = *slot;
			*slot = comm;
			comm = next;
		}
	}
	free(processes->comms.slots);
	processes->comms.slots = slots;
	processes->comms.mask = size - 1;
	return true;
}

/* Return the only copy of a comm; NULL: out of memory. */
static const char *processes_keep_comm(struct processes *processes, const char *text, size_t len)
{
	struct comm *comm, **slot;

	len = strnlen(text, len);
	if (len > COMM_BYTES - 1)
		len = COMM_BYTES - 1;
	if ((!processes->comms.slots || processes->comms.nr > processes->comms.mask) &&
	    !grow_comms(processes))
		return NULL;
	slot = &processes->comms.slots[hash_key_bytes(text, len) & processes->comms.mask];
	for (comm = *slot; comm; comm = comm->next)
		if (!memcmp(comm->text, text, len) && !comm->text[len])
			return comm->text;
	comm = calloc(1, sizeof(*comm));
	if (!comm)
		return NULL;
	memcpy(comm->text, text, len);
	comm->next = *slot;
	*slot = comm;
	processes->comms.nr++;
	return comm->text;
}

static void set_comm(struct thread *thread, const char *kept)
{
	thread->comm = kept;
	thread->comm_told = true;
}

static void reset_thread(struct thread *thread, int32_t pid, int32_t tid)
{
	maps_put(thread->maps);
	*thread = (struct thread){ .pid = pid, .tid = tid, .parent = -1, .used = true };
}

/* Find or add a thread; NULL: out of memory. */
static struct thread *find_or_add(struct processes *processes, int32_t pid, int32_t tid)
{
	struct thread *thread = processes->last;

	if (!thread || thread->tid != tid) {
		thread = thread_slot(processes, tid);
		if (!thread->used) {
			if (processes->nr * 2 > processes->mask) {
				if (!processes_grow(processes))
					return NULL;
				thread = thread_slot(processes, tid);
			}
			reset_thread(thread, pid, tid);
			processes->nr++;
		}
		processes->last = thread;
	}
	if (thread->pid == -1 && pid != -1) {
		/* Its process is known now, so it uses that process's maps. */
		maps_put(take_ptr(thread->maps));
		thread->pid = pid;
	}
	return thread;
}

/* Find the maps of a thread: those of its leader, which is added if it is unknown. */
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
		thread = thread_slot(processes, tid);
		thread->maps = maps_get(thread_slot(processes, pid)->maps);
	}
	*ret = thread->maps;
	return err;
}

struct error *processes_create(struct processes **ret)
{
	struct processes *processes = calloc(1, sizeof(*processes));
	struct thread *idle = NULL;
	const char *comm = NULL;

	if (processes && processes_grow(processes)) {
		idle = find_or_add(processes, 0, 0);
		comm = processes_keep_comm(processes, "swapper", sizeof("swapper"));
	}
	if (!idle || !comm) {
		processes_destroy(processes);
		return &error_no_memory;
	}
	set_comm(idle, comm);
	*ret = processes;
	return NULL;
}

void processes_destroy(struct processes *processes)
{
	if (!processes)
		return;
	for (size_t i = 0; processes->table && i <= processes->mask; i++)
		maps_put(processes->table[i].maps);
	for (size_t i = 0; processes->comms.slots && i <= processes->comms.mask; i++) {
		struct comm *comm = processes->comms.slots[i];

		while (comm) {
			struct comm *next = comm->next;

			free(comm);
			comm = next;
		}
	}
	free(processes->comms.slots);
	free(processes->table);
	free(processes);
}

static struct error *apply_comm(struct processes *processes,
				const struct perf_event_header *header)
{
	const struct body_comm *told = body_of(header, struct body_comm);
	struct thread *thread;
	const char *comm;

	if (!told || !body_left(header, told->comm))
		return NULL;
	thread = find_or_add(processes, told->pid, told->tid);
	comm = processes_keep_comm(processes, told->comm, body_left(header, told->comm));
	if (!thread || !comm)
		return &error_no_memory;
	set_comm(thread, comm);
	return NULL;
}

static struct error *apply_fork(struct processes *processes,
				const struct perf_event_header *header)
{
	const struct body_task *told = body_of(header, struct body_task);
	const char *comm;
	struct maps *maps, *parents_maps;
	struct thread *parent, *child;
	struct error *err;
	bool comm_told;

	if (!told)
		return NULL;
	parent = find_or_add(processes, told->ppid, told->ptid);
	if (!parent)
		return &error_no_memory;
	/* The parent's tid was reused by a process whose start was not recorded. */
	if (parent->pid != told->ppid)
		reset_thread(parent, told->ppid, told->ptid);
	comm_told = parent->comm_told;
	comm = parent->comm;

	child = find_or_add(processes, told->pid, told->tid);
	if (!child)
		return &error_no_memory;
	reset_thread(child, told->pid, told->tid);
	child->parent = told->ptid;
	if (comm_told)
		set_comm(child, comm);
	/* FORK_EXEC marks a task that existed before recording began; its maps follow. */
	if (told->pid == told->ppid || header->misc & PERF_RECORD_MISC_FORK_EXEC)
		return NULL;
	err = find_maps(processes, told->ppid, told->ptid, &parents_maps);
	if (!err)
		err = find_maps(processes, told->pid, told->tid, &maps);
	if (!err && maps != parents_maps)
		maps_copy(maps, parents_maps);
	return err;
}

/*
 * The name is kept, because a task may still switch out under it.  The maps are released when many
 * other processes have ended after it, unless the number was reused.
 */
static void apply_exit(struct processes *processes, const struct perf_event_header *header)
{
	const struct body_task *told = body_of(header, struct body_task);
	uint64_t number = processes->nr_ended + 1;
	int32_t *place = &processes->ended[number % ENDED_KEPT];
	struct thread *thread;

	if (!told)
		return;
	thread = thread_slot(processes, told->tid);
	if (!thread->used || !thread->maps)
		return;
	if (number > ENDED_KEPT) {
		struct thread *oldest = thread_slot(processes, *place);

		if (oldest->used && oldest->ended == number - ENDED_KEPT) {
			maps_put(oldest->maps);
			oldest->maps = NULL;
		}
	}
	thread->ended = processes->nr_ended = number;
	*place = told->tid;
}

struct error *processes_apply(struct processes *processes, const struct record *record)
{
	switch (record->header->type) {
	case PERF_RECORD_COMM:
		return apply_comm(processes, record->header);
	case PERF_RECORD_FORK:
		return apply_fork(processes, record->header);
	case PERF_RECORD_EXIT:
		apply_exit(processes, record->header);
		return NULL;
	default:
		return NULL;
	}
}

const char *processes_comm(struct processes *processes, int32_t pid, int32_t tid)
{
	struct thread *thread = find_or_add(processes, pid, tid);
	char text[16];

	if (thread && !thread->comm) {
		snprintf(text, sizeof(text), ":%d", tid);
		thread->comm = processes_keep_comm(processes, text, sizeof(text));
	}
	return thread && thread->comm ? thread->comm : "";
}

int32_t processes_pid(const struct processes *processes, int32_t tid)
{
	const struct thread *thread = thread_slot(processes, tid);

	return thread->used ? thread->pid : -1;
}

int32_t processes_parent(const struct processes *processes, int32_t tid)
{
	const struct thread *thread = thread_slot(processes, tid);

	return thread->used ? thread->parent : -1;
}

struct maps *processes_maps(struct processes *processes, int32_t pid, int32_t tid)
{
	struct thread *last = processes->last;
	struct maps *maps = NULL;

	/* Usually called right after processes_comm() for the thread. */
	if (last && last->tid == tid && last->maps && (last->pid != -1 || pid == -1))
		return last->maps;
	error_free(find_maps(processes, pid, tid, &maps));
	return maps;
}

struct maps *processes_maps_to_change(struct processes *processes, int32_t pid, int32_t tid)
{
	struct thread *thread = thread_slot(processes, tid);

	if (thread->used)
		thread->ended = 0;
	return processes_maps(processes, pid, tid);
}

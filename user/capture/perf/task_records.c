// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/task_records.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "record/body.h"
#include "record/sample.h"

struct task_record {
	uint64_t time;
	size_t at;		/* its offset in the kept bytes */
	pid_t process;		/* the process that caused it */
	uint32_t cpu;
};

/*
 * Either all threads of a process belong to the command, or none.  A thread cannot be classified by
 * its number, because exec can give that to another thread.
 */
struct process {
	pid_t pid;
	uint32_t threads;
	bool wanted;
};

DEFINE_COMPARISON(compare_processes, struct process, array_order(x->pid, y->pid))

/* Returns NULL if the process is not known. */
static struct process *task_find(const struct task_records *r, pid_t pid)
{
	const struct process key = { .pid = pid };
	struct process **node = tfind(&key, &r->processes, compare_processes);

	return node ? *node : NULL;
}

static void forget(struct task_records *r, struct process *process)
{
	if (!process)
		return;
	tdelete(process, &r->processes, compare_processes);
	free(process);
}

/* Add a process, or replace an older one with the same number. */
static void task_add(struct task_records *r, pid_t pid, uint32_t threads, bool wanted)
{
	struct process *process = task_find(r, pid);

	if (!process) {
		process = malloc(sizeof(*process));
		if (process)
			process->pid = pid;
		if (!process || !tsearch(process, &r->processes, compare_processes)) {
			free(process);
			r->failed = true;
			return;
		}
	}
	process->threads = threads;
	process->wanted = wanted;
}

void task_records_init(struct task_records *r, const struct event *event, pid_t command)
{
	*r = (struct task_records){ .event = event, .command = command, .bytes = STRBUF_INIT };
}

void task_records_deinit(struct task_records *r)
{
	tdestroy(r->processes, free);
	free(r->kept.items);
	strbuf_deinit(&r->bytes);
	*r = (struct task_records){ .bytes = STRBUF_INIT };
}

void task_records_leave_out_present(struct task_records *r)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc");
	pid_t pid;

	/* If /proc cannot be read, the records of these processes are assigned to the command. */
	while ((pid = dir_next_number(dir))) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d/task", pid);
		/* The folder has two links, and one more for each thread. */
		if (pid != r->command && !stat(path, &st) && st.st_nlink > 2)
			task_add(r, pid, st.st_nlink - 2, false);
	}
}

void task_records_add(struct task_records *r, const struct perf_event_header *header,
		      uint32_t cpu)
{
	struct task_record record = { .at = r->bytes.len, .process = -1, .cpu = cpu };
	struct sample id;

	if (sample_id_decode(r->event, header, &id)) {
		record.time = id.time;
		record.process = id.pid;
	}
	strbuf_add(&r->bytes, header, header->size);
	if (!array_push(&r->kept, record) || r->bytes.failed)
		r->failed = true;
}

void task_records_lost(struct task_records *r)
{
	r->incomplete = true;
}

DEFINE_COMPARISON(compare_records, struct task_record, array_order(x->time, y->time) ?:
		  array_order(x->at, y->at))

static const struct perf_event_header *header_of(const struct task_records *r,
						 const struct task_record *record)
{
	return (const void *)(r->bytes.data + record->at);
}

/* The FORK of an unknown process was missed, so its records are given to be safe. */
static bool task_is_wanted(const struct task_records *r, const struct task_record *record)
{
	const struct process *process = task_find(r, record->process);

	return r->incomplete || (r->begun && (!process || process->wanted));
}

/*
 * Forks are handled before other records of the same time, because a coarse clock can give a
 * child's first records the time of its fork.
 */
static void take_fork(struct task_records *r, const struct task_record *record)
{
	const struct perf_event_header *header = header_of(r, record);
	const struct body_task *body = body_of(header, struct body_task);
	struct process *parent, *process;

	if (header->type != PERF_RECORD_FORK || !body)
		return;
	parent = task_find(r, record->process);
	process = task_find(r, body->pid);
	if (body->pid != body->tid && process)
		process->threads++;
	else if (body->pid == body->tid && parent)
		task_add(r, body->pid, 1, parent->wanted);
	else if (body->pid == body->tid)
		forget(r, process);
}

/* Exits are handled after other records of the same time, which can be of the same thread. */
static void task_take_exit(struct task_records *r, const struct task_record *record)
{
	const struct perf_event_header *header = header_of(r, record);
	const struct body_task *body = body_of(header, struct body_task);
	struct process *process;

	if (header->type != PERF_RECORD_EXIT || !body)
		return;
	process = task_find(r, body->pid);
	if (process && !--process->threads)
		forget(r, process);
}

static void take_exec(struct task_records *r, const struct task_record *record)
{
	const struct perf_event_header *header = header_of(r, record);

	if (r->begun || record->process != r->command || header->type != PERF_RECORD_COMM ||
	    !(header->misc & PERF_RECORD_MISC_COMM_EXEC))
		return;
	r->begun = true;
	task_add(r, r->command, 1, true);
}

static struct error *give_at_once(struct task_records *r, const struct task_record *records,
				  size_t nr, struct record_sink *sink)
{
	struct error *err = NULL;

	for (size_t i = 0; i < nr; i++)
		take_fork(r, &records[i]);
	for (size_t i = 0; !err && i < nr; i++) {
		const struct perf_event_header *header = header_of(r, &records[i]);
		struct record_span span = {
			.data = header, .size = header->size, .cpu = records[i].cpu,
		};

		take_exec(r, &records[i]);
		if (task_is_wanted(r, &records[i]))
			err = record_sink_write(sink, &span);
	}
	for (size_t i = 0; i < nr; i++)
		task_take_exit(r, &records[i]);
	return err;
}

/* Drop the records before the @nth. */
static void drop_given(struct task_records *r, size_t nth)
{
	struct strbuf left = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = nth; i < r->kept.nr; i++) {
		const struct perf_event_header *header = header_of(r, &r->kept.items[i]);

		r->kept.items[nr] = r->kept.items[i];
		r->kept.items[nr++].at = left.len;
		strbuf_add(&left, header, header->size);
	}
	r->failed |= left.failed;
	r->kept.nr = nr;
	strbuf_deinit(&r->bytes);
	r->bytes = left;
}

struct error *task_records_give(struct task_records *r, uint64_t mark, struct record_sink *sink)
{
	const struct task_record *records = r->kept.items;
	struct error *err = NULL;
	size_t begin = 0, end;

	if (r->failed)
		return &error_no_memory;
	if (!r->kept.nr)
		return NULL;
	qsort(r->kept.items, r->kept.nr, sizeof(*records), compare_records);
	for (; !err && begin < r->kept.nr && records[begin].time < mark; begin = end) {
		for (end = begin + 1; end < r->kept.nr; end++)
			if (records[end].time != records[begin].time)
				break;
		err = give_at_once(r, records + begin, end - begin, sink);
	}
	if (begin)
		drop_given(r, begin);
	return err;
}

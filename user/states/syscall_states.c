// SPDX-License-Identifier: GPL-2.0
#include "states/syscall_states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "states/lost_spans.h"

/* A cache of tasks, by their numbers. */
#define RECENT_TASKS	256

enum syscall_event_kind {
	SYSCALL_OTHER = 0,
	SYSCALL_ENTER,
	SYSCALL_EXIT,
	SYSCALL_AGAIN,		/* it repeats another event */
};

/* The fields of one event. */
struct syscall_event {
	bool known;			/* the event was examined */
	enum syscall_event_kind kind;
	const struct field *number, *ret;
	const struct field *args[SYSCALL_ARGS];	/* for events of a single call */
	unsigned int kind_bit;			/* raw_syscalls or syscalls, for `task->told` */
	const struct field *raw_args;		/* all in one array */
	bool has_texts;
	const struct field *texts[SYSCALL_ARGS];	/* strings that args point to */
};

/* The task that currently has a number. */
struct syscall_slot {
	int32_t tid;
	struct syscall_task *task;
};

struct syscall_states {
	struct syscalls *syscalls;
	const bool *wanted;
	struct descriptor_paths *paths;
	struct syscall_listener *listener;
	ARRAY_OF(struct syscall_event) events;	/* by event->index */
	ARRAY_OF(struct syscall_task *) tasks;
	ARRAY_OF(struct syscall_slot) slots;
	struct hash_table by_tid;		/* slots */
	struct syscall_task *recent[RECENT_TASKS];
	const struct event_list *list;		/* the list that `raw` was computed for */
	bool raw_exit;		/* raw_syscalls:sys_exit is recorded: sys_exit_* say nothing new */
	uint64_t unknown, repeated;
	struct lost_spans lost;	/* of records that may be of system calls */
};

struct error *syscall_states_create(struct syscalls *syscalls, const bool *wanted,
				    struct descriptor_paths *paths,
				    struct syscall_listener *listener, struct syscall_states **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return &error_no_memory;
	(*ret)->syscalls = syscalls;
	(*ret)->wanted = wanted;
	(*ret)->paths = paths;
	(*ret)->listener = listener;
	return NULL;
}

void syscall_states_destroy(struct syscall_states *states)
{
	if (!states)
		return;
	for (size_t i = 0; i < states->tasks.nr; i++) {
		free(states->tasks.items[i]->opens);
		free(states->tasks.items[i]->kept);
		free(states->tasks.items[i]);
	}
	free(states->tasks.items);
	free(states->slots.items);
	free(states->events.items);
	hash_table_deinit(&states->by_tid);
	lost_spans_deinit(&states->lost);
	free(states);
}

static bool syscall_event_is(const struct event *event, const char *prefix)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT &&
	       !strncmp(event->name, prefix, strlen(prefix));
}

static bool syscall_states_has(const struct event_list *events, const char *prefix)
{
	return array_any(events, it, syscall_event_is(*it, prefix));
}

bool syscall_states_recorded_raw(const struct event_list *events)
{
	return syscall_states_has(events, "raw_syscalls:sys_e");
}

bool syscall_states_recorded(const struct event_list *events)
{
	return syscall_states_recorded_raw(events) ||
	       syscall_states_has(events, "syscalls:sys_e");
}

/* The fields behind the number, in the order of the format, are the arguments. */
static void syscall_event_find_args(const struct event_format *format, struct syscall_event *e)
{
	size_t nr = 0;

	for (size_t i = format->nr_common; i < format->nr_fields && nr < SYSCALL_ARGS; i++) {
		const struct field *field = &format->fields[i];
		char text[128];

		if (field == e->number || field->kind != FIELD_INTEGER)
			continue;
		snprintf(text, sizeof(text), "__%s_val", field->name);
		e->texts[nr] = event_format_field(format, text);
		if (e->texts[nr] && e->texts[nr]->kind == FIELD_INTEGER)
			e->texts[nr] = NULL;
		e->has_texts |= e->texts[nr] != NULL;
		e->args[nr++] = field;
	}
}

static void syscall_event_learn(struct syscall_states *states, const struct session_record *r,
				struct syscall_event *e)
{
	const struct event_format *format = r->format;
	bool raw, each;

	*e = (struct syscall_event){ .known = true };
	if (!format)
		return;
	if (states->list != r->events) {
		states->list = r->events;
		states->raw_exit = syscall_states_has(r->events, "raw_syscalls:sys_exit");
	}
	raw = !strcmp(format->system, "raw_syscalls");
	each = !strcmp(format->system, "syscalls");
	e->kind_bit = raw ? 1 : 2;
	e->number = event_format_field(format, raw ? "id" : "__syscall_nr");
	if (!e->number)
		e->number = event_format_field(format, "nr");
	if (!e->number || e->number->kind != FIELD_INTEGER || !(raw || each))
		return;
	if (!strncmp(format->name, "sys_exit", 8)) {
		e->ret = event_format_field(format, "ret");
		if (e->ret && e->ret->kind == FIELD_INTEGER)
			e->kind = each && states->raw_exit ? SYSCALL_AGAIN : SYSCALL_EXIT;
	} else if (raw && !strcmp(format->name, "sys_enter")) {
		e->raw_args = event_format_field(format, "args");
		if (e->raw_args && e->raw_args->kind == FIELD_ARRAY)
			e->kind = SYSCALL_ENTER;
	} else if (!raw && !strncmp(format->name, "sys_enter_", 10)) {
		syscall_event_find_args(format, e);
		e->kind = SYSCALL_ENTER;
	}
}

static struct syscall_slot *syscall_slot_find(struct syscall_states *states, int32_t tid)
{
	hash_table_each(&states->by_tid, hash_key_number(tid), n) {
		struct syscall_slot *slot = &states->slots.items[n];

		if (slot->tid == tid)
			return slot;
	}
	return NULL;
}

static struct syscall_task *syscall_task_make(struct syscall_states *states, int32_t tid)
{
	struct syscall_slot *slot = syscall_slot_find(states, tid);
	struct syscall_task *task;

	if (slot && slot->task)
		return slot->task;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->tid = tid;
	task->index = states->tasks.nr;
	if (!array_push(&states->tasks, task)) {
		free(task);
		return NULL;
	}
	if (slot) {
		slot->task = task;
		return task;
	}
	if (!array_push(&states->slots, ((struct syscall_slot){ tid, task })) ||
	    !hash_table_add(&states->by_tid, hash_key_number(tid), states->slots.nr - 1))
		return NULL;
	return task;
}

struct syscall_task *syscall_states_task(struct syscall_states *states,
					 const struct session_record *r)
{
	struct syscall_task **recent = &states->recent[(uint32_t)r->tid % RECENT_TASKS];
	struct syscall_task *task = *recent;

	if (!task || task->tid != r->tid)
		task = *recent = syscall_task_make(states, r->tid);
	if (task) {
		task->pid = r->pid;
		task->comm = r->comm;
	}
	return task;
}

/* Read raw_syscalls' array, which was not converted if the recording has the other byte order. */
static void syscall_read_raw(const struct syscall_event *e, const struct sample *s,
			     uint64_t args[SYSCALL_ARGS])
{
	size_t len, each = e->raw_args->element_size;
	const char *bytes = field_bytes(e->raw_args, s->raw, s->raw_size, &len);

	for (size_t i = 0; i < SYSCALL_ARGS; i++) {
		uint32_t half = 0;

		args[i] = 0;
		if (!bytes || (i + 1) * each > len)
			continue;
		if (each == sizeof(half)) {
			memcpy(&half, bytes + i * each, sizeof(half));
			args[i] = e->raw_args->is_swapped ? __builtin_bswap32(half) : half;
		} else if (each == sizeof(args[i])) {
			memcpy(&args[i], bytes + i * each, sizeof(args[i]));
			if (e->raw_args->is_swapped)
				args[i] = __builtin_bswap64(args[i]);
		}
	}
}

static void syscall_read_args(const struct syscall_event *e, const struct sample *s,
			      uint64_t args[SYSCALL_ARGS])
{
	if (e->raw_args) {
		syscall_read_raw(e, s, args);
		return;
	}
	for (size_t i = 0; i < SYSCALL_ARGS; i++)
		args[i] = e->args[i] ? field_u64(e->args[i], s->raw, s->raw_size) : 0;
}

static void syscall_read_texts(const struct syscall_event *e, const struct sample *s,
			       struct syscall_text texts[SYSCALL_ARGS])
{
	for (size_t i = 0; i < SYSCALL_ARGS; i++) {
		texts[i] = (struct syscall_text){ NULL, 0 };
		/* An empty string has its NUL; a string that could not be read is empty. */
		if (e->texts[i] && field_u64(e->texts[i], s->raw, s->raw_size) >> 16)
			texts[i].text = field_bytes(e->texts[i], s->raw, s->raw_size,
						    &texts[i].len);
	}
}

static bool syscall_is(const struct syscall_info *info, const char *name)
{
	return !strcmp(info->name, name);
}

/* Remember the path that a call opens, for the descriptor that it returns. */
static void syscall_note_path(struct syscall_task *task, const struct syscall_text *texts)
{
	size_t path;

	free(task->opens);
	task->opens = NULL;
	if (!texts)
		return;
	if (syscall_is(task->info, "open") || syscall_is(task->info, "creat"))
		path = 0;
	else if (syscall_is(task->info, "openat") || syscall_is(task->info, "openat2"))
		path = 1;
	else
		return;
	if (texts[path].text)
		task->opens = strndup(texts[path].text, texts[path].len);
}

/* Drop the paths of descriptors that entering a call closes. */
static void syscall_drop_paths(struct syscall_states *states, const struct syscall_task *task)
{
	const char *name = task->info->name;

	switch (name[0]) {
	case 'c':
		if (!strcmp(name, "close"))
			descriptor_paths_set(states->paths, task->pid, task->args[0], NULL);
		else if (!strcmp(name, "close_range"))
			descriptor_paths_forget(states->paths, task->pid);
		break;
	case 'd':
		if (!strcmp(name, "dup2") || !strcmp(name, "dup3"))
			descriptor_paths_set(states->paths, task->pid, task->args[1], NULL);
		break;
	case 'e':
		if (!strncmp(name, "exec", 4) || !strcmp(name, "exit_group"))
			descriptor_paths_forget(states->paths, task->pid);
		break;
	}
}

/* Whether a call returns a new descriptor. */
static bool syscall_makes_descriptor(const struct syscall_task *task)
{
	static const char *const names[] = {
		"open", "openat", "openat2", "creat", "dup", "dup2", "dup3", "socket", "accept",
		"accept4", "epoll_create", "epoll_create1", "eventfd", "eventfd2", "memfd_create",
		"timerfd_create", "signalfd", "signalfd4", "inotify_init", "inotify_init1",
		"pidfd_open", "perf_event_open", "fcntl", "userfaultfd", "open_tree", "fsopen",
		"fsmount", "fanotify_init", "open_by_handle_at",
	};

	/* The first letter excludes most calls. */
	if (!strchr("acdefimopstu", task->info->name[0]))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (syscall_is(task->info, names[i]))
			return true;
	return false;
}

static struct error *syscall_take_enter(struct syscall_states *states, struct syscall_event *e,
					struct syscall_call *call)
{
	const struct sample *s = &call->sample->sample;
	struct syscall_task *task = call->task;
	struct syscall_text texts[SYSCALL_ARGS];
	struct error *err;

	if (task->inside && task->info == call->info && !(task->told & e->kind_bit)) {
		task->told |= e->kind_bit;
		states->repeated++;
		return NULL;
	}
	task->events++;
	syscall_read_args(e, s, task->args);
	call->args = task->args;
	if (e->has_texts) {
		syscall_read_texts(e, s, texts);
		call->texts = texts;
	}
	/* The listener still sees the call that was interrupted or whose end was lost. */
	err = states->listener->enter(states->listener, call);
	task->info = call->info;
	task->entered = call->time;
	task->inside = true;
	task->told = e->kind_bit;
	syscall_note_path(task, call->texts);
	syscall_drop_paths(states, task);
	return err;
}

static struct error *syscall_take_exit(struct syscall_states *states, struct syscall_event *e,
				       struct syscall_call *call)
{
	struct lost_span lost;
	const struct sample *s = &call->sample->sample;
	struct syscall_task *task = call->task;
	struct error *err;

	task->events++;
	call->ret = (int64_t)field_u64(e->ret, s->raw, s->raw_size);
	/* If records were lost meanwhile, it may be the end of another call of the same kind. */
	call->began = task->inside && task->info == call->info &&
		      !lost_spans_between(&states->lost, LOST_SPANS_ANY_CPU, task->entered,
					  call->time, &lost);
	if (call->began && call->time > task->entered)
		call->duration = call->time - task->entered;
	if (call->began && call->ret >= 0 && call->ret <= INT32_MAX &&
	    syscall_makes_descriptor(task))
		descriptor_paths_set(states->paths, task->pid, call->ret, task->opens);
	err = states->listener->exit(states->listener, call);
	task->inside = false;
	return err;
}

/*
 * Whether the task runs a 32-bit program of x86: it has no map beyond 4 GiB, where each 64-bit
 * program has its vDSO.
 */
static bool syscall_task_is_small(const struct maps *maps)
{
	return maps && maps_next(maps, 0) && !maps_next(maps, UINT32_MAX);
}

static bool syscall_is_exec(struct syscall_states *states, uint32_t number)
{
	return !strncmp(syscalls_at(states->syscalls, number)->name, "exec", 4);
}

/* The call with @number in the task of @r. */
static struct syscall_info *syscall_info_of(struct syscall_states *states,
					    const struct session_record *r, uint32_t number,
					    enum syscall_event_kind kind)
{
	bool small = syscall_task_is_small(r->maps);
	const struct syscall_slot *slot;

	if (!syscalls_have_i386(states->syscalls))
		return syscalls_at(states->syscalls, number);
	/* execve() keeps the number of the program that called it. */
	if (kind == SYSCALL_EXIT && (syscall_is_exec(states, number) ||
				     syscall_is_exec(states, SYSCALL_I386 + number))) {
		slot = syscall_slot_find(states, r->tid);
		if (slot && slot->task && slot->task->inside &&
		    slot->task->info->number % SYSCALL_I386 == number)
			return slot->task->info;
	}
	return syscalls_at(states->syscalls, small ? SYSCALL_I386 + number : number);
}

struct error *syscall_states_sample(struct syscall_states *states, const struct session_record *r,
				    bool *ret_taken)
{
	struct syscall_call call = { .sample = r, .time = r->sample.time };
	struct syscall_event *e;
	uint64_t number;

	*ret_taken = false;
	e = array_at(&states->events, r->event->index, 0);
	if (!e)
		return &error_no_memory;
	if (!e->known) {
		syscall_event_learn(states, r, e);
		if (e->kind != SYSCALL_OTHER && !event_counts(r->events, r->event))
			e->kind = SYSCALL_AGAIN;
	}
	if (e->kind == SYSCALL_OTHER)
		return NULL;
	*ret_taken = true;
	states->repeated += e->kind == SYSCALL_AGAIN;
	if (e->kind == SYSCALL_AGAIN)
		return NULL;
	number = field_u64(e->number, r->sample.raw, r->sample.raw_size);
	/* On x86, a return from a signal ends like this: its number is gone. */
	if (number == UINT64_MAX)
		return NULL;
	if (number < SYSCALL_I386)
		call.info = syscall_info_of(states, r, number, e->kind);
	if (!call.info) {
		states->unknown++;
		return NULL;
	}
	if (states->wanted && !states->wanted[call.info->number])
		return NULL;
	call.task = syscall_states_task(states, r);
	if (!call.task)
		return &error_no_memory;
	return e->kind == SYSCALL_ENTER ? syscall_take_enter(states, e, &call) :
					  syscall_take_exit(states, e, &call);
}

/* Whether a LOST record may concern events of system calls. */
static bool syscall_is_lost(const struct session_record *r)
{
	return r->record.header->type == PERF_RECORD_LOST &&
	       (!r->loss.of_event || !r->format || !strcmp(r->format->system, "raw_syscalls") ||
		!strcmp(r->format->system, "syscalls"));
}

bool syscall_states_other(struct syscall_states *states, const struct session_record *r)
{
	struct syscall_slot *slot;

	if (syscall_is_lost(r))
		return lost_spans_take(&states->lost, r);
	if (r->record.header->type != PERF_RECORD_FORK &&
	    r->record.header->type != PERF_RECORD_EXIT)
		return true;
	slot = syscall_slot_find(states, r->tid);
	if (!slot || !slot->task)
		return true;
	/* The number may belong to another task from now on. */
	states->recent[(uint32_t)r->tid % RECENT_TASKS] = NULL;
	slot->task = NULL;
	return true;
}

struct error *syscall_states_keep(struct syscall_states *states)
{
	for (size_t i = 0; i < states->tasks.nr; i++) {
		struct syscall_task *task = states->tasks.items[i];

		if (!task->comm || task->comm == task->kept)
			continue;
		free(task->kept);
		task->comm = task->kept = strdup(task->comm);
		if (!task->comm)
			return &error_no_memory;
	}
	return NULL;
}

size_t syscall_states_count(const struct syscall_states *states)
{
	return states->tasks.nr;
}

struct syscall_task *syscall_states_at(const struct syscall_states *states, size_t index)
{
	return states->tasks.items[index];
}

uint64_t syscall_states_repeated(const struct syscall_states *states)
{
	return states->repeated;
}

uint64_t syscall_states_unknown(const struct syscall_states *states)
{
	return states->unknown;
}

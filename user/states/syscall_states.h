/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracks the system call of each task.  It joins the samples of raw_syscalls:sys_enter and
 * sys_exit, and of syscalls:sys_enter_* and sys_exit_*, to calls, and passes them to a listener.
 * If both report the same end of a call, the first one counts.
 */
#ifndef KTRACE_STATES_SYSCALL_STATES_H
#define KTRACE_STATES_SYSCALL_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/syscalls.h"
#include "lib/cleanup.h"
#include "session/session.h"
#include "states/descriptor_paths.h"

/* A task, with its system calls. */
struct syscall_task {
	size_t index;			/* its number, from 0 */
	int32_t pid, tid;
	const char *comm;		/* as of its last sample */
	bool inside;			/* it has entered a call and not returned from it */
	unsigned int told;		/* bits of the kinds of events that reported it */
	struct syscall_info *info;	/* that call */
	uint64_t entered;		/* time of entering, ns */
	uint64_t args[SYSCALL_ARGS];
	uint64_t events;		/* samples of entering and returning */
	uint64_t major, minor;		/* page faults, for syscall_states_fault() */
	uint64_t runtime;		/* ns, summed by the caller */
	char *opens;			/* path to be opened by the call; NULL: unknown */
	char *kept;			/* a copy of the comm, by syscall_states_keep() */
};

/* The string behind a pointer argument; text NULL: not recorded. */
struct syscall_text {
	const char *text;
	size_t len;
};

/* One end of a call.  All members are valid during the call of the listener only. */
struct syscall_call {
	struct syscall_task *task;
	struct syscall_info *info;
	const struct session_record *sample;
	uint64_t time;			/* of this sample, ns */
	/* Entering: */
	const uint64_t *args;
	const struct syscall_text *texts;	/* SYSCALL_ARGS items; NULL: none is recorded */
	/* Returning: */
	int64_t ret;
	bool began;			/* the sample of entering is known */
	uint64_t duration;		/* ns, if it began */
};

struct syscall_listener {
	struct error *(*enter)(struct syscall_listener *listener, const struct syscall_call *call);
	struct error *(*exit)(struct syscall_listener *listener, const struct syscall_call *call);
};

struct syscall_states;

/*
 * All pointers are borrowed.  @wanted: only calls with these numbers; NULL: all.  @paths gets the
 * opened and closed descriptors.
 */
struct error *syscall_states_create(struct syscalls *syscalls, const bool *wanted,
				    struct descriptor_paths *paths,
				    struct syscall_listener *listener,
				    struct syscall_states **ret);
void syscall_states_destroy(struct syscall_states *states);

/* Whether the recording has events of system calls. */
bool syscall_states_recorded(const struct event_list *events);
/* Whether these include the events of all calls. */
bool syscall_states_recorded_raw(const struct event_list *events);

/* Process a sample.  *ret_taken is false if it is of another event. */
struct error *syscall_states_sample(struct syscall_states *states, const struct session_record *r,
				    bool *ret_taken);

/*
 * Process another record: starts and ends of tasks, and losses, which end all current calls.
 * Returns false if memory is out.
 */
bool syscall_states_other(struct syscall_states *states, const struct session_record *r);

/* The task of a sample, which is added if it is new; NULL: out of memory. */
struct syscall_task *syscall_states_task(struct syscall_states *states,
					 const struct session_record *r);

/*
 * Call it before the session ends, since its comms end with it: copies the comms of all tasks.  The
 * only possible error is lack of memory.
 */
struct error *syscall_states_keep(struct syscall_states *states);

/* All known tasks by index, including ended ones. */
size_t syscall_states_count(const struct syscall_states *states);
struct syscall_task *syscall_states_at(const struct syscall_states *states, size_t index);

/* The number of samples that only repeated another one. */
uint64_t syscall_states_repeated(const struct syscall_states *states);

/* The number of samples without a valid call number, which were left out. */
uint64_t syscall_states_unknown(const struct syscall_states *states);

#endif

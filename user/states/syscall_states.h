/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which system call each task is in: joins the samples of raw_syscalls:sys_enter and sys_exit,
 * and those of syscalls:sys_enter_* and sys_exit_*, to calls, and gives them to a listener.  Where
 * both report the same end of a call, the first one counts.
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

/* A task, as far as its system calls are concerned. */
struct syscall_task {
	size_t index;			/* its number, from 0 */
	int32_t pid, tid;
	const char *comm;		/* as of its last sample */
	bool inside;			/* it has entered a call and not returned from it */
	unsigned int told;		/* bits of the kinds of events that told so */
	struct syscall_info *info;	/* that call */
	uint64_t entered;		/* when it did, ns */
	uint64_t args[SYSCALL_ARGS];
	uint64_t events;		/* samples of entering and returning */
	uint64_t major, minor;		/* page faults, for syscall_states_fault() */
	uint64_t runtime;		/* ns, as its user adds them up */
	char *opens;			/* the path that the call opens; NULL: unknown */
	char *kept;			/* a copy of the comm, by syscall_states_keep() */
};

/* What a pointer among the arguments points to; text NULL: it is not recorded. */
struct syscall_text {
	const char *text;
	size_t len;
};

/* One end of a call.  Everything is valid during the call of the listener only. */
struct syscall_call {
	struct syscall_task *task;
	struct syscall_info *info;
	const struct session_record *sample;
	uint64_t time;			/* of this sample, ns */
	/* Entering: */
	const uint64_t *args;
	const struct syscall_text *texts;	/* SYSCALL_ARGS of them; NULL: none is recorded */
	/* Returning: */
	int64_t ret;
	bool began;			/* the sample of entering was seen */
	uint64_t duration;		/* ns, if it began */
};

struct syscall_listener {
	struct error *(*enter)(struct syscall_listener *listener, const struct syscall_call *call);
	struct error *(*exit)(struct syscall_listener *listener, const struct syscall_call *call);
};

struct syscall_states;

/*
 * All is borrowed.  @wanted: only calls with these numbers; NULL: all.  What is opened and closed
 * is told to @paths.
 */
struct error *syscall_states_create(struct syscalls *syscalls, const bool *wanted,
				    struct descriptor_paths *paths,
				    struct syscall_listener *listener,
				    struct syscall_states **ret);
void syscall_states_destroy(struct syscall_states *states);

/* Whether the recording has events by which calls are seen. */
bool syscall_states_recorded(const struct event_list *events);
/* Whether those of all calls are among them. */
bool syscall_states_recorded_raw(const struct event_list *events);

/* Take a sample.  *ret_taken is false if it is of another event. */
struct error *syscall_states_sample(struct syscall_states *states, const struct session_record *r,
				    bool *ret_taken);

/*
 * Take another record: those of tasks that begin and end, and of losses, over which no call goes
 * on.  false: memory is out.
 */
bool syscall_states_other(struct syscall_states *states, const struct session_record *r);

/* The task of a sample, which is made if it is new; NULL: out of memory. */
struct syscall_task *syscall_states_task(struct syscall_states *states,
					 const struct session_record *r);

/*
 * The session ends, and with it the comms that it gave: keep copies of those of all tasks.  The
 * only error is to be out of memory.
 */
struct error *syscall_states_keep(struct syscall_states *states);

/* All tasks that were seen, by index; also those that have ended. */
size_t syscall_states_count(const struct syscall_states *states);
struct syscall_task *syscall_states_at(const struct syscall_states *states, size_t index);

/* Samples that were taken, and said only what another one had said. */
uint64_t syscall_states_repeated(const struct syscall_states *states);

/* Samples whose number is that of no call, and that were left out. */
uint64_t syscall_states_unknown(const struct syscall_states *states);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The actions on a violation that the user requests, of the module and of this process.  They are
 * counted, and so are actions that were not done, with the reason.
 */
#ifndef KTRACE_MACHINE_ACTION_H
#define KTRACE_MACHINE_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "machine/judge.h"

#define ACTION_RATE_MAX		100	/* as in the module */

enum action_kind {
	ACTION_FREEZE,			/* by the module */
	ACTION_PRINTK,			/* by the module */
	ACTION_SIGNAL,
	ACTION_EXEC,
	ACTION_STOP,
};

struct action {
	char *text;			/* as the user has written it, owned */
	enum action_kind kind;
	int signal;
	int pidfd;			/* of the process to signal; -1: the key's */
	char *words;			/* of the command, owned */
	ARRAY_OF(char *) argv;	/* in them; ended by NULL */
	pid_t running;			/* the command; 0: it does not run */
	uint64_t done, failed, withheld, busy;
	char why[64];			/* of the last failure */
};

/* Zeros are an empty list. */
struct action_list {
	struct action *items;
	size_t nr, alloc;
	unsigned int max_rate;		/* violations in a second that are acted on; 0: 10 */
	uint64_t second;		/* ms */
	unsigned int in_second;
	bool stops;			/* judging is to end */
};

/* The work of the module. */
struct action_sums {
	uint64_t froze, revoked, acted, withheld;
};

/*
 * Add an action: "freeze", "printk", "stop", "signal:NAME", "signal:NAME:key", "signal:NAME:PID" or
 * "exec:COMMAND".  EINVAL: it is no such action; ESRCH, EPERM: there is no such process, or it must
 * not be signalled.
 */
struct error *action_add(struct action_list *list, const char *text);
void action_list_deinit(struct action_list *list);
DEFINE_CLEANUP(action_list, struct action_list, action_list_deinit)

/* EINVAL: an action signals the task of the key, and the keys of this monitor are no tasks. */
struct error *action_check(const struct action_list *list, const struct monitor *monitor);

/* KTRACE_ACTION_* for the module.  It wakes this process if that has actions to take. */
uint32_t action_mask(const struct action_list *list);

/*
 * Take the actions of this process on a violation.  @boottime: its time by CLOCK_BOOTTIME, ns; a
 * task that began later is not the key's.
 */
void action_take(struct action_list *list, const struct judges_violation *row, uint64_t boottime);

/* Reap commands that have ended.  Returns whether one still runs. */
bool action_reap(struct action_list *list);

/* Append a line for each action: how often it was done, and how often it was not, and why. */
void action_add_report(const struct action_list *list, const struct action_sums *sums,
		       struct strbuf *out);

#endif

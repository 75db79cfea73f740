/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last words of a kernel that dies: a panic prints the newest records of all sessions, if the
 * module's parameter dump_on_panic asks for it.  <linux/ktrace_dump.h> has the form.
 */
#ifndef KTRACE_LAST_WORDS_H
#define KTRACE_LAST_WORDS_H

#include <linux/types.h>

struct cpumask;
struct ktrace_ring;
struct xarray;

/* What a kernel that dies can look at of a session, without a lock. */
struct ktrace_last_words_view {
	struct ktrace_ring **rings;	/* by CPU */
	const struct cpumask *cpus;	/* that have one */
	struct xarray *events, *ids;	/* struct ktrace_event by index and by id */
	int clockid;
	pid_t pid;			/* of the process that has set it up */
};

/* The sessions, for the only CPU of a kernel that dies: no lock is taken. */
struct ktrace_last_words_sessions {
	/* No session records any more. */
	void (*close_all_gates)(void);
	/* Calls @look for each one that has rings, the newest first. */
	void (*view_all)(void (*look)(const struct ktrace_last_words_view *view));
};

/* @all is used until ktrace_last_words_exit(). */
int ktrace_last_words_init(const struct ktrace_last_words_sessions *all);
void ktrace_last_words_exit(void);

#endif

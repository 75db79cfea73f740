/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last words of a kernel that panics: it prints the newest records of all sessions, if the
 * module's parameter dump_on_panic requests this.  <linux/ktrace_dump.h> describes the text.
 */
#ifndef KTRACE_LAST_WORDS_H
#define KTRACE_LAST_WORDS_H

#include <linux/types.h>

struct cpumask;
struct ktrace_ring;
struct xarray;

/* The parts of a session that a panicking kernel can read without a lock. */
struct ktrace_last_words_view {
	struct ktrace_ring **rings;	/* by CPU */
	const struct cpumask *cpus;	/* CPUs that have a ring */
	struct xarray *events, *ids;	/* struct ktrace_event by index and by id */
	int clockid;
	pid_t pid;			/* of the process that has set it up */
};

/* Operations on all sessions, for the only CPU of a kernel that panics: they take no lock. */
struct ktrace_last_words_sessions {
	/* Stops all recording. */
	void (*close_all_gates)(void);
	/* Calls @look for each session that has rings, the newest first. */
	void (*view_all)(void (*look)(const struct ktrace_last_words_view *view));
};

/* @all is used until ktrace_last_words_exit(). */
int ktrace_last_words_init(const struct ktrace_last_words_sessions *all);
void ktrace_last_words_exit(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of live sessions for readers of this machine's memory after it has died.  The layout is
 * in <linux/ktrace_vmcore.h>.
 */
#ifndef KTRACE_VMCORE_H
#define KTRACE_VMCORE_H

#include <linux/types.h>
#include <linux/ktrace_vmcore.h>

struct cpumask;
struct ktrace_event;
struct ktrace_ring;

/* A part of each session.  The caller serialises the functions below, except for init and exit. */
struct ktrace_vmcore {
	struct ktrace_vmcore_session *shown; /* NULL: not in the table */
	u64 *end;		/* the link at the end of its list of events */
	void *description;
};

int ktrace_vmcore_init(void);
void ktrace_vmcore_exit(void);

/* Adds a session with these rings (by CPU), which must exist until ktrace_vmcore_hide(). */
int ktrace_vmcore_show(struct ktrace_vmcore *vmcore, struct ktrace_ring **rings,
		       const struct cpumask *cpus, int clockid);
/* Removes the session.  To be called before any part of it is freed. */
void ktrace_vmcore_hide(struct ktrace_vmcore *vmcore);

/*
 * Creates the entry of an event with the ring numbers of @cpus.  After ktrace_vmcore_event_add(),
 * it is in the table, and ktrace_vmcore_hide() frees it.  Before, ktrace_vmcore_event_destroy()
 * does.
 */
struct ktrace_vmcore_event *ktrace_vmcore_event_create(const struct ktrace_event *event,
						       const struct cpumask *cpus);
void ktrace_vmcore_event_destroy(struct ktrace_vmcore_event *shown);
void ktrace_vmcore_event_add(struct ktrace_vmcore *vmcore, struct ktrace_vmcore_event *shown,
			     u32 stats_flags);

/*
 * Stores user space's description of the session.  Takes over @copy, for vfree(), on success.
 * -EEXIST: there is a description already; -ENOMEM.
 */
int ktrace_vmcore_describe(struct ktrace_vmcore *vmcore, void *copy, u32 bytes);

/* Returns that copy, or NULL; *bytes is its size, or 0. */
const void *ktrace_vmcore_description(const struct ktrace_vmcore *vmcore, u32 *bytes);

#endif

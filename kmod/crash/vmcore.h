/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of live sessions for whoever reads this machine's memory after it has died.  The
 * layout is in <linux/ktrace_vmcore.h>.
 */
#ifndef KTRACE_VMCORE_H
#define KTRACE_VMCORE_H

#include <linux/types.h>
#include <linux/ktrace_vmcore.h>

struct cpumask;
struct ktrace_event;
struct ktrace_ring;

/* Part of a session; the caller serialises the functions below, but for init and exit. */
struct ktrace_vmcore {
	struct ktrace_vmcore_session *shown; /* NULL: not in the table */
	u64 *end;		/* of the list of its events: where the next one is linked */
	void *description;
};

int ktrace_vmcore_init(void);
void ktrace_vmcore_exit(void);

/* Shows a session with these rings (by CPU), which stay until ktrace_vmcore_hide(). */
int ktrace_vmcore_show(struct ktrace_vmcore *vmcore, struct ktrace_ring **rings,
		       const struct cpumask *cpus, int clockid);
/* Hides what was shown.  To be called before any of it is freed. */
void ktrace_vmcore_hide(struct ktrace_vmcore *vmcore);

/*
 * Makes what is shown of an event with the ring numbers of @cpus.  It is shown once it is
 * added, and freed by ktrace_vmcore_hide() then, otherwise by ktrace_vmcore_event_destroy().
 */
struct ktrace_vmcore_event *ktrace_vmcore_event_create(const struct ktrace_event *event,
						       const struct cpumask *cpus);
void ktrace_vmcore_event_destroy(struct ktrace_vmcore_event *shown);
void ktrace_vmcore_event_add(struct ktrace_vmcore *vmcore, struct ktrace_vmcore_event *shown,
			     u32 stats_flags);

/*
 * Keeps @copy, of what user space says of the session, which vfree() frees.  -EEXIST: there is one
 * already; -ENOMEM.  When it fails, the caller keeps the copy.
 */
int ktrace_vmcore_describe(struct ktrace_vmcore *vmcore, void *copy, u32 bytes);

/* Returns that copy, or NULL; *bytes is its size, or 0. */
const void *ktrace_vmcore_description(const struct ktrace_vmcore *vmcore, u32 *bytes);

#endif

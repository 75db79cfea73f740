/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: what happens when an event fires, however it was attached.
 *
 *	scope -> filter -> sampling -> reserve -> copy -> common fields -> commit
 *
 * What assigns the record's fields itself begins and ends (probes/ktrace/templates.h):
 *
 *	scope -> reserve -> assign -> common fields -> commit
 *	scope -> assign to scratch memory -> filter -> sampling -> as above
 */
#ifndef KTRACE_CAPTURE_H
#define KTRACE_CAPTURE_H

#include <linux/percpu-defs.h>
#include <linux/types.h>
#include <asm/local.h>
#include <linux/ktrace.h>

#include "sampling.h"
#include "scope.h"

struct ktrace_attach_ops;
struct ktrace_filter;
struct ktrace_ring;

/* KTRACE_LOST_* in use. */
#define KTRACE_CAPTURE_NR_LOST	3

/* What the events of a session have in common. */
struct ktrace_capture {
	bool running;			/* the gate; false: nothing is even counted */
	struct ktrace_scope scope;
};

/* What was lost for one reason. */
struct ktrace_capture_loss {
	local_t lost;			/* ever */
	local_t unplaced;		/* of them, not in the ring as PERF_RECORD_LOST */
	u64 first;			/* time of the unplaced ones */
	u64 last;
};

/* An event on one CPU, written by that CPU's contexts only. */
struct ktrace_event_cpu {
	struct ktrace_ring *ring;	/* NULL: not a CPU of the session */
	u32 max_size;			/* of a record that can ever be stored */
	/* Two bytes, so that who interrupts the writer of one keeps the other. */
	union {
		struct {
			bool has_unplaced; /* the next record has to tell of losses */
			bool placing;	/* somebody is about to */
		};
		u16 attention;		/* both, for a quick look */
	};
	local_t recorded;
	local_t filtered;		/* or left out by sampling */
	local_t out_of_scope;
	struct ktrace_sampling_cpu sampling;
	struct ktrace_capture_loss loss[KTRACE_CAPTURE_NR_LOST];
};

struct ktrace_event {
	const struct ktrace_capture *capture;
	struct ktrace_event_cpu __percpu *cpu;
	struct ktrace_filter *filter;	/* NULL: every record */
	struct ktrace_sampling sampling;
	bool sampled;			/* not every record that passes */
	u64 id;
	u64 fields;
	u32 trailer_size;
	u32 index;
	u16 type;			/* of its records, where a probe makes them */

	/* Of the attachment. */
	const struct ktrace_attach_ops *ops;
	void *attachment;
};

/* Before the event is attached: its records on @cpu go into @ring. */
void ktrace_capture_bind(struct ktrace_event *event, unsigned int cpu,
			 struct ktrace_ring *ring);

/* Before the event's session runs, and once it is bound to its CPUs. */
void ktrace_capture_sample(struct ktrace_event *event, const struct ktrace_sampling *sampling);

/*
 * @event fired on this CPU.  @raw has @size bytes, as in its format file; NULL if
 * 0.  @misc: PERF_RECORD_MISC_KERNEL or _USER.  Any context; takes no lock, does
 * not sleep, fault or allocate, and wakes nobody directly.
 */
void ktrace_capture_record(struct ktrace_event *event, const void *raw, u32 size,
			   u64 ip, u64 period, u16 misc);

/* As ktrace_capture_end(), for an event whose @ip is in user space. */
void ktrace_capture_end_user(struct ktrace_event *event, void *entry, u32 size,
			     unsigned long ip);

/* Fill in all but `size`, `index`, `cpu` and `flags`. */
void ktrace_capture_read_stats(const struct ktrace_event *event, unsigned int cpu,
			       struct ktrace_stats *stats);

#endif

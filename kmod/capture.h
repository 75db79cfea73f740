/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: what happens when an event fires, however it was attached.
 *
 *	scope -> guard -> filter -> sampling -> reserve -> copy -> common fields -> commit
 *
 * What assigns the record's fields itself begins and ends (probes/ktrace/probe.h):
 *
 *	scope -> guard -> reserve -> assign -> common fields -> commit
 *	scope -> guard -> assign to scratch memory -> filter -> sampling -> as above
 *
 * The guard admits one record at a time in each context of a CPU (ktrace_guard in
 * probes/ktrace/probe.h); what fires in between is counted as KTRACE_LOST_RECURSION.
 *
 * Each has a way of its own for what is so almost always: no filter, no sampling,
 * no trailer, nothing lost before, nobody in between.
 */
#ifndef KTRACE_CAPTURE_H
#define KTRACE_CAPTURE_H

#include <linux/percpu-defs.h>
#include <linux/types.h>
#include <asm/local.h>
#include <linux/ktrace.h>

#include "sampling.h"
#include "scope.h"

struct bpf_prog;
struct ktrace_attach_ops;
struct ktrace_filter;
struct ktrace_ring;
struct pt_regs;

/* KTRACE_LOST_* in use. */
#define KTRACE_CAPTURE_NR_LOST	4

/* What the events of a session have in common.  Begins as struct ktrace_probe_capture. */
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

/* The numbers of an event on one CPU when a snapshot was taken. */
struct ktrace_capture_counts {
	u64 recorded, filtered, out_of_scope;
	u64 lost[KTRACE_CAPTURE_NR_LOST];
};

/* An event on one CPU, written by that CPU's contexts only.  As struct ktrace_probe_cpu. */
struct ktrace_event_cpu {
	struct ktrace_ring *ring;	/* NULL: not a CPU of the session */
	local_t filtered;		/* or left out by sampling */
	local_t out_of_scope;
	local_t recorded;
	u32 max_size;			/* of a record that can ever be stored */
	u32 max_plain;			/* of the raw data of one stored as it is; 0: none is */
	/* Two bytes, so that who interrupts the writer of one keeps the other. */
	union {
		struct {
			bool has_unplaced; /* the next record has to tell of losses */
			bool placing;	/* somebody is about to */
		};
		u16 attention;		/* both, for a quick look */
	};
	struct ktrace_sampling_cpu sampling;
	struct ktrace_capture_loss loss[KTRACE_CAPTURE_NR_LOST];
	struct ktrace_capture_counts snapshot;
};

/* Begins as struct ktrace_probe_event. */
struct ktrace_event {
	const struct ktrace_capture *capture;
	struct ktrace_event_cpu __percpu *cpu;
	const struct bpf_prog *prog;	/* of the filter, for probes that run it */
	u32 prog_min_size;
	bool elaborate;			/* sampled, or with a call chain */
	bool judged;			/* filtered or elaborate: it is stored later, or not */
	bool special;			/* judged, a trigger, or with a trailer */
	struct ktrace_filter *filter;	/* NULL: every record */
	struct ktrace_sampling sampling;
	bool trigger;			/* its records ask for a snapshot */
	bool callchain;			/* stored with every record */
	bool sampled;			/* not every record that passes */
	u64 id;
	u64 config;			/* as it was added by */
	u64 fields;
	u32 trailer_size;
	u32 index;
	u16 type;			/* of its records, where a probe makes them */
	u16 misc;			/* of their headers, likewise */

	/* Of the attachment. */
	const struct ktrace_attach_ops *ops;
	void *attachment;
};

/* Before the event is attached: its records on @cpu go into @ring. */
void ktrace_capture_bind(struct ktrace_event *event, unsigned int cpu,
			 struct ktrace_ring *ring);

/*
 * Before the event is attached, with trigger and callchain set: which of its records are
 * stored, with which common fields.  @filter stays the caller's; NULL: all.
 */
void ktrace_capture_choose(struct ktrace_event *event, struct ktrace_filter *filter, u64 fields);

/* Before the event's session runs, and once it is bound to its CPUs. */
void ktrace_capture_sample(struct ktrace_event *event, const struct ktrace_sampling *sampling);

/*
 * @event fired on this CPU, at @regs.  @raw has @size bytes, as in its format file;
 * NULL if 0.  Any context; takes no lock, does not sleep or allocate, and wakes nobody
 * directly.
 */
void ktrace_capture_record(struct ktrace_event *event, const void *raw, u32 size,
			   u64 period, struct pt_regs *regs);

/* On @cpu, with interrupts disabled: keep the numbers for later. */
void ktrace_capture_keep_counts(struct ktrace_event *event, unsigned int cpu);
/* Those that were kept; fills in the same. */
void ktrace_capture_read_kept(const struct ktrace_event *event, unsigned int cpu,
			      struct ktrace_stats *stats);

/* Fill in all but `size`, `index`, `cpu` and `flags`. */
void ktrace_capture_read_stats(const struct ktrace_event *event, unsigned int cpu,
			       struct ktrace_stats *stats);

#endif

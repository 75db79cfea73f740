/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: from the firing of an event to its record, for every path of capture.
 *
 *	scope -> guard -> filter -> sampling -> reserve -> copy -> common fields -> commit
 *
 * A probe that assigns the fields of the sample itself calls ktrace_capture_begin() and
 * ktrace_capture_end() (probes/ktrace/probe.h).  A filter that reads only the task, and sampling,
 * decide before any field is assigned.  The fields are assigned either directly in the ring or, if
 * a filter has to see them first, in scratch memory:
 *
 *	scope -> guard -> filter -> sampling -> reserve -> assign -> common fields -> commit
 *	scope -> guard -> assign to scratch memory -> filter -> sampling -> as above
 *
 * The guard admits one sample at a time in each context of a CPU (ktrace_guard in
 * probes/ktrace/probe.h).  Events that fire in between are counted as KTRACE_LOST_RECURSION.
 *
 * Each of these has a shortcut for the usual case: no filter, no sampling, no trailer, no earlier
 * loss to report, and no other sample in progress on the CPU.  way.h lists the cases.
 */
#ifndef KTRACE_CAPTURE_H
#define KTRACE_CAPTURE_H

#include <linux/percpu-defs.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <asm/local.h>
#include <linux/ktrace.h>

#include "capture/way.h"
#include "filter/filter_budget.h"
#include "filter/sampling.h"
#include "probes/ktrace/probe.h"

struct ktrace_attach_ops;
struct ktrace_counter_deltas;
struct ktrace_counting;
struct ktrace_filter;
struct ktrace_judge_tap;
struct ktrace_ring;
struct ktrace_violation;
struct pt_regs;

/* The number of KTRACE_LOST_* in use. */
#define KTRACE_CAPTURE_NR_LOST	4

/* The losses for one reason. */
struct ktrace_capture_loss {
	local_t lost;			/* ever lost */
	local_t unplaced;		/* losses that no PERF_RECORD_LOST in the ring reports */
	u64 first;			/* times of the first and last unplaced one */
	u64 last;
};

/* The ledger of an event on one CPU at the last snapshot. */
struct ktrace_capture_counts {
	u64 recorded, filtered, out_of_scope, frozen;
	u64 lost[KTRACE_CAPTURE_NR_LOST];
};

/* An event on one CPU.  Only contexts of that CPU write it. */
struct ktrace_event_cpu {
	struct ktrace_probe_cpu probe;
	local_t recorded;
	u32 max_size;			/* of the largest sample that can be stored */
	/*
	 * The most raw data of a sample that is plain, or plain except for a trailer; 0: no sample
	 * is, or there are losses to report first.
	 */
	u32 max_plain;
	u32 max_without_loss;		/* the same where there are no losses */
	u32 max_direct;			/* the same for samples with early decisions */
	/*
	 * Two separate bytes, so that a context that interrupts the writer of one of them does not
	 * lose its write to the other one.
	 */
	union {
		struct {
			bool has_unplaced; /* the next sample has to report losses first */
			bool placing;	/* a writer is about to report them */
		};
		u16 attention;		/* both, to test them at once */
	};
	struct ktrace_sampling_cpu sampling;
	struct ktrace_capture_loss loss[KTRACE_CAPTURE_NR_LOST];
	/* KTRACE_LOST_FROZEN; none of them is placed, because the ring takes nothing any more. */
	struct ktrace_capture_loss frozen;
	struct ktrace_capture_counts snapshot;
};

struct ktrace_event {
	struct ktrace_probe_event probe;
	struct ktrace_way way;
	bool compact;			/* samples are KTRACE_SAMPLE_TYPE_COMPACT or _ALONE */
	bool has_ids;			/* records of the session have the id of their event */
	/*
	 * The difference between the guard's word and the preempt_count() that perf would find.
	 * Where samples are never plain, it is so large that no result looks usual.
	 */
	u32 uncounted;
	struct ktrace_filter *filter;	/* NULL: no filter; with taps, that of a source */
	u32 min_size;			/* of the raw data, from ktrace_capture_limit() */
	struct ktrace_counting *counting; /* NULL: samples are stored; otherwise they are not */
	struct ktrace_judge_tap *taps;	/* the machines that judge it; NULL: none */
	bool judged_only;		/* its samples are not stored */
	struct ktrace_sampling sampling;
	bool trigger;			/* its samples request a snapshot */
	bool callchain;			/* a call chain is stored with every sample */
	bool regs;			/* likewise the user's registers */
	bool sampled;			/* not every sample that passes the filter is stored */
	u64 id;
	u64 sample_type;		/* of EVENT_ADD, set before the event is bound */
	u32 raw_offset;			/* of raw[] in a sample without a call chain */
	u32 lost_size;			/* bytes of a PERF_RECORD_LOST */
	u64 config;			/* of EVENT_ADD */
	u64 address;			/* of EVENT_ADD; 0: the event is no function */
	char *name;			/* "system:event" of EVENT_ADD; NULL: it had none */
	u64 fields;
	/* The source of counted fields, set before ktrace_capture_choose(); or NULL. */
	struct ktrace_counter_deltas *deltas;
	u32 deltas_offset;		/* of the counted fields' slots in the trailer */
	u32 trailer_size;
	u32 index;
	u32 user_strings;		/* of EVENT_ADD */
	u16 type;			/* for the raw data, where a probe assigns it */
	/* Of its samples; the size does not include the raw data.  Some paths replace misc. */
	struct perf_event_header header;

	/* These belong to the attachment. */
	const struct ktrace_attach_ops *ops;
	void *attachment;

	struct ktrace_filter_claim claim; /* of the filter */
};

/*
 * Makes the samples of @event, whose sample_type is set, on @cpu go into @ring.  To be called
 * before the event is attached, and before ktrace_capture_choose().
 */
void ktrace_capture_bind(struct ktrace_event *event, unsigned int cpu,
			 struct ktrace_ring *ring);

/*
 * Sets the filter and the common fields of @event.  To be called before the event is attached, once
 * its trigger and callchain are set.  The caller keeps owning @filter; NULL stores all samples.
 */
void ktrace_capture_choose(struct ktrace_event *event, struct ktrace_filter *filter, u64 fields);

/*
 * Sets the smallest size of raw data of @event's samples, with its padding.  To be called by
 * template probes before the event is enabled: if a filter's machine code reads beyond that, the
 * probe does not run it itself.
 */
void ktrace_capture_limit(struct ktrace_event *event, u32 size);

/* Sets the sampling of @event.  To be called once it is bound, and before its session runs. */
void ktrace_capture_sample(struct ktrace_event *event, const struct ktrace_sampling *sampling);

/*
 * From now on, @event is counted, and its samples are not stored.  To be called before its session
 * runs.  The event owns @counting.
 */
void ktrace_capture_count(struct ktrace_event *event, struct ktrace_counting *counting);

/*
 * From now on, the machine of @tap judges @event.  To be called before its session runs.  The event
 * owns @tap.
 */
void ktrace_capture_judge(struct ktrace_event *event, struct ktrace_judge_tap *tap);

/*
 * Stores @violation as a sample of @event, which is a KTRACE_EVENT_VIOLATION.  To be called with
 * preemption disabled, within the guard.
 */
void ktrace_capture_tell(void *event, const struct ktrace_violation *violation);

/*
 * Records that @event fired on this CPU, at @regs.  @raw has @size bytes with the layout of the
 * event's format file; it is NULL if @size is 0.  Works in any context: it takes no lock, does not
 * sleep or allocate, and wakes nobody directly.
 */
void ktrace_capture_record(struct ktrace_event *event, const void *raw, u32 size,
			   u64 period, struct pt_regs *regs);

/*
 * Counts a firing of @event on this CPU that could not be observed completely, as
 * KTRACE_LOST_NESTED.  Works in any context, like ktrace_capture_record().
 */
void ktrace_capture_miss(const struct ktrace_event *event);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: what happens when an event fires, by whichever path it is captured.
 *
 *	scope -> guard -> filter -> sampling -> reserve -> copy -> common fields -> commit
 *
 * A probe that assigns the fields of the sample itself calls ktrace_capture_begin() and
 * ktrace_capture_end() (probes/ktrace/probe.h).  A filter that looks only at the task, and
 * sampling, are decided before anything is assigned.  The fields are assigned either directly
 * in the ring or, if a filter has to see them first, in scratch memory:
 *
 *	scope -> guard -> filter -> sampling -> reserve -> assign -> common fields -> commit
 *	scope -> guard -> assign to scratch memory -> filter -> sampling -> as above
 *
 * The guard admits one sample at a time in each context of a CPU (ktrace_guard in
 * probes/ktrace/probe.h).  Events that fire in between are counted as KTRACE_LOST_RECURSION.
 *
 * All of these have a shortcut for the usual case: no filter, no sampling, no trailer,
 * no earlier loss to report, and no other sample being made on the CPU.  way.h has the
 * cases.
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

/* How many of KTRACE_LOST_* are in use. */
#define KTRACE_CAPTURE_NR_LOST	4

/* What was lost for one reason. */
struct ktrace_capture_loss {
	local_t lost;			/* ever lost */
	local_t unplaced;		/* those that no PERF_RECORD_LOST in the ring reports */
	u64 first;			/* times of the first and last unplaced one */
	u64 last;
};

/* The ledger of an event on one CPU, as it was when a snapshot was taken. */
struct ktrace_capture_counts {
	u64 recorded, filtered, out_of_scope;
	u64 lost[KTRACE_CAPTURE_NR_LOST];
};

/* An event on one CPU, written only by contexts of that CPU. */
struct ktrace_event_cpu {
	struct ktrace_probe_cpu probe;
	local_t recorded;
	u32 max_size;			/* of the largest sample that can be stored */
	/*
	 * Raw data of the largest sample that is plain, or trailer_quick; 0: none is, or there
	 * are losses to report first.
	 */
	u32 max_plain;
	u32 max_without_loss;		/* the same where there are no losses */
	u32 max_direct;			/* the same of samples that are decided early */
	/*
	 * Two separate bytes: a context that interrupts the writer of one of them does not
	 * lose what it writes to the other.
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
	struct ktrace_capture_counts snapshot;
};

struct ktrace_event {
	struct ktrace_probe_event probe;
	struct ktrace_way way;
	bool compact;			/* samples are KTRACE_SAMPLE_TYPE_COMPACT or _ALONE */
	bool has_ids;			/* records of the session have the id of their event */
	/*
	 * What the guard's word has more than the preempt_count() that perf would find.  Where
	 * samples are never plain, so much that no difference looks usual.
	 */
	u32 uncounted;
	struct ktrace_filter *filter;	/* NULL: no filter; with taps, that of a source */
	u32 min_size;			/* of the raw data, as ktrace_capture_limit() says */
	struct ktrace_counting *counting; /* NULL: samples are stored; otherwise none is */
	struct ktrace_judge_tap *taps;	/* what machines do with it; NULL: nothing */
	bool judged_only;		/* its samples are not stored */
	struct ktrace_sampling sampling;
	bool trigger;			/* its samples ask for a snapshot */
	bool callchain;			/* a call chain is stored with every sample */
	bool regs;			/* likewise the user's registers */
	bool sampled;			/* not every sample that passes the filter is stored */
	u64 id;
	u64 sample_type;		/* as EVENT_ADD named it, before the event is bound */
	u32 raw_offset;			/* of raw[] in a sample without a call chain */
	u32 lost_size;			/* bytes of a PERF_RECORD_LOST */
	u64 config;			/* as EVENT_ADD named it */
	u64 address;			/* of the function, likewise; 0: it is none */
	char *name;			/* "system:event", likewise; NULL: it did not */
	u64 fields;
	/* Where those that are counted come from, set before ktrace_capture_choose(); or NULL. */
	struct ktrace_counter_deltas *deltas;
	u32 deltas_offset;		/* of their slots in the trailer */
	u32 trailer_size;
	u32 index;
	u32 user_strings;		/* likewise */
	u16 type;			/* for the raw data, where a probe assigns it */
	/* Of its samples, but without the size of the raw data; misc likewise. */
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
 * Chooses which samples of @event are stored, and with which common fields.  To be called
 * before the event is attached, once its trigger and callchain are set.  The caller keeps
 * owning @filter; NULL stores all.
 */
void ktrace_capture_choose(struct ktrace_event *event, struct ktrace_filter *filter, u64 fields);

/*
 * Says that no sample of @event has raw data of less than @size bytes, with its padding.  To be
 * called by template probes before the event is enabled: where the machine code of a filter looks
 * beyond that, the probe does not run it itself.
 */
void ktrace_capture_limit(struct ktrace_event *event, u32 size);

/*
 * Sets the sampling of @event.  To be called before its session runs, once it is bound to
 * its CPUs.
 */
void ktrace_capture_sample(struct ktrace_event *event, const struct ktrace_sampling *sampling);

/*
 * From now on, @event is counted, and its samples are not stored.  To be called before its
 * session runs.  The event owns @counting.
 */
void ktrace_capture_count(struct ktrace_event *event, struct ktrace_counting *counting);

/*
 * From now on, the machine of @tap judges @event.  To be called before its session runs.  The event
 * owns @tap.
 */
void ktrace_capture_judge(struct ktrace_event *event, struct ktrace_judge_tap *tap);

/*
 * Stores @violation as a sample of @event, which is there for them.  To be called with preemption
 * disabled, within the guard.
 */
void ktrace_capture_tell(void *event, const struct ktrace_violation *violation);

/*
 * Records that @event fired on this CPU, at @regs.  @raw has @size bytes as in the event's
 * format file; it is NULL if @size is 0.  Works in any context: it takes no lock, does not
 * sleep or allocate, and wakes nobody directly.
 */
void ktrace_capture_record(struct ktrace_event *event, const void *raw, u32 size,
			   u64 period, struct pt_regs *regs);

/*
 * Counts a firing of @event on this CPU that could not be seen to its end, as
 * KTRACE_LOST_NESTED.  Works where ktrace_capture_record() does.
 */
void ktrace_capture_miss(const struct ktrace_event *event);

#endif

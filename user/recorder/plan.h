/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plan of a recording: its events, each with the backend that captures it, and the recorded
 * CPUs and tasks.  It is built from parsed options, and nothing is opened yet.
 */
#ifndef KTRACE_RECORDER_PLAN_H
#define KTRACE_RECORDER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/backend.h"
#include "capture/event_filter.h"
#include "capture/sample_parts.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "record/event.h"
#include "recorder/target.h"
#include "spec/event_spec.h"

/* The kinds of existing objects whose synthesized records can be left out. */
enum {
	PLAN_TASKS	= 1 << 0,
	PLAN_MAPS	= 1 << 1,	/* of the tasks, left out together with them */
	PLAN_CGROUPS	= 1 << 2,
	PLAN_ALL	= PLAN_TASKS | PLAN_MAPS | PLAN_CGROUPS,
};

/* All pointers are borrowed and not needed after plan_init(). */
struct plan_options {
	const struct event_specs *specs;	/* empty: PLAN_DEFAULT_EVENT */
	struct target_options target;
	const char *via;	/* "auto", or the backend to use; NULL: auto */
	enum capture_path path;
	uint64_t fields;	/* common fields to store, bit by number */
	int32_t clockid;	/* -1: perf's clock */
	unsigned int period;	/* 0: not given */
	unsigned int freq;	/* Hz; 0: not given; UINT32_MAX: the kernel's maximum */
	unsigned int pages;	/* of each ring; 0: default */
	unsigned int stack_bytes;	/* bytes of each stack to copy; 0: none */
	bool auto_callchain;	/* callchain: choose the method by the first samples */
	bool overwrite;		/* keep the newest records in the rings */
	bool keeps;	/* as in struct capture_config */
	bool freezable;		/* as in struct capture_config */
	bool compact;		/* leave out of samples all data that is known otherwise */
	bool user_strings;	/* also the strings of system calls' arguments */
	bool callchain;
	bool kernel_callchains, user_callchains; /* only these frames of call chains */
	bool addr, sample_cpu, sample_period, raw, switches;
	struct sample_parts parts;	/* optional parts of samples */
	bool thread_counts;	/* count each event in each thread */
	bool namespaces, cgroups, no_bpf;	/* as in struct capture_config */
	/*
	 * Records of maps of chosen tasks have build ids if the kernel can store them.  With
	 * build_ids, those of all tasks have them, and it is an error if the kernel cannot.
	 */
	bool build_ids, no_build_ids;
	unsigned int left_out;	/* PLAN_TASKS ...: not stored */
	bool no_buffering;	/* every record wakes the reader */
	bool delayed;		/* the command runs before recording starts */
	bool kept;		/* the recording is to outlive this process */
	bool strict_freq;	/* a rate above the kernel's limit is an error */
	bool only_user, only_kernel, exclude_self;
	const char *without;	/* an additional filter for all tracepoints; NULL: none */
};

struct plan {
	struct event_list events;
	/* The list for files if no record has an id: one event; see task_events_carry(). */
	struct event_list carrier;
	/*
	 * The events as consumers of records see them, if call chains are tried: the variants of an
	 * event are merged into one.  Empty if they equal `events`; plan_seen() returns the right
	 * list.
	 */
	struct event_list merged;
	bool tries_chains;	/* call chains of suitable events are tried */
	const char *chains_told;	/* the immediate decision of auto_callchain; NULL: none */
	struct event_filters filters;	/* the events point into them */
	struct record_target target;
	struct capture_config config;	/* points into the target */
	bool delayed, kept;	/* as in struct plan_options */
	unsigned int left_out;
};

/* The default event; without a PMU, it is replaced by cpu-clock. */
#define PLAN_DEFAULT_EVENT "cycles:P"

/*
 * Parse every filter, and choose the backend of each event.  It is an error if an event cannot be
 * recorded, with the reason and the next step.  @ret must not move afterwards.  On error, it has to
 * be released, too.
 */
struct error *plan_init(const struct plan_options *options, struct plan *ret);
void plan_deinit(struct plan *plan);
DEFINE_CLEANUP(plan, struct plan, plan_deinit)

/* The events of the given records, once they are open. */
struct event_list *plan_seen(struct plan *plan);

/* The events for files, once they are open. */
const struct event_list *plan_stored_events(const struct plan *plan);

/* Whether every task is recorded, on the CPUs of the plan. */
bool plan_has_every_task(const struct plan *plan);

/* Write the first records of a recording: the kernel's maps, and the existing tasks. */
struct error *plan_synthesize(const struct plan *plan, struct record_sink *sink);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plan of a recording: its events, each with the backend that captures it, and the CPUs
 * and tasks that are recorded.  It is made of parsed options, and nothing is opened yet.
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

/* What of what existed before the recording can be left out. */
enum {
	PLAN_TASKS	= 1 << 0,
	PLAN_MAPS	= 1 << 1,	/* of the tasks, together with these */
	PLAN_CGROUPS	= 1 << 2,
	PLAN_ALL	= PLAN_TASKS | PLAN_MAPS | PLAN_CGROUPS,
};

/* Everything is borrowed and is not needed after plan_init(). */
struct plan_options {
	const struct event_specs *specs;	/* empty: PLAN_DEFAULT_EVENT */
	struct target_options target;
	const char *via;	/* "auto", or the backend to use; NULL: auto */
	enum capture_path path;
	uint64_t fields;	/* common fields to store, a bit for the number of each */
	int32_t clockid;	/* -1: perf's clock */
	unsigned int period;	/* 0: not given */
	unsigned int freq;	/* Hz; 0: not given; UINT32_MAX: as many as the kernel allows */
	unsigned int pages;	/* of each ring; 0: default */
	unsigned int stack_bytes;	/* bytes of each stack to copy; 0: none */
	bool auto_callchain;	/* callchain: choose the way by what the first samples show */
	bool overwrite;		/* keep the newest records in the rings */
	bool compact;		/* leave out of samples what can be told without */
	bool user_strings;	/* also what arguments of system calls point to */
	bool callchain;
	bool kernel_callchains, user_callchains; /* only these frames of call chains */
	bool addr, sample_cpu, sample_period, raw, switches;
	struct sample_parts parts;	/* what samples are to hold besides */
	bool thread_counts;	/* count each event in each thread */
	bool namespaces, cgroups, no_bpf;	/* as in struct capture_config */
	/*
	 * Records of maps of chosen tasks have build ids if the kernel can store them; build_ids:
	 * of all tasks, too, and otherwise it is an error.
	 */
	bool build_ids, no_build_ids;
	unsigned int left_out;	/* PLAN_TASKS ...: not stored */
	bool no_buffering;	/* every record wakes the reader */
	bool delayed;		/* the command runs before recording starts */
	bool kept;		/* the recording is to outlive this process */
	bool strict_freq;	/* a rate above the kernel's limit is an error */
	bool only_user, only_kernel, exclude_self;
	const char *without;	/* a filter that all tracepoints get, too; NULL: none */
};

struct plan {
	struct event_list events;
	/* The only event as files have it, if nothing has ids; see task_events_carry(). */
	struct event_list carrier;
	/*
	 * The events as those see them who take the records, if call chains are tried: one for all
	 * that can take its place.  Empty if all is as in `events`; plan_seen() gives either.
	 */
	struct event_list merged;
	bool tries_chains;	/* of the events that can be tried */
	const char *chains_told;	/* what auto_callchain came to at once; NULL: nothing */
	struct event_filters filters;	/* the events point into them */
	struct record_target target;
	struct capture_config config;	/* points into the target */
	bool delayed, kept;	/* as in struct plan_options */
	unsigned int left_out;
};

/* The event that is recorded when none is asked for; without a PMU, it becomes cpu-clock. */
#define PLAN_DEFAULT_EVENT "cycles:P"

/*
 * Parse every filter, and choose the backend of each event.  What cannot be recorded is an
 * error, with a reason and a next step.  @ret must not move afterwards.  On error it has to
 * be released, too.
 */
struct error *plan_init(const struct plan_options *options, struct plan *ret);
void plan_deinit(struct plan *plan);
DEFINE_CLEANUP(plan, struct plan, plan_deinit)

/* The events whose records are given, once they are open. */
struct event_list *plan_seen(struct plan *plan);

/* The events that files are written for, once they are open. */
const struct event_list *plan_stored_events(const struct plan *plan);

/* Whether every task is to be recorded, on the CPUs of the plan. */
bool plan_has_every_task(const struct plan *plan);

/* Write what recordings begin with: the kernel's maps, and the tasks that exist now. */
struct error *plan_synthesize(const struct plan *plan, struct record_sink *sink);

#endif

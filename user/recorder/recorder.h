/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of `ktrace record`: its options, the events that they result in, the command that
 * is run, the loop, and the summary at the end.
 */
#ifndef KTRACE_RECORDER_RECORDER_H
#define KTRACE_RECORDER_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/backend.h"
#include "format/event_spec.h"
#include "lib/cpumap.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/writer.h"
#include "record/event.h"

struct record_options {
	struct event_specs specs;
	bool all_cpus;		/* -a */
	const char *cpus;	/* -C */
	const char *pids, *tids, *user, *comms;
	const char *output;	/* NULL: perf.data, or a pipe on standard output */
	const char *via, *path, *fields, *clock;
	unsigned int period;	/* -c */
	unsigned int freq;	/* -F */
	unsigned int pages;	/* -m; 0: default */
	unsigned int latency;	/* --latency, ms; 0: not given */
	/* Descriptors that our parent passes to us; 0: none. */
	unsigned int ready;	/* gets a byte when recording has begun */
	unsigned int command_output;	/* --command-output: standard error of the command */
	int compression;	/* -z; 0: none */
	bool page_cache;	/* --page-cache */
	bool no_inherit, callchain, addr, sample_cpu, sample_period, raw;
	const char *snapshot_on_exit;	/* a status, or "fail"; NULL: not given */
	bool snapshot, snapshot_on;	/* --snapshot, --snapshot-on */
	bool require_complete, overwrite, switches, only_user, only_kernel, exclude_self;
	unsigned int stack_bytes;	/* --call-graph dwarf; 0: none */
	char **command;		/* NULL: none */
	int command_argc;
};

/* Which CPUs and tasks to record: what a capture_target points to. */
struct record_target {
	struct cpumap cpus;
	pid_t *tasks;		/* NULL: every task */
	size_t nr_tasks;
	bool is_command;	/* tasks[0] is the command, not yet exec'ed */
	char **comms;		/* NULL: tasks of any name */
	size_t nr_comms;
};

/* target.c: evaluate -a -C -p -t -u --comm.  The caller sets the pid of a command. */
struct error *record_target_init(const struct record_options *options, struct record_target *ret);
void record_target_deinit(struct record_target *target);

/* plan.c: fill @events according to the options, and choose a backend for each. */
struct error *record_events_init(const struct record_options *options,
				 const struct record_target *target, int32_t clockid,
				 struct event_list *events);

/* workload.c: a command, which is forked first and waits for its exec. */
struct workload {
	pid_t pid;		/* 0: none */
	int go;			/* closing it without writing ends the child */
	int failed;		/* gives the errno of a failed exec */
	bool reaped;
	int wait_status;	/* as wait()'s, once reaped */
};

/* Where the output of a command goes. */
struct workload_output {
	bool to_errors;		/* to standard error, as standard output takes records */
	int errors_fd;		/* its standard error; 0: same as ours */
};

struct error *workload_fork(char **argv, const struct workload_output *output,
			    struct workload *ret);
/* Let the child execute the command, and wait until it does. */
struct error *workload_exec(struct workload *workload, const char *name);
/* Returns true once the command has ended.  Never blocks. */
bool workload_ended(struct workload *workload);
/* End the command if it still runs, and reap it. */
void workload_finish(struct workload *workload);

struct recording;

/*
 * snapshot.c: the state from which a snapshot is written: its path, and the records of
 * tasks and maps up to then.
 */
struct snapshots {
	const struct event_list *events;
	const struct record_target *target;
	const struct writer_info *info;
	const char *output;
	bool every_task;	/* as in struct record_summary */
	bool at_end;		/* take one more when the recording ends */
	bool only_if_status;	/* take the one at the end only if the command has this status */
	int status;		/* -1: any but 0 */
	unsigned int taken;

	struct record_sink sink;	/* takes records of tasks and maps */
	struct strbuf known;		/* records of tasks and maps at the beginning, or later */
	struct strbuf since;		/* the records that came after those */
};

/* Evaluate --overwrite and --snapshot-on-exit, and collect the tasks and maps of now. */
struct error *snapshots_init(struct snapshots *snapshots, const struct record_options *options);
void snapshots_deinit(struct snapshots *snapshots);
/* Write what the rings hold to a snapshot, while recording or at its end. */
struct error *snapshots_take(struct recording *recording, bool at_end, struct ledger *ledger);
/* Whether to take a snapshot at the end.  @workload, if there is one, has ended. */
bool snapshots_wanted_at_end(const struct snapshots *snapshots, const struct workload *workload);

/* loop.c: moves records from the rings to the writer until it is time to stop. */
struct recording {
	struct capture *captures[4];
	size_t nr_captures;
	struct writer *writer;	/* NULL: only snapshots are written */
	struct snapshots *snapshots;	/* NULL: none */
	bool overwrite;		/* the rings keep the newest samples */
	struct workload *workload;
	bool has_tasks;		/* ends when all of its tasks have ended */
	unsigned int latency;	/* ms between rounds; 0: default */
	unsigned long wakeups;
	bool told_own_work;
};

/* Record until the end.  The rings are empty then, and @ledger has the sums. */
struct error *record_loop(struct recording *recording, struct ledger *ledger);

/* Read the clocks and add them to the recording's header. */
struct error *record_loop_add_clock(struct recording *recording, struct writer *writer);
/* Write what the captures give last, at the end or for a snapshot. */
struct error *record_loop_finish_captures(struct recording *recording, struct record_sink *sink,
					  struct ledger *ledger);

/* Print a notice, once, if most samples are of the recorder itself and are @at_least so many. */
void record_loop_tell_own_work(struct recording *recording, uint64_t at_least);

/* cmd/record_summary.c: prints the lines on stderr at the end. */
struct record_summary {
	const struct event_list *events;
	const struct recording *recording;
	const struct ledger *ledger;
	const char *output;
	bool every_task;	/* every task was to be recorded */
	uint64_t bytes, uncompressed_bytes, samples;
};

void record_summary_print(const struct record_summary *summary);

/*
 * Parse "1024" or "4M" into pages of a ring, rounded up to a power of two; @data points to an
 * unsigned int.
 */
struct error *record_parse_pages(void *data, const char *text);

/* cmd/record.c: write what recordings begin with: the kernel's maps, and the existing tasks. */
struct error *record_synthesize(const struct event_list *events, const struct record_target *target,
				struct record_sink *sink);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds the attr for the kernel from an event's spec and the options of record.
 *
 * perf requires all events of a file to agree on the position of ids, on sample_id_all and on
 * read_format.  Every attr built here therefore has IDENTIFIER and the same read_format, even for
 * device events.  Only if a single event of the device is recorded (`alone`), no record has an id.
 */
#ifndef KTRACE_CAPTURE_EVENT_ATTR_H
#define KTRACE_CAPTURE_EVENT_ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/sample_parts.h"
#include "lib/error.h"
#include "spec/event_spec.h"

#define EVENT_ATTR_DEFAULT_FREQ 4000

struct event_attr_options {
	uint64_t period;	/* -c; 0: not given */
	uint64_t freq;		/* -F; 0: not given */
	int32_t clockid;	/* -k; -1: perf's clock */
	bool system_wide;	/* samples name their CPU */
	bool inherit;
	bool on_exec;		/* enabled by the command's exec, not by start() */
	bool callchain;		/* -g */
	bool kernel_callchains, user_callchains; /* only these frames of call chains */
	uint32_t stack_bytes;	/* user stack copied for unwinding by DWARF; 0: none */
	bool only_user, only_kernel; /* --all-user, --all-kernel */
	bool addr;		/* -d */
	bool sample_cpu;	/* --sample-cpu */
	bool sample_period;	/* -P */
	bool raw;		/* -R */
	struct sample_parts parts;	/* -b -j -I --user-regs -W --phys-data ... */
	bool thread_counts;	/* -s: READ records count each event in each thread */
	bool switches;		/* side band: --switch-events */
	bool namespaces;	/* side band: --namespaces */
	bool cgroups;		/* --all-cgroups: side band, and in samples */
	bool no_bpf;		/* side band: --no-bpf-event */
	bool data_maps;		/* side band: also maps that are not executable */
	bool build_ids;		/* side band: --buildid-mmap */
	bool read_group;	/* some group of the recording is read at once ({...}:S) */
	bool compact;		/* --compact: records of the device are as small as possible */
	bool alone;		/* side band: it belongs to an event that is alone */
	bool leader;		/* this event is the leader of its group, or in none */
	bool sample_read;	/* this event has the modifier S */
};

/* Build the attr for perf_event_open(). */
void event_attr_init(const struct event_spec *spec, const struct event_attr_options *options,
		     struct perf_event_attr *ret);

/* Build the attr of a device event, which describes its records in the file. */
void event_attr_init_device(const struct event_spec *spec,
			    const struct event_attr_options *options,
			    struct perf_event_attr *ret);

/* Make an event also report tasks and maps. */
void event_attr_add_side_band(const struct event_attr_options *options,
			      struct perf_event_attr *attr);

/* Build the attr of a dummy event, whose side-band records report tasks and maps. */
void event_attr_init_side_band(const struct event_attr_options *options,
			       struct perf_event_attr *ret);

#endif

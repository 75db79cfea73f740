/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cgroups of a recording.  CGROUP records map the ids in samples to paths.
 */
#ifndef KTRACE_SESSION_CGROUPS_H
#define KTRACE_SESSION_CGROUPS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/hash_table.h"
#include "record/event.h"
#include "record/sample.h"

/* Initialize it to zeros: no cgroup is known. */
struct cgroups {
	struct cgroup {
		uint64_t id;
		char *path;	/* owned */
	} *items;
	size_t nr, alloc;
	struct hash_table table;	/* positions in items */
};

void cgroups_deinit(struct cgroups *cgroups);

/* Add a path, which is copied, unless the id already has one. */
struct error *cgroups_add(struct cgroups *cgroups, uint64_t id, const char *path, size_t len);

/* Apply a CGROUP record.  If several have one id, the first counts, as in perf. */
struct error *cgroups_apply(struct cgroups *cgroups, const struct perf_event_header *header);

/* The path below the root of its hierarchy, "/" for the root itself; NULL: not recorded. */
const char *cgroups_path(const struct cgroups *cgroups, uint64_t id);

/* Whether the samples of an event have the cgroup of their task: by --all-cgroups or --fields. */
bool event_has_cgroup(const struct event *event);

/* The id of the cgroup of a sample's task; 0: it is not in the sample. */
uint64_t sample_cgroup(const struct event *event, const struct sample *sample);

#endif

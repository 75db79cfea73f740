/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups are named by their paths below the mount point. */
#ifndef KTRACE_CAPTURE_CGROUP_H
#define KTRACE_CAPTURE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/*
 * Open the directory of the group; the caller closes it.  With @unified it is in cgroup v2.
 * Otherwise it is in the hierarchy that perf_event uses, its own one if that is mounted.
 */
struct error *cgroup_open(const char *name, bool unified, int *ret);

/*
 * Whether perf_event uses cgroup v2, so that its ids and paths equal those of the module's field.
 * It is true if no cgroups are mounted.
 */
bool cgroup_is_unified(void);

/*
 * Call @call for every group of the hierarchy that perf_event uses, parents first, until it returns
 * an error.  @id is the id in samples; @path is relative to the mount point, "/" for the root.
 * Groups that are removed meanwhile are left out.  ENOENT: no cgroups are mounted.
 */
struct error *cgroup_walk(struct error *(*call)(void *data, uint64_t id, const char *path),
			  void *data);

#endif

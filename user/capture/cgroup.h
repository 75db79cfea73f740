/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups are named by their paths below the mount point. */
#ifndef KTRACE_CAPTURE_CGROUP_H
#define KTRACE_CAPTURE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/*
 * Open the directory of the group; the caller closes it.  With @unified it is the one of
 * cgroup v2, otherwise the one that perf_event uses, which has its own hierarchy if one is
 * mounted.
 */
struct error *cgroup_open(const char *name, bool unified, int *ret);

/*
 * Whether perf_event uses cgroup v2, so that its ids and paths are also those of the module's
 * field.  It is true if no cgroups are mounted.
 */
bool cgroup_is_unified(void);

/*
 * Call @call for every group of the hierarchy that perf_event uses, parents first, until it
 * returns an error: @id is what samples name it by, @path is below the mount point, "/" for
 * the root.  Groups that are removed meanwhile are left out.  ENOENT: no cgroups are mounted.
 */
struct error *cgroup_walk(struct error *(*call)(void *data, uint64_t id, const char *path),
			  void *data);

#endif

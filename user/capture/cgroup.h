/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups by their names, which are paths below where they are mounted. */
#ifndef KTRACE_CAPTURE_CGROUP_H
#define KTRACE_CAPTURE_CGROUP_H

#include <stdbool.h>

#include "lib/error.h"

/*
 * The directory of the group; close() it.  @unified: of cgroup v2, else where
 * perf_event looks, which is a hierarchy of its own if there is one.
 */
struct error *cgroup_open(const char *name, bool unified, int *ret);

#endif

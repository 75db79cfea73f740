/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that read counters (PERF_SAMPLE_READ).  One record of the group's leader counts as one
 * sample of each member whose counter has moved since the last record.  The difference is the
 * period of that sample.
 */
#ifndef KTRACE_SESSION_GROUP_READ_H
#define KTRACE_SESSION_GROUP_READ_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

/* The most members of a group; the size of a record limits them to far fewer. */
#define MAX_GROUP 512

struct group_read;

struct error *group_read_create(struct group_read **ret);
void group_read_destroy(struct group_read *reads);

/*
 * Store the increase of the counter @id since the last call for it; its first value counts from 0.
 */
struct error *group_read_advance(struct group_read *reads, uint64_t id, uint64_t value,
				 uint64_t *ret_delta);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of a recording as its side-band records tell of them, in time
 * order: which thread belongs to which process, its comm and its maps at that
 * instant.
 */
#ifndef KTRACE_SESSION_PROCESS_H
#define KTRACE_SESSION_PROCESS_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "record/record.h"
#include "session/map.h"

struct processes;

struct error *processes_create(struct processes **ret);
void processes_destroy(struct processes *processes);
DEFINE_CLEANUP_PTR(processes, struct processes, processes_destroy)

/* Take in COMM, FORK and EXIT; other records are ignored. */
struct error *processes_apply(struct processes *processes, const struct record *record);

/*
 * The comm of a thread now: the last one a record told, its parent's when it
 * was forked and told none, "swapper" for tid 0, and ":TID" for one never
 * heard of, as perf prints it.  Kept as long as @processes, and each comm once:
 * who has the same pointer has the same comm, and the other way round.
 */
const char *processes_comm(struct processes *processes, int32_t pid, int32_t tid);

/* The maps of its process, empty unless machine_apply() fills them; NULL: out of memory. */
struct maps *processes_maps(struct processes *processes, int32_t pid, int32_t tid);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of a recording, as its side-band records describe them in time order: which thread
 * belongs to which process, and its comm and maps at each instant.
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

/* Apply COMM, FORK and EXIT; other records are ignored. */
struct error *processes_apply(struct processes *processes, const struct record *record);

/*
 * The current comm of a thread: the last one in a record, or its parent's at the fork.  It is
 * "swapper" for tid 0, and ":TID", as in perf, for a thread that no record has mentioned.  It lives
 * as long as @processes.  Equal comms have equal pointers.
 */
const char *processes_comm(struct processes *processes, int32_t pid, int32_t tid);

/* The process of a thread, known from records and earlier calls; -1: unknown. */
int32_t processes_pid(const struct processes *processes, int32_t tid);

/* The thread that forked a thread, from its FORK record; -1: unknown. */
int32_t processes_parent(const struct processes *processes, int32_t tid);

/*
 * The maps of the thread's process, empty unless machine_apply() fills them; NULL: out of
 * memory.
 */
struct maps *processes_maps(struct processes *processes, int32_t pid, int32_t tid);

/*
 * The same for a thread that maps something, so it lives, even after an EXIT: the kernel writes one
 * when it removes the events of a task whose exec gives it other rights.
 */
struct maps *processes_maps_to_change(struct processes *processes, int32_t pid, int32_t tid);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Synthesizes records of what existed before the recording began: the kernel's maps and the
 * tasks in /proc.  They carry time 0 and id 0, as perf's do.
 */
#ifndef KTRACE_CAPTURE_SYNTHESIZE_H
#define KTRACE_CAPTURE_SYNTHESIZE_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/error.h"
#include "record/event.h"
#include "record/record.h"

/* Write MMAP records of the kernel's text and of its modules, as far as we may see them. */
struct error *synthesize_kernel(const struct event_list *events, struct record_sink *sink);

/*
 * Write FORK, COMM and, with @maps, MMAP2 records of the processes of @tasks (NULL: of all).
 * Tasks that end meanwhile are left out.
 */
struct error *synthesize_tasks(const struct event_list *events, const pid_t *tasks,
			       size_t nr_tasks, bool maps, struct record_sink *sink);

/*
 * Write KSYMBOL and BPF_EVENT records of the BPF programs that are loaded, if the recording is to
 * have them.  A notice says that they cannot be listed, if that costs names.
 */
struct error *synthesize_bpf(const struct event_list *events, struct record_sink *sink);

/* Write CGROUP records of all cgroups, if the recording is to have them. */
struct error *synthesize_cgroups(const struct event_list *events, struct record_sink *sink);

/* Write one COMM record for a command before its exec, and its NAMESPACES if these are wanted. */
struct error *synthesize_comm(const struct event_list *events, pid_t pid, const char *comm,
			      struct record_sink *sink);

#endif

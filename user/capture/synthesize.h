/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Synthesizes records of objects that existed before the recording began: the kernel's maps and the
 * tasks in /proc.  They have time 0 and id 0, like perf's.
 */
#ifndef KTRACE_CAPTURE_SYNTHESIZE_H
#define KTRACE_CAPTURE_SYNTHESIZE_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/error.h"
#include "record/event.h"
#include "record/record.h"

/* Write MMAP records of the kernel's text and of its modules, if we may see their addresses. */
struct error *synthesize_kernel(const struct event_list *events, struct record_sink *sink);

/*
 * Write FORK, COMM and, with @maps, MMAP2 records of the processes of @tasks (NULL: of all).  Tasks
 * that end meanwhile are left out.
 */
struct error *synthesize_tasks(const struct event_list *events, const pid_t *tasks,
			       size_t nr_tasks, bool maps, struct record_sink *sink);

/*
 * Write KSYMBOL and BPF_EVENT records of the loaded BPF programs, if the events of the recording
 * need them.  If the programs cannot be listed and names are lost, a notice is printed.
 */
struct error *synthesize_bpf(const struct event_list *events, struct record_sink *sink);

/* Write CGROUP records of all cgroups, if the events of the recording need them. */
struct error *synthesize_cgroups(const struct event_list *events, struct record_sink *sink);

/* Write one COMM record for a command before its exec, and its NAMESPACES if they are recorded. */
struct error *synthesize_comm(const struct event_list *events, pid_t pid, const char *comm,
			      struct record_sink *sink);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One open capture.  NEW -> READY (has rings, takes events) -> RUNNING <->
 * STOPPED.  Its file owns it; a mapping owns the file.
 */
#ifndef KTRACE_SESSION_H
#define KTRACE_SESSION_H

#include <linux/poll.h>
#include <linux/types.h>
#include <linux/ktrace.h>

struct file;
struct ktrace_session;
struct vm_area_struct;

struct ktrace_session *ktrace_session_create(void);
/* When nobody can call any of the below any more. */
void ktrace_session_destroy(struct ktrace_session *session);

/* CPUs have come online: what left the events of all sessions with them comes back. */
void ktrace_session_follow_cpus(void);

/* The calls of the uapi header. */
int ktrace_session_info(struct ktrace_session *session, struct ktrace_info *info);
int ktrace_session_setup(struct ktrace_session *session, struct ktrace_setup *setup);
int ktrace_session_event_add(struct ktrace_session *session, struct ktrace_event_add *add);
int ktrace_session_sample(struct ktrace_session *session, struct ktrace_sample *sample);
int ktrace_session_event_path(struct ktrace_session *session, struct ktrace_event_path *path);
int ktrace_session_task_add(struct ktrace_session *session, struct ktrace_task_add *add);
int ktrace_session_scope_add(struct ktrace_session *session, struct ktrace_scope_add *add);
int ktrace_session_start(struct ktrace_session *session);
int ktrace_session_stop(struct ktrace_session *session);
int ktrace_session_stats(struct ktrace_session *session, struct ktrace_stats *stats);
int ktrace_session_snapshot(struct ktrace_session *session, struct ktrace_snapshot *snapshot);
int ktrace_session_snapshot_stats(struct ktrace_session *session, struct ktrace_stats *stats);
int ktrace_session_mark(struct ktrace_session *session, struct ktrace_mark *mark);
int ktrace_session_clock(struct ktrace_session *session, struct ktrace_clock *clock);

int ktrace_session_mmap(struct ktrace_session *session, unsigned int cpu,
			unsigned int region, struct vm_area_struct *vma);
__poll_t ktrace_session_poll(struct ktrace_session *session, struct file *file,
			     poll_table *wait);

#endif

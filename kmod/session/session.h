/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: an open file of /dev/ktrace.  Its states: NEW -> READY (it has rings and accepts
 * events) -> RUNNING <-> STOPPED.  The file holds a reference to the session, and a mapping holds
 * the file; a kept session (kept.h) has one more reference.
 */
#ifndef KTRACE_SESSION_H
#define KTRACE_SESSION_H

#include <linux/poll.h>
#include <linux/types.h>
#include <linux/ktrace.h>

struct file;
struct ktrace_session;
struct vm_area_struct;

/* Returns a session with a reference for the caller, or an error pointer. */
struct ktrace_session *ktrace_session_create(void);
struct ktrace_session *ktrace_session_get(struct ktrace_session *session);
/* The last reference destroys the session.  May sleep. */
void ktrace_session_put(struct ktrace_session *session);

/* Is it between START and STOP?  Takes no lock. */
bool ktrace_session_is_running(const struct ktrace_session *session);
/*
 * From now on the session may outlive the process that has set it up, until
 * ktrace_session_unkeep().  Meanwhile nothing can be added to it that would count for a limit of
 * the process.  -EBUSY: before SETUP, or it is kept already; -EPERM: its memory may not outlive the
 * process.
 */
int ktrace_session_keep(struct ktrace_session *session);
void ktrace_session_unkeep(struct ktrace_session *session);
/* From now on the current process reads the rings, and is not recorded any more. */
void ktrace_session_change_reader(struct ktrace_session *session);

/*
 * KTRACE_IOC_EVENT_ADD for the module itself: without a filter, and with the event's name in kernel
 * memory.
 */
int ktrace_session_event_add_named(struct ktrace_session *session, struct ktrace_event_add *add,
				   const char *system, const char *name);
/*
 * To be called when CPUs have come online: attaches the events of all sessions again on the CPUs
 * where they were lost.
 */
void ktrace_session_follow_cpus(void);

/* The operations on all sessions for a kernel that panics. */
extern const struct ktrace_last_words_sessions ktrace_session_last_words;

/* The ioctls of the uapi header. */
int ktrace_session_info(struct ktrace_session *session, struct ktrace_info *info);
int ktrace_session_setup(struct ktrace_session *session, struct ktrace_setup *setup);
int ktrace_session_event_add(struct ktrace_session *session, struct ktrace_event_add *add);
int ktrace_session_event_info(struct ktrace_session *session, struct ktrace_event_info *info);
int ktrace_session_sample(struct ktrace_session *session, struct ktrace_sample *sample);
int ktrace_session_count_add(struct ktrace_session *session, struct ktrace_count_add *add);
int ktrace_session_count_read(struct ktrace_session *session, struct ktrace_count_read *read);
int ktrace_session_machine_add(struct ktrace_session *session, struct ktrace_machine_add *add);
int ktrace_session_machine_read(struct ktrace_session *session, struct ktrace_machine_read *read);
int ktrace_session_frozen(struct ktrace_session *session, struct ktrace_frozen *frozen);
int ktrace_session_chain_read(struct ktrace_session *session, struct ktrace_chain_read *read);
int ktrace_session_describe(struct ktrace_session *session, struct ktrace_describe *describe);
int ktrace_session_recall(struct ktrace_session *session, struct ktrace_recall *recall);
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

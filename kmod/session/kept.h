/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kept sessions: they have a name and live on when their files are closed.  At most one file of a
 * kept session is open at a time.
 */
#ifndef KTRACE_KEPT_H
#define KTRACE_KEPT_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct ktrace_session;

/* Is it valid as the name of KTRACE_IOC_KEEP, which has KTRACE_KEEP_NAME bytes? */
bool ktrace_kept_is_name(const char *name);

/*
 * Keeps @session, which the caller has open, and takes a reference to it and to the module.
 * -EINVAL, -EEXIST, -ENOSPC, -EBUSY, -EPERM: see KTRACE_IOC_KEEP; -ENOMEM.
 */
int ktrace_kept_add(struct ktrace_session *session, const struct ktrace_keep *keep);

/*
 * Returns the kept session of this name with a reference for the caller, who then has its only
 * file until ktrace_kept_leave(); or an error pointer.
 */
struct ktrace_session *ktrace_kept_take(const struct ktrace_kept_open *open);

/* To be called when the file of a session is closed, whether the session is kept or not. */
void ktrace_kept_leave(struct ktrace_session *session);

int ktrace_kept_info(struct ktrace_kept_info *info);
int ktrace_kept_forget(struct ktrace_session *session);

#endif

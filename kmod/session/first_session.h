/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session that begins when the module is loaded, before any process could open the device.  The
 * module's parameters name its events.  It is a kept session (kept.h) from the beginning.
 */
#ifndef KTRACE_FIRST_SESSION_H
#define KTRACE_FIRST_SESSION_H

/*
 * Begins the session if the parameters name one.  On failure, the kernel's log has the reason.
 * Otherwise one of the two functions below has to be called before the module's init ends.
 */
int ktrace_first_session_begin(void);
/* Ends it again, because the module cannot be loaded for another reason. */
void ktrace_first_session_end(void);
/* The module is loaded: from now on it is a kept session like any other. */
void ktrace_first_session_leave(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session that begins when the module is loaded, before there is a process that could ask for
 * one.  The module's parameters say what it records.  It is a kept session (kept.h) from the
 * beginning.
 */
#ifndef KTRACE_FIRST_SESSION_H
#define KTRACE_FIRST_SESSION_H

/*
 * Begins it if the parameters name one.  If that fails, the kernel's log has a sentence.  Otherwise
 * one of the functions below has to be called before the module's init ends.
 */
int ktrace_first_session_begin(void);
/* Ends it again, because the module cannot be loaded for another reason. */
void ktrace_first_session_end(void);
/* The module is loaded: from here on it is a kept session as any other. */
void ktrace_first_session_leave(void);

#endif

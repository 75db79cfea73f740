/* SPDX-License-Identifier: GPL-2.0 */
/* Who may capture: whoever perf_event_open() would let record every tracepoint. */
#ifndef KTRACE_PERMISSION_H
#define KTRACE_PERMISSION_H

/*
 * May the caller?  -EPERM: it lacks CAP_PERFMON, is in another pid namespace than the
 * initial one, or the kernel is locked down.  -EACCES: kernel.perf_event_paranoid is above 2
 * and it lacks CAP_SYS_ADMIN, or a security module refuses.  -ENOMEM.
 */
int ktrace_permission_check(void);

#endif

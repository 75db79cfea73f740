/* SPDX-License-Identifier: GPL-2.0 */
/* Only those may capture whom perf_event_open() would let record every tracepoint. */
#ifndef KTRACE_PERMISSION_H
#define KTRACE_PERMISSION_H

/*
 * Returns 0 if the caller may capture.  -EPERM: it lacks CAP_PERFMON, is not in the initial
 * pid namespace, or the kernel is locked down.  -EACCES: kernel.perf_event_paranoid is
 * above 2 and the caller lacks CAP_SYS_ADMIN, or a security module refuses.  -ENOMEM.
 */
int ktrace_permission_check(void);

/*
 * Whether the caller may, besides, have the kernel read any memory of its own: what the kernel
 * asks for of BPF programs that do.  0, or -EPERM: it lacks CAP_SYS_ADMIN, and CAP_PERFMON or
 * CAP_BPF; or the kernel is locked down.
 */
int ktrace_permission_check_reading(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* A caller may capture if perf_event_open() would let it record every tracepoint. */
#ifndef KTRACE_PERMISSION_H
#define KTRACE_PERMISSION_H

/*
 * Returns 0 if the caller may capture.  -EPERM: it lacks CAP_PERFMON, is not in the initial
 * pid namespace, or the kernel is locked down.  -EACCES: kernel.perf_event_paranoid is
 * above 2 and the caller lacks CAP_SYS_ADMIN, or a security module refuses.  -ENOMEM.
 */
int ktrace_permission_check(void);

/*
 * Returns 0 if the caller may, besides, make the kernel read its own memory at any address.  These
 * are the kernel's conditions for BPF programs that do so.  -EPERM: the caller lacks CAP_SYS_ADMIN,
 * and CAP_PERFMON or CAP_BPF; or the kernel is locked down.
 */
int ktrace_permission_check_reading(void);

#endif

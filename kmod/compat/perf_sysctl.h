/* SPDX-License-Identifier: GPL-2.0 */
/* perf's numbers in /proc/sys/kernel, which the kernel does not export to modules. */
#ifndef KTRACE_COMPAT_PERF_SYSCTL_H
#define KTRACE_COMPAT_PERF_SYSCTL_H

/* Cannot fail: without procfs, ktrace_perf_sysctl() returns @otherwise. */
void ktrace_perf_sysctl_init(void);
void ktrace_perf_sysctl_exit(void);

/* Returns the number in /proc/sys/kernel/@name, or @otherwise if it is not known. */
int ktrace_perf_sysctl(const char *name, int otherwise);

#endif

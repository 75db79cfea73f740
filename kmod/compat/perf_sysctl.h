/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers in /proc/sys/kernel that perf has, and modules are not given. */
#ifndef KTRACE_COMPAT_PERF_SYSCTL_H
#define KTRACE_COMPAT_PERF_SYSCTL_H

/* Always succeeds; without procfs, the numbers are not known. */
void ktrace_perf_sysctl_init(void);
void ktrace_perf_sysctl_exit(void);

/* The number in the file @name of that folder; @otherwise where it is not known. */
int ktrace_perf_sysctl(const char *name, int otherwise);

#endif

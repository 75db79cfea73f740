// SPDX-License-Identifier: GPL-2.0
/*
 * For LD_PRELOAD: a machine whose PMU counts cycles and instructions, samples them as precisely as
 * level 2, and has no cache events. Its samples are the kernel's cpu-clock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

long syscall(long nr, ...)
{
	static long (*next)(long nr, ...);
	struct perf_event_attr attr, *given;
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	given = (struct perf_event_attr *)a[0];
	if (nr == SYS_perf_event_open && (given->type == PERF_TYPE_HARDWARE ||
					  given->type == PERF_TYPE_HW_CACHE)) {
		if (given->type == PERF_TYPE_HW_CACHE || given->config > 1) {
			errno = ENOENT;
			return -1;
		}
		if (given->precise_ip > 2) {
			errno = EOPNOTSUPP;
			return -1;
		}
		attr = *given;
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		a[0] = (long)&attr;
	}
	return next(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

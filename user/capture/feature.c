// SPDX-License-Identifier: GPL-2.0
#include "capture/feature.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/options.h"

int feature_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			    unsigned long flags)
{
	long fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
		     flags | PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Have the kernel check the attr without opening the event.  If an event of a task is opened,
 * even for a moment, the kernel does perf's work at every context switch for a second.
 */
static bool is_known(struct perf_event_attr *attr)
{
	/* The kernel checks the attr first and then the group, which does not exist. */
	return feature_perf_event_open(attr, 0, -1, INT_MAX, 0) == -EBADF;
}

bool feature_perf_lost(void)
{
	static int known;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_LOST,
		.exclude_kernel = 1,
		.disabled = 1,
	};

	if (!known)
		known = is_known(&attr) ? 1 : -1;
	return known > 0;
}

bool feature_perf_ksymbol(void)
{
	static int known;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.ksymbol = 1,
		.bpf_event = 1,
		.exclude_kernel = 1,
		.disabled = 1,
	};

	if (!known)
		known = is_known(&attr) ? 1 : -1;
	return known > 0;
}

static bool can_open(struct perf_event_attr *attr)
{
	int fd = feature_perf_event_open(attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool feature_perf_cycles(void)
{
	static int known;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_kernel = 1,
		.disabled = 1,
	};

	if (!known)
		known = can_open(&attr) ? 1 : -1;
	return known > 0;
}

uint64_t feature_perf_max_rate(void)
{
	_cleanup_free_ char *text = NULL;
	unsigned long long number;

	error_free(file_read_text("/proc/sys/kernel/perf_event_max_sample_rate", &text));
	return text && parse_u64(text, &number) && number ? number : UINT64_MAX;
}

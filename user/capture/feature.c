// SPDX-License-Identifier: GPL-2.0
#include "capture/feature.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/number.h"
#include "terminal/options.h"

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
 * Let the kernel check the attr without opening the event.  If an event of a task is opened, even
 * for a moment, the kernel does perf's work at every context switch for a second.
 */
static bool feature_is_known(struct perf_event_attr *attr)
{
	/* The kernel checks the attr first and then the group, which does not exist. */
	return feature_perf_event_open(attr, 0, -1, INT_MAX, 0) == -EBADF;
}

static bool can_open(struct perf_event_attr *attr)
{
	int fd = feature_perf_event_open(attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static const struct {
	struct perf_event_attr attr;	/* has only the members that the feature needs */
	bool (*has)(struct perf_event_attr *attr);
} features[FEATURE_PERF_NR] = {
	[FEATURE_PERF_LOST] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		  .read_format = PERF_FORMAT_LOST }, feature_is_known,
	},
	[FEATURE_PERF_KSYMBOL] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		  .ksymbol = 1, .bpf_event = 1 }, feature_is_known,
	},
	[FEATURE_PERF_BUILD_ID] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		  .mmap2 = 1, .build_id = 1 }, feature_is_known,
	},
	/* Only opening an event shows whether the hardware supports it. */
	[FEATURE_PERF_CYCLES] = {
		{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES }, can_open,
	},
};

bool feature_perf(enum perf_feature feature)
{
	static enum { UNTRIED, YES, NO } known[FEATURE_PERF_NR];
	struct perf_event_attr attr = features[feature].attr;

	if (known[feature] == UNTRIED) {
		attr.exclude_kernel = 1;
		attr.disabled = 1;
		known[feature] = features[feature].has(&attr) ? YES : NO;
	}
	return known[feature] == YES;
}

bool feature_perf_counts(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type, .config = config, .exclude_kernel = 1, .disabled = 1,
	};

	return can_open(&attr);
}

unsigned int feature_perf_precise(const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr;
	int fd = -1;

	copy.disabled = 1;
	copy.enable_on_exec = 0;
	for (unsigned int level = 3; level; level--) {
		copy.precise_ip = level;
		fd = feature_perf_event_open(&copy, 0, -1, -1, 0);
		if (fd == -EACCES && !copy.exclude_kernel) {
			/* When the event is recorded, it excludes the kernel in this case, too. */
			copy.exclude_kernel = 1;
			copy.exclude_hv = 1;
			fd = feature_perf_event_open(&copy, 0, -1, -1, 0);
		}
		if (fd >= 0) {
			close(fd);
			return level;
		}
	}
	return 0;
}

uint64_t feature_perf_max_rate(void)
{
	_cleanup_free_ char *text = NULL;
	unsigned long long number;

	error_free(file_read_text("/proc/sys/kernel/perf_event_max_sample_rate", &text));
	return text && parse_u64(text, &number) && number ? number : UINT64_MAX;
}

// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/perf_refusal.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/feature.h"
#include "lib/cleanup.h"
#include "lib/file.h"

/* Up to this level, users may measure their own code in user space. */
#define PARANOID_OWN	2

const char perf_refusal_filter_hint[] =
	"A container sets the filter: docker and podman allow perf_event_open() with "
	"--cap-add PERFMON, or without a filter, with --security-opt seccomp=unconfined";

/* The number behind @key in /proc/self/status. */
static unsigned long long own_status(const char *key, int base)
{
	_cleanup_free_ char *text = NULL;
	const char *at;

	error_free(file_read("/proc/self/status", &text, NULL));
	at = text ? strstr(text, key) : NULL;
	return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

/* In its own user namespace, a process has all capabilities, but without effect here. */
static bool in_first_user_namespace(void)
{
	_cleanup_free_ char *text = NULL;
	unsigned long long inner, outer, size;
	char *end;

	error_free(file_read("/proc/self/uid_map", &text, NULL));
	if (!text)
		return true;
	inner = strtoull(text, &end, 10);
	outer = strtoull(end, &end, 10);
	size = strtoull(end, &end, 10);
	return !inner && !outer && size == UINT32_MAX;
}

const char *perf_refusal_capability(void)
{
	unsigned long long mask = own_status("\nCapEff:", 16);

	if (!in_first_user_namespace())
		return NULL;
	return mask >> CAP_PERFMON & 1 ? "CAP_PERFMON" :
	       mask >> CAP_SYS_ADMIN & 1 ? "CAP_SYS_ADMIN" : NULL;
}

static long paranoid_level(void)
{
	_cleanup_free_ char *text = NULL;

	error_free(file_read("/proc/sys/kernel/perf_event_paranoid", &text, NULL));
	return text ? strtol(text, NULL, 10) : PARANOID_OWN;
}

enum perf_refusal perf_refusal_find(int *ret_code)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1, .disabled = 1,
	};
	int fd = feature_perf_event_open(&attr, 0, -1, -1, 0);

	*ret_code = fd < 0 ? -fd : 0;
	if (fd >= 0) {
		close(fd);
		return PERF_REFUSAL_NONE;
	}
	if (paranoid_level() > PARANOID_OWN && !perf_refusal_capability())
		return PERF_REFUSAL_RIGHTS;
	return own_status("\nSeccomp:", 10) == 2 ? PERF_REFUSAL_FILTER : PERF_REFUSAL_OTHER;
}

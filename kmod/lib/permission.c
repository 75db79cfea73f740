// SPDX-License-Identifier: GPL-2.0
#include "lib/permission.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/smp.h>

#include "compat/perf_sysctl.h"

/*
 * Distributions have added a level above the kernel's own, at which only CAP_SYS_ADMIN may
 * call perf_event_open().
 */
#define PARANOID_WITHOUT_PERFMON 3

static bool is_paranoid(void)
{
	return !ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN) &&
	       ktrace_perf_sysctl("perf_event_paranoid", INT_MAX) >= PARANOID_WITHOUT_PERFMON;
}

/*
 * perf consults the security modules by security_perf_event_open(), which is not exported.  It does
 * so for counters of the kernel, too.  So we open a counter for ftrace:function.  This is the only
 * event for which perf consults the security modules and then refuses the attributes below before
 * anything is set up.
 */
static int ask_security_modules(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = 1,		/* TRACE_FN */
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
		.disabled = 1,
	};
	struct perf_event *counter;

	if (!IS_ENABLED(CONFIG_SECURITY))
		return 0;
	counter = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL, NULL, NULL);
	if (!IS_ERR(counter)) {
		perf_event_release_kernel(counter);
		return 0;
	}
	switch (PTR_ERR(counter)) {
	case -EACCES:
	case -EPERM:
		return -EACCES;
	case -ENOMEM:
		return -ENOMEM;
	default:
		return 0;
	}
}

int ktrace_permission_check_reading(void)
{
	if (!perfmon_capable() || !bpf_capable())
		return -EPERM;
	return security_locked_down(LOCKDOWN_BPF_READ_KERNEL);
}

int ktrace_permission_check(void)
{
	int err;

	if (!perfmon_capable() || task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;
	err = security_locked_down(LOCKDOWN_TRACEFS);
	if (!err)
		err = security_locked_down(LOCKDOWN_PERF);
	if (!err && is_paranoid())
		err = -EACCES;
	if (!err)
		err = ask_security_modules();
	return err;
}

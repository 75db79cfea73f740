// SPDX-License-Identifier: GPL-2.0
#include "session/hotplug.h"

#include <linux/cpuhotplug.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "fields/cpu_counters.h"
#include "session/session.h"

static enum cpuhp_state state;

static void follow(struct work_struct *work)
{
	ktrace_cpu_counters_follow();
	ktrace_session_follow_cpus();
}

static DECLARE_WORK(follow_work, follow);

/*
 * Attaching takes the locks of the session and the kernel's own locks of its events.  Holders of
 * these locks may wait until no CPU is coming online or going offline.  Here a CPU is coming
 * online, so a work item does it.
 */
static int came_online(unsigned int cpu)
{
	queue_work(system_dfl_wq, &follow_work);
	return 0;
}

int ktrace_hotplug_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ktrace:online", came_online,
					    NULL);

	if (ret < 0)
		return ret;
	state = ret;
	return 0;
}

void ktrace_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(state);
	cancel_work_sync(&follow_work);
}

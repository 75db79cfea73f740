// SPDX-License-Identifier: GPL-2.0
#include <linux/init.h>
#include <linux/module.h>

#include "attach/attach.h"
#include "attach/btf.h"
#include "capture/scratch.h"
#include "chain/callchain.h"
#include "compat/perf_sysctl.h"
#include "crash/last_words.h"
#include "crash/vmcore.h"
#include "session/device.h"
#include "session/first_session.h"
#include "session/hotplug.h"
#include "session/session.h"

static int __init ktrace_init(void)
{
	int err;

	ktrace_perf_sysctl_init();
	err = ktrace_hotplug_init();
	if (err)
		goto err_perf_sysctl_exit;
	err = ktrace_vmcore_init();
	if (err)
		goto err_hotplug_exit;
	err = ktrace_last_words_init(&ktrace_session_last_words);
	if (err)
		goto err_vmcore_exit;
	err = ktrace_first_session_begin();
	if (err)
		goto err_last_words_exit;
	err = ktrace_device_init();
	if (err)
		goto err_first_session_end;
	ktrace_first_session_leave();
	return 0;

err_first_session_end:
	ktrace_first_session_end();
err_last_words_exit:
	ktrace_last_words_exit();
err_vmcore_exit:
	ktrace_vmcore_exit();
	/* Free resources that a session created before it failed to begin. */
	ktrace_attach_exit();
	ktrace_btf_exit();
	ktrace_callchain_free();
	ktrace_scratch_free();
err_hotplug_exit:
	ktrace_hotplug_exit();
err_perf_sysctl_exit:
	ktrace_perf_sysctl_exit();
	return err;
}

static void __exit ktrace_exit(void)
{
	ktrace_device_exit();
	ktrace_attach_exit();
	ktrace_last_words_exit();
	ktrace_vmcore_exit();
	ktrace_hotplug_exit();
	ktrace_btf_exit();
	ktrace_callchain_free();
	ktrace_scratch_free();
	ktrace_perf_sysctl_exit();
}

module_init(ktrace_init);
module_exit(ktrace_exit);

MODULE_DESCRIPTION("per-CPU capture of kernel events");
MODULE_AUTHOR("the ktrace authors");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");

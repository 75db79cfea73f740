// SPDX-License-Identifier: GPL-2.0
#include <linux/init.h>
#include <linux/module.h>

#include "device.h"
#include "hotplug.h"
#include "scratch.h"

static int __init ktrace_init(void)
{
	int err;

	err = ktrace_hotplug_init();
	if (err)
		return err;
	err = ktrace_device_init();
	if (err)
		ktrace_hotplug_exit();
	return err;
}

static void __exit ktrace_exit(void)
{
	ktrace_device_exit();
	ktrace_hotplug_exit();
	ktrace_scratch_free();
}

module_init(ktrace_init);
module_exit(ktrace_exit);

MODULE_DESCRIPTION("per-CPU capture of kernel events");
MODULE_AUTHOR("the ktrace authors");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");

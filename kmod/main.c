// SPDX-License-Identifier: GPL-2.0
#include <linux/init.h>
#include <linux/module.h>

static int __init ktrace_init(void)
{
	return 0;
}

static void __exit ktrace_exit(void)
{
}

module_init(ktrace_init);
module_exit(ktrace_exit);

MODULE_DESCRIPTION("per-CPU capture of kernel events");
MODULE_AUTHOR("the ktrace authors");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");

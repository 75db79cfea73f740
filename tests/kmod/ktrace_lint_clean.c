// SPDX-License-Identifier: GPL-2.0
/* ktrace_lint_clean: the twin of ktrace_lint_bad, in which `ktrace check` finds nothing. */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "ktrace_lint_clean.h"

static int __init lint_init(void)
{
	return 0;
}

static void __exit lint_exit(void)
{
}

module_init(lint_init);
module_exit(lint_exit);
MODULE_DESCRIPTION("Tracepoints as they should be");
MODULE_LICENSE("GPL");

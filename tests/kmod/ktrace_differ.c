// SPDX-License-Identifier: GPL-2.0
/*
 * ktrace_differ: tracepoints that record or print something else for each tracer, and one that does
 * not.  A write to /sys/module/ktrace_differ/parameters/fire is the number of firings of each.
 */
#include <linux/atomic.h>
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "ktrace_differ.h"

atomic_t differ_reads, differ_writes;
unsigned int differ_base = 100;

void differ_inner(u32 id)
{
	trace_counts(id);
}

static void differ_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace_note(fmt, ap);
	va_end(ap);
}

static int differ_fire(const char *value, const struct kernel_param *param)
{
	unsigned int count;
	int err = kstrtouint(value, 0, &count);

	if (err)
		return err;
	for (unsigned int id = 0; id < count; id++) {
		trace_nothing(id);
		trace_captures(id);
		trace_unstable(id);
		trace_changed(id);
		trace_outer(id);
		trace_text(id);
		differ_note("note %u", id);
	}
	return 0;
}

static const struct kernel_param_ops differ_ops = { .set = differ_fire };

module_param_cb(fire, &differ_ops, NULL, 0200);
MODULE_DESCRIPTION("Tracepoints that differ for each who looks");
MODULE_LICENSE("GPL");

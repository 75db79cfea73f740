// SPDX-License-Identifier: GPL-2.0
/* ktrace_probes.ko: templates of the events that the kernel's own headers declare. */
#include <ktrace/templates.h>

/* Kbuild defines KTRACE_PROBES as one LIST(name) for each header. */
#define LIST(name) void ktrace_probes_of_##name(struct list_head *templates);
KTRACE_PROBES
#undef LIST

static struct ktrace_template_set probes;

static int __init probes_init(void)
{
	ktrace_template_init(&probes, UTS_VERSION);
	probes.is_kernels = true;
#define LIST(name) ktrace_probes_of_##name(&probes.templates);
	KTRACE_PROBES
#undef LIST
	return ktrace_template_register(&probes);
}

static void __exit probes_exit(void)
{
	ktrace_template_unregister(&probes);
}

module_init(probes_init);
module_exit(probes_exit);

MODULE_DESCRIPTION("ktrace's probes for the kernel's own events");
MODULE_AUTHOR("the ktrace authors");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");

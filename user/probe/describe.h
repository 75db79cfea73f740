/* SPDX-License-Identifier: GPL-2.0 */
/* The locations of events of tracefs, in the syntax of definitions. */
#ifndef KTRACE_PROBE_DESCRIBE_H
#define KTRACE_PROBE_DESCRIBE_H

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "probe/binary.h"
#include "probe/event.h"

/* The binary of the last event, which stays open for the next one.  Starts as zeros. */
struct probe_describer {
	struct probe_binary_options of;	/* `vmlinux` is the caller's, for the kernel's events */
	struct probe_binary binary;
	bool is_open;
};

void probe_describer_deinit(struct probe_describer *describer);
DEFINE_CLEANUP(probe_describer, struct probe_describer, probe_describer_deinit)

/*
 * Append "walk:5@/src/t.c in /bin/prog with sum", as perf does.  Unknown parts are left out.  The
 * event must live as long as @describer.
 */
void probe_describe(struct probe_describer *describer, const struct probe_event *event,
		    struct strbuf *out);

#endif

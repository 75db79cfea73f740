/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the events of tracefs are, in the words of definitions.
 */
#ifndef KTRACE_PROBE_DESCRIBE_H
#define KTRACE_PROBE_DESCRIBE_H

#include "lib/strbuf.h"
#include "probe/event.h"

/*
 * Append "walk:5@/src/t.c in /bin/prog with sum", as perf does; as much of it as is known.
 */
void probe_describe(const struct probe_event *event, struct strbuf *out);

#endif

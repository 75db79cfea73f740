/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The features of a header that say how CPUs, caches and memory belong together, as the lines
 * that perf report -I prints of them.
 */
#ifndef KTRACE_PERFDATA_TOPOLOGY_TEXT_H
#define KTRACE_PERFDATA_TOPOLOGY_TEXT_H

#include <stdbool.h>

#include "lib/bytes.h"
#include "lib/strbuf.h"
#include "record/header.h"

/*
 * Append the lines of a feature whose content is @b; @nr_cpus are in FEATURE_NRCPUS.  Returns
 * false, and appends nothing, if it is another one than CPU_TOPOLOGY, NUMA_TOPOLOGY, CACHE,
 * MEM_TOPOLOGY and HYBRID_TOPOLOGY.  Content that is too short gives the lines before its end.
 */
bool topology_text_add(struct strbuf *out, enum feature feature, struct bytes *b,
		       uint32_t nr_cpus);

#endif

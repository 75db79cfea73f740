/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Describes how the CPUs and memory of this machine belong together, in the form of
 * perf's header.  perf's commands sort by socket and find nodes with it.  If sysfs
 * lacks the information, nothing is appended.
 */
#ifndef KTRACE_PERFDATA_TOPOLOGY_H
#define KTRACE_PERFDATA_TOPOLOGY_H

#include <stdbool.h>

#include "lib/bytes.h"
#include "lib/strbuf.h"
#include "record/header.h"

/* Append the content of FEATURE_CPU_TOPOLOGY. */
void topology_build_cpus(struct strbuf *ret);

/* Append the content of FEATURE_NUMA_TOPOLOGY. */
void topology_build_nodes(struct strbuf *ret);

/* Append the content of FEATURE_MEM_TOPOLOGY: which blocks of memory belong to which node. */
void topology_build_memory(struct strbuf *ret);

/*
 * Append the lines that perf report -I prints of a feature whose content is @b; @nr_cpus are in
 * FEATURE_NRCPUS.  Returns false, and appends nothing, if it is another one than CPU_TOPOLOGY,
 * NUMA_TOPOLOGY, CACHE, MEM_TOPOLOGY and HYBRID_TOPOLOGY.  Content that is too short gives the
 * lines before its end.
 */
bool topology_text_add(struct strbuf *out, enum feature feature, struct bytes *b,
		       uint32_t nr_cpus);

#endif

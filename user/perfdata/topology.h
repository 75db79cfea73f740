/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Describes the topology of this machine's CPUs and memory, in the form of perf's header.  perf's
 * commands sort by socket and find nodes with it.  If sysfs lacks the information, nothing is
 * appended.
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

/* Append the content of FEATURE_MEM_TOPOLOGY: the blocks of memory of each node. */
void topology_build_memory(struct strbuf *ret);

/*
 * Append the lines that perf report -I prints for a feature with the content @b; @nr_cpus are in
 * FEATURE_NRCPUS.  If the content is too short, the lines before its end are appended.  Returns
 * false, and appends nothing, for features other than CPU_TOPOLOGY, NUMA_TOPOLOGY, CACHE,
 * MEM_TOPOLOGY and HYBRID_TOPOLOGY.
 */
bool topology_text_add(struct strbuf *out, enum feature feature, struct bytes *b,
		       uint32_t nr_cpus);

#endif

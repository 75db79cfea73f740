/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How CPUs and memory of this machine lie together, in the form of perf's header: its
 * commands sort by socket and find nodes with it.  Nothing is appended where sysfs does not
 * tell.
 */
#ifndef KTRACE_PERFDATA_TOPOLOGY_H
#define KTRACE_PERFDATA_TOPOLOGY_H

#include "lib/strbuf.h"

/* FEATURE_CPU_TOPOLOGY. */
void topology_build_cpus(struct strbuf *ret);

/* FEATURE_NUMA_TOPOLOGY. */
void topology_build_nodes(struct strbuf *ret);

/* FEATURE_MEM_TOPOLOGY: which blocks of memory are of which node. */
void topology_build_memory(struct strbuf *ret);

#endif

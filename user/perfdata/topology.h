/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Describes how the CPUs and memory of this machine belong together, in the form of
 * perf's header.  perf's commands sort by socket and find nodes with it.  If sysfs
 * lacks the information, nothing is appended.
 */
#ifndef KTRACE_PERFDATA_TOPOLOGY_H
#define KTRACE_PERFDATA_TOPOLOGY_H

#include "lib/strbuf.h"

/* Append the content of FEATURE_CPU_TOPOLOGY. */
void topology_build_cpus(struct strbuf *ret);

/* Append the content of FEATURE_NUMA_TOPOLOGY. */
void topology_build_nodes(struct strbuf *ret);

/* Append the content of FEATURE_MEM_TOPOLOGY: which blocks of memory belong to which node. */
void topology_build_memory(struct strbuf *ret);

#endif

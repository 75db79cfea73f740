/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a CPU of this machine is: its socket, die, core and memory node.
 */
#ifndef KTRACE_LIB_CPU_PLACE_H
#define KTRACE_LIB_CPU_PLACE_H

#include <stdint.h>

/* Numbers as the kernel counts.  A number that the kernel does not export is 0. */
struct cpu_place {
	int socket;	/* on the whole machine */
	int die;	/* on its socket */
	int core;	/* on its socket */
	int node;	/* on the whole machine */
};

/* Find out where the CPU is, from sysfs. */
void cpu_place_read(uint32_t cpu, struct cpu_place *ret);

#endif

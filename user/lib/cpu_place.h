/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a CPU of this machine is: its socket, die, core and memory node.
 */
#ifndef KTRACE_LIB_CPU_PLACE_H
#define KTRACE_LIB_CPU_PLACE_H

#include <stdint.h>

/* The kernel's numbers.  What the kernel does not tell is 0, as if there was only one. */
struct cpu_place {
	int socket;	/* on the whole machine */
	int die;	/* on its socket */
	int core;	/* on its socket */
	int node;	/* on the whole machine */
};

/* Find out where the CPU is, from sysfs. */
void cpu_place_read(uint32_t cpu, struct cpu_place *ret);

#endif

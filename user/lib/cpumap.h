/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sorted set of CPU numbers, and the kernel's text form of it ("0-3,7").
 */
#ifndef KTRACE_LIB_CPUMAP_H
#define KTRACE_LIB_CPUMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct cpumap {
	uint32_t *cpus;		/* ascending, no duplicates; owned */
	size_t nr;
};

void cpumap_deinit(struct cpumap *map);

/* Parse "0-3,7"; blanks around it are ignored. */
struct error *cpumap_parse(const char *text, struct cpumap *ret);

/* The CPUs that are online now, from sysfs. */
struct error *cpumap_online(struct cpumap *ret);

/* The CPUs that are present, including the offline ones. */
struct error *cpumap_present(struct cpumap *ret);

/* The online CPUs named by @list (NULL: all); an offline one is an error. */
struct error *cpumap_select(const char *list, struct cpumap *ret);

/* How many CPUs this process may run on; at least 1. */
unsigned int cpumap_usable(void);

bool cpumap_has(const struct cpumap *map, uint32_t cpu);

#endif

// SPDX-License-Identifier: GPL-2.0
#include "lib/cpu_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define CPUS "/sys/devices/system/cpu"

static int cpu_place_number(uint32_t cpu, const char *name)
{
	_cleanup_free_ char *text = NULL;
	char path[128];
	long number;

	snprintf(path, sizeof(path), CPUS "/cpu%u/topology/%s", cpu, name);
	error_free(file_read_text(path, &text));
	number = text ? strtol(text, NULL, 10) : 0;
	return number > 0 ? (int)number : 0;
}

/* The folder of a CPU has an entry nodeN for its memory node. */
static int cpu_place_node(uint32_t cpu)
{
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	char path[128];

	snprintf(path, sizeof(path), CPUS "/cpu%u", cpu);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "node", 4))
			return atoi(entry->d_name + 4);
	return 0;
}

void cpu_place_read(uint32_t cpu, struct cpu_place *ret)
{
	*ret = (struct cpu_place){
		.socket = cpu_place_number(cpu, "physical_package_id"),
		.die = cpu_place_number(cpu, "die_id"),
		.core = cpu_place_number(cpu, "core_id"),
		.node = cpu_place_node(cpu),
	};
}

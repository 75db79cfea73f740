// SPDX-License-Identifier: GPL-2.0
#include "cmd/mem_events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/array.h"

/* The events of each access, the first that the machine has.  %u: the latency. */
static const struct {
	enum mem_access access;
	const char *file, *event;
} mem_events[] = {
	{ MEM_LOADS, "cpu/events/mem-loads", "cpu/mem-loads,ldlat=%u/P" },
	{ MEM_STORES, "cpu/events/mem-stores", "cpu/mem-stores/P" },
	{ MEM_LOADS, "cpu_core/events/mem-loads", "cpu_core/mem-loads,ldlat=%u/P" },
	{ MEM_STORES, "cpu_core/events/mem-stores", "cpu_core/mem-stores/P" },
	/* It samples both. */
	{ MEM_LOADS, "ibs_op/type", "ibs_op//" },
};

static bool mem_events_want(const enum mem_access *accesses, size_t nr, enum mem_access access)
{
	for (size_t i = 0; i < nr; i++)
		if (accesses[i] == access)
			return true;
	return false;
}

struct error *mem_events_add(struct words *words, const enum mem_access *accesses, size_t nr,
			     unsigned int latency, const char *command)
{
	bool found[MEM_ACCESSES] = { false };

	for (size_t i = 0; i < ARRAY_SIZE(mem_events); i++) {
		char path[128], event[64];

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s",
			 mem_events[i].file);
		if (found[mem_events[i].access] ||
		    !mem_events_want(accesses, nr, mem_events[i].access) || access(path, F_OK))
			continue;
		found[mem_events[i].access] = true;
		snprintf(event, sizeof(event), mem_events[i].event, latency);
		words_add_option(words, "-e", event);
	}
	if (found[MEM_LOADS] || found[MEM_STORES])
		return NULL;
	return error_hint(error_new(ENODEV, "This machine has no event that samples accesses to "
				    "memory"),
			  "'ktrace %s report' reads recordings of machines that have one; 'ktrace "
			  "record -d -e page-faults' has addresses everywhere", command);
}

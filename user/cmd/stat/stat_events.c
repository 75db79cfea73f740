// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"

/* perf counts stalls by default where the processor's PMU says that it can. */
static bool stat_has_stalls(const char *side)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "/sys/bus/event_source/devices/cpu/events/stalled-cycles-%s", side);
	return !path.failed && !access(path.data, F_OK);
}

struct error *stat_events_add_default(struct event_specs *specs, bool whole_cpus, int details)
{
	static const char *const more[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
		 "iTLB-load-misses"),
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	_cleanup_(strbuf) struct strbuf list = STRBUF_INIT;

	strbuf_addf(&list, "%s,context-switches,cpu-migrations,page-faults,cycles",
		    whole_cpus ? "cpu-clock" : "task-clock");
	if (stat_has_stalls("frontend"))
		strbuf_addstr(&list, ",stalled-cycles-frontend");
	if (stat_has_stalls("backend"))
		strbuf_addstr(&list, ",stalled-cycles-backend");
	strbuf_addstr(&list, ",instructions,branches,branch-misses");
	for (int i = 0; i < details && i < (int)ARRAY_SIZE(more); i++)
		strbuf_addf(&list, ",%s", more[i]);
	return list.failed ? &error_no_memory : event_specs_add(specs, list.data);
}

static bool stat_copy_text(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return !text || *ret;
}

static struct error *stat_copy_spec(struct event_specs *specs, const struct event_spec *from,
				    const char *cgroup, uint32_t group)
{
	struct event_spec spec = *from;
	bool ok;

	spec.group = group;
	ok = stat_copy_text(from->system, &spec.system);
	ok &= stat_copy_text(from->name, &spec.name);
	ok &= stat_copy_text(from->text, &spec.text);
	ok &= stat_copy_text(from->filter, &spec.filter);
	ok &= stat_copy_text(cgroup, &spec.cgroup);
	if (ok && array_push(specs, spec))
		return NULL;
	free(spec.system);
	free(spec.name);
	free(spec.text);
	free(spec.filter);
	free(spec.cgroup);
	return &error_no_memory;
}

struct error *stat_events_for_cgroups(struct event_specs *specs, const char *list)
{
	_cleanup_free_ char *copy = strdup(list);
	struct event_specs all = { 0 };
	struct error *err = copy ? NULL : &error_no_memory;
	uint32_t highest = 0, groups = 0;
	char *save, *word;

	for (size_t i = 0; i < specs->nr; i++)
		if (specs->items[i].group > highest)
			highest = specs->items[i].group;
	for (word = copy ? strtok_r(copy, ",", &save) : NULL; !err && word;
	     word = strtok_r(NULL, ",", &save)) {
		for (size_t i = 0; !err && i < specs->nr; i++) {
			const struct event_spec *spec = &specs->items[i];

			err = stat_copy_spec(&all, spec, word,
					     spec->group ? spec->group + groups : 0);
		}
		groups += highest;
	}
	if (!err && !all.nr)
		err = error_new(EINVAL, "--for-each-cgroup takes names of cgroups, not '%s'", list);
	if (err) {
		event_specs_deinit(&all);
		return err;
	}
	event_specs_deinit(specs);
	*specs = all;
	return NULL;
}

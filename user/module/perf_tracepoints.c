// SPDX-License-Identifier: GPL-2.0
/*
 * An event names its tracepoint by a number only, and its format is found by name.
 */
#include "module/perf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "format/tracefs.h"
#include "lib/array.h"

/* The numbers that were asked for, so that not all tracepoints must be read for them. */
static struct {
	struct { uint64_t id; char *system, *name; } *items;
	size_t nr, alloc;
} known_tracepoints;

static struct error *tracepoint_remember(uint64_t id, const char *system, const char *name)
{
	typeof(*known_tracepoints.items) item = { id, strdup(system), strdup(name) };

	if (item.system && item.name && array_push(&known_tracepoints, item))
		return NULL;
	free(item.system);
	free(item.name);
	return &error_no_memory;
}

static bool tracepoint_is_known(uint64_t id, const char **system, const char **name)
{
	/* The last one holds: a module that was loaded again has other numbers. */
	for (size_t i = known_tracepoints.nr; i-- > 0;) {
		if (known_tracepoints.items[i].id != id)
			continue;
		*system = known_tracepoints.items[i].system;
		*name = known_tracepoints.items[i].name;
		return true;
	}
	return false;
}

struct error *perf_tracepoint_id(const char *system, const char *name, uint64_t *ret)
{
	const char *known_system, *known_name;
	struct error *err = tracefs_event_id(system, name, ret);

	if (err)
		return err;
	if (tracepoint_is_known(*ret, &known_system, &known_name) &&
	    !strcmp(known_system, system) && !strcmp(known_name, name))
		return NULL;
	return tracepoint_remember(*ret, system, name);
}

static struct error *tracepoint_search(uint64_t id)
{
	_cleanup_(tracepoint_names) struct tracepoint_names names = { 0 };
	struct error *err = tracefs_find("*", "*", &names);

	for (size_t i = 0; !err && i < names.nr; i++) {
		const struct tracepoint_name *n = &names.items[i];
		uint64_t found;

		err = tracefs_event_id(n->system, n->name, &found);
		if (!err && found == id)
			return tracepoint_remember(id, n->system, n->name);
	}
	if (err)
		return err;
	return error_hint(error_new(ENOENT, "No tracepoint has the number %llu",
				    (unsigned long long)id),
			  "perf.tracepoint(system, name) gives the number of one");
}

static struct error *tracepoint_names_of(uint64_t id, const char **system, const char **name)
{
	struct error *err = NULL;

	if (!tracepoint_is_known(id, system, name))
		err = tracepoint_search(id);
	if (!err)
		tracepoint_is_known(id, system, name);
	return err;
}

struct error *perf_tracepoint_name(uint64_t id, char **ret)
{
	const char *system = "", *name = "";
	struct error *err = tracepoint_names_of(id, &system, &name);

	if (!err && asprintf(ret, "%s:%s", system, name) < 0)
		err = &error_no_memory;
	return err;
}

struct error *perf_tracepoint_formats(uint64_t id, struct formats **ret)
{
	_cleanup_(formats) struct formats *formats = NULL;
	_cleanup_free_ char *text = NULL;
	const char *system = "", *name = "";
	struct error *err = tracepoint_names_of(id, &system, &name);
	size_t len;

	if (!err)
		err = tracefs_event_format(system, name, &text, &len);
	if (!err)
		err = formats_create(&formats);
	if (!err)
		err = formats_add(formats, system, text, len);
	if (err)
		return err;
	*ret = formats;
	formats = NULL;
	return NULL;
}

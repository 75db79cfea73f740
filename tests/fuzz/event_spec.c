// SPDX-License-Identifier: GPL-2.0
/* The words of -e.  Tracepoints are looked up here, not in tracefs. */
#include "fuzz.h"

#include <errno.h>
#include <fnmatch.h>

#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/log.h"
#include "spec/event_spec.h"

static const char *const known[][2] = {
	{ "irq", "softirq_entry" }, { "sched", "sched_switch" }, { "sched", "sched_wakeup" },
};

void tracepoint_names_deinit(struct tracepoint_names *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		free(names->items[i].system);
		free(names->items[i].name);
	}
	free(names->items);
	*names = (struct tracepoint_names){ 0 };
}

struct error *tracefs_path(const char **ret)
{
	return error_new(ENOENT, "There is no tracefs here");
}

struct error *tracefs_find(const char *system_glob, const char *name_glob,
			   struct tracepoint_names *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct tracepoint_name name;

		if (fnmatch(system_glob, known[i][0], 0) || fnmatch(name_glob, known[i][1], 0))
			continue;
		name.system = strdup(known[i][0]);
		name.name = strdup(known[i][1]);
		if (!name.system || !name.name || !array_push(ret, name))
			abort();
	}
	return NULL;
}

struct error *tracefs_event_id(const char *system, const char *name, uint64_t *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		*ret = 300 + i;
		if (!strcmp(system, known[i][0]) && !strcmp(name, known[i][1]))
			return NULL;
	}
	return error_new(ENOENT, "There is no event %s:%s", system, name);
}

struct error *tracefs_event_format(const char *system, const char *name, char **ret,
				   size_t *ret_len)
{
	return error_new(ENOENT, "There is no event %s:%s", system, name);
}

struct error *tracefs_unknown_event(const char *system, const char *name)
{
	return error_new(ENOENT, "There is no event %s:%s", system, name);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_quiet = true;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = text_of(data, size);
	struct event_specs specs = { 0 };
	struct error *err = event_specs_add(&specs, text);

	if (!err)
		err = event_specs_set_cgroups(&specs, text);
	error_free(err);
	event_specs_deinit(&specs);
	return 0;
}

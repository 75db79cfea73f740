// SPDX-License-Identifier: GPL-2.0
#include "format/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "format/function_events.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "terminal/options.h"

static struct error *no_tracefs(int code)
{
	if (code == EACCES || code == EPERM)
		return error_hint(error_errno(code, "Cannot read the events in tracefs"),
				  "Run ktrace as root, or run as root: mount -o remount,mode=755 "
				  "/sys/kernel/tracing");
	return error_hint(error_new(code, "tracefs is not mounted"),
			  "As root: mount -t tracefs tracefs /sys/kernel/tracing");
}

/* Returns the path of tracefs, or NULL and the reason in *code: ENODEV, if it is not mounted. */
static const char *tracefs_look(int *code)
{
	static const char *const places[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};

	*code = ENODEV;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_closedir_ DIR *dir = NULL;
		char events[64];

		snprintf(events, sizeof(events), "%s/events", places[i]);
		dir = opendir(events);
		if (dir)
			return places[i];
		if (errno != ENOENT)
			*code = errno;
	}
	return NULL;
}

struct error *tracefs_path(const char **ret)
{
	static const char *found;
	int code = 0;

	if (!found)
		found = tracefs_look(&code);
	if (!found && code == ENODEV &&
	    !mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL))
		found = tracefs_look(&code);
	if (!found)
		return no_tracefs(code);
	*ret = found;
	return NULL;
}

void tracepoint_names_deinit(struct tracepoint_names *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		free(names->items[i].system);
		free(names->items[i].name);
	}
	free(names->items);
	*names = (struct tracepoint_names){ 0 };
}

/* Build the path of an event's file.  A name that would leave its directory is an error. */
static struct error *event_path(const char *system, const char *name, const char *file,
				struct strbuf *ret)
{
	struct error *err;
	const char *root;

	err = tracefs_path(&root);
	if (err)
		return err;
	if (!*system || !*name || strchr(system, '/') || strchr(name, '/'))
		return error_new(ENOENT, "'%s:%s' is not the name of a tracepoint", system, name);
	strbuf_addf(ret, "%s/events/%s/%s/%s", root, system, name, file);
	return ret->failed ? &error_no_memory : NULL;
}

static struct error *tracefs_add(struct tracepoint_names *names, const char *system,
				 const char *name)
{
	struct tracepoint_name item = { strdup(system), strdup(name) };

	if (!item.system || !item.name || !array_push(names, item)) {
		free(item.system);
		free(item.name);
		return &error_no_memory;
	}
	return NULL;
}

static struct error *find_in_system(const char *root, const char *system, const char *name_glob,
				    struct tracepoint_names *names)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;

	strbuf_addf(&path, "%s/events/%s", root, system);
	if (path.failed)
		return &error_no_memory;
	dir = opendir(path.data);
	if (!dir)
		return NULL;
	while ((entry = readdir(dir))) {
		struct error *err;
		char id[NAME_MAX + 8];

		if (entry->d_name[0] == '.' || fnmatch(name_glob, entry->d_name, 0))
			continue;
		/* Events of the ftrace system that perf cannot open have no id. */
		snprintf(id, sizeof(id), "%s/id", entry->d_name);
		if (faccessat(dirfd(dir), id, F_OK, 0))
			continue;
		err = tracefs_add(names, system, entry->d_name);
		if (err)
			return err;
	}
	return NULL;
}

DEFINE_COMPARISON(tracefs_compare_names, struct tracepoint_name, strcmp(x->system, y->system) ?:
		  strcmp(x->name, y->name))

struct error *tracefs_find(const char *system_glob, const char *name_glob,
			   struct tracepoint_names *ret)
{
	_cleanup_(tracepoint_names) struct tracepoint_names names = { 0 };
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	struct error *err;
	const char *root;

	err = tracefs_path(&root);
	if (err)
		return err;
	strbuf_addf(&path, "%s/events", root);
	if (path.failed)
		return &error_no_memory;
	dir = opendir(path.data);
	if (!dir)
		return no_tracefs(errno);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || fnmatch(system_glob, entry->d_name, 0))
			continue;
		err = find_in_system(root, entry->d_name, name_glob, &names);
		if (err)
			return err;
	}
	array_sort(&names, tracefs_compare_names);
	*ret = names;
	names = (struct tracepoint_names){ 0 };
	return NULL;
}

struct error *tracefs_event_id(const char *system, const char *name, uint64_t *ret)
{
	const struct function_event *function = function_events_named(system, name);
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	unsigned long long id;
	struct error *err;

	if (function) {
		*ret = function->number;
		return NULL;
	}
	err = event_path(system, name, "id", &path);
	if (err)
		return err;
	if (access(path.data, F_OK) && errno == ENOENT)
		return tracefs_unknown_event(system, name);
	err = file_read_text(path.data, &text);
	if (err)
		return err;
	if (!parse_u64(text, &id))
		return error_new(EINVAL, "%s holds '%s', which is not a number", path.data, text);
	*ret = id;
	return NULL;
}

static struct error *function_format(const struct function_event *function, char **ret,
				     size_t *ret_len)
{
	static char *model;	/* read once, as there may be thousands of functions */
	struct error *err = model ? NULL : tracefs_event_format(FUNCTION_MODEL_SYSTEM,
								FUNCTION_MODEL_NAME, &model,
								ret_len);

	return err ? err : function_event_format(function, model, ret, ret_len);
}

struct error *tracefs_event_format(const char *system, const char *name, char **ret,
				   size_t *ret_len)
{
	const struct function_event *function = function_events_named(system, name);
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct error *err;

	if (function)
		return function_format(function, ret, ret_len);
	err = event_path(system, name, "format", &path);
	if (err)
		return err;
	if (access(path.data, F_OK) && errno == ENOENT)
		return tracefs_unknown_event(system, name);
	return file_read(path.data, ret, ret_len);
}

/* Returns the most similar name in @system, or, unless @exact, in systems with similar names. */
static const struct tracepoint_name *nearest_in(const struct tracepoint_names *names,
						const char *system, const char *name, bool exact)
{
	const struct tracepoint_name *near = NULL;

	for (size_t i = 0; i < names->nr; i++) {
		const struct tracepoint_name *n = &names->items[i];

		if (exact ? strcmp(n->system, system) : !word_is_near(system, n->system))
			continue;
		if (word_nearer(name, near ? near->name : NULL, n->name) == n->name)
			near = n;
	}
	return near;
}

/* Returns the tracepoint that the user probably meant; the same name in another system wins. */
static const struct tracepoint_name *nearest(const struct tracepoint_names *names,
					     const char *system, const char *name)
{
	const struct tracepoint_name *near;

	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->items[i].name, name))
			return &names->items[i];
	near = nearest_in(names, system, name, true);
	return near ? near : nearest_in(names, system, name, false);
}

struct error *tracefs_unknown_event(const char *system, const char *name)
{
	_cleanup_(tracepoint_names) struct tracepoint_names names = { 0 };
	const struct tracepoint_name *near;
	bool system_exists = false;
	struct error *err;

	err = tracefs_find("*", "*", &names);
	if (err)
		return err;
	for (size_t i = 0; i < names.nr; i++)
		if (!strcmp(names.items[i].system, system))
			system_exists = true;
	near = nearest(&names, system, name);

	err = error_new(ENOENT, "There is no event '%s:%s' in this kernel", system, name);
	if (near)
		return error_hint(err, "Did you mean '%s:%s'? 'ktrace list' lists the events",
				  near->system, near->name);
	if (system_exists)
		return error_hint(err, "'ktrace list '%s:*'' lists the events of %s",
				  system, system);
	return error_hint(err, "'ktrace list' lists the events that exist");
}

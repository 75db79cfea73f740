// SPDX-License-Identifier: GPL-2.0
#include "probe/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/log.h"

/* The most events of one name. */
#define STORE_MAX_SUFFIX 1024

static const char *store_file(bool is_user)
{
	return is_user ? "uprobe_events" : "kprobe_events";
}

struct error *probe_store_path(const char *file, char **ret)
{
	const char *root;
	struct error *err = tracefs_path(&root);

	if (err)
		return err;
	if (asprintf(ret, "%s/%s", root, file) >= 0)
		return NULL;
	*ret = NULL;
	return &error_no_memory;
}

static struct error *store_missing(bool is_user)
{
	return error_hint(error_new(ENOENT, "This kernel has no %s: it was built without "
				    "CONFIG_%cPROBE_EVENTS", is_user ? "uprobes" : "kprobes",
				    is_user ? 'U' : 'K'),
			  is_user ? "Use a kernel that has them, as those of distributions" :
			  "Use a kernel that has them; 'ktrace probe -D' shows definitions without, and "
			  "programs can be probed (-x)");
}

static struct error *store_read_file(bool is_user, struct probe_events *ret, bool *exists)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	struct error *err;
	char *state;
	size_t len;

	err = probe_store_path(store_file(is_user), &path);
	/* Not as access() asks: capabilities without being root suffice to read it. */
	*exists = !err && !faccessat(AT_FDCWD, path, F_OK, AT_EACCESS);
	if (err || !*exists)
		return err;
	err = file_read(path, &text, &len);
	if (err)
		return error_hint(err, "Run ktrace as root");
	for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		struct probe_event event;

		if (!probe_event_parse(line, &event))
			continue;
		if (!array_push(ret, event)) {
			probe_event_deinit(&event);
			return &error_no_memory;
		}
	}
	return NULL;
}

struct error *probe_store_read(struct probe_events *ret)
{
	bool kernel = false, user = false;
	struct error *err;

	err = store_read_file(false, ret, &kernel);
	if (!err)
		err = store_read_file(true, ret, &user);
	return err || kernel || user ? err : store_missing(false);
}

static const struct probe_event *store_find(const struct probe_events *events, const char *group,
					    const char *name)
{
	return array_find(events, it, !strcmp(it->group, group) && !strcmp(it->name, name));
}

/* Since Linux 5.4 an event can have several locations. */
static bool store_takes_places(void)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	static int takes = -1;
	size_t len;

	if (takes < 0) {
		error_free(probe_store_path("README", &path));
		if (path)
			error_free(file_read(path, &text, &len));
		/* Where nobody can be asked, definitions are only shown. */
		takes = !text || strstr(text, "Create/append/");
	}
	return takes;
}

/* Whether two locations can share an event: their arguments have the same names and types. */
static bool store_same_form(const struct probe_event *a, const struct probe_event *b)
{
	if (a->args.nr != b->args.nr || a->is_return != b->is_return)
		return false;
	for (size_t i = 0; i < a->args.nr; i++) {
		const struct probe_event_arg *x = &a->args.items[i], *y = &b->args.items[i];

		if (strcmp(x->name ? x->name : "", y->name ? y->name : "") ||
		    strcmp(x->type ? x->type : "x64", y->type ? y->type : "x64"))
			return false;
	}
	return true;
}

/* Whether an earlier location of this definition, with the same name, can share its event. */
static bool store_can_share(const struct probe_events *events, size_t first, size_t index,
			    const char *name)
{
	for (size_t i = first; i < index; i++)
		if (!strcmp(events->items[i].name, name))
			return store_takes_places() &&
			       store_same_form(&events->items[i], &events->items[index]);
	return true;
}

static bool store_is_taken(const struct probe_events *existing, const struct probe_events *events,
			   size_t first, const char *group, const char *name)
{
	const struct probe_events before = { events->items, first, 0 };

	return store_find(existing, group, name) || store_find(&before, group, name);
}

struct error *probe_store_name(const struct probe_events *existing, struct probe_events *events,
			       size_t first, bool force)
{
	for (size_t i = first; i < events->nr; i++) {
		struct probe_event *event = &events->items[i];
		_cleanup_free_ char *base = strdup(event->name);

		if (!base)
			return &error_no_memory;
		if (!force && store_is_taken(existing, events, first, event->group, base))
			return error_hint(error_new(EEXIST, "There is an event %s:%s already",
						    event->group, base),
					  "Remove it with 'ktrace probe -d %s:%s', add another one with "
					  "-f, or choose a name for this one, as in mine=%s",
					  event->group, base, base);
		for (unsigned int n = 1; store_is_taken(existing, events, first, event->group,
							event->name) ||
		     !store_can_share(events, first, i, event->name); n++) {
			if (n == STORE_MAX_SUFFIX)
				return error_new(EEXIST, "There are too many events named %s", base);
			free(event->name);
			if (asprintf(&event->name, "%s_%u", base, n) < 0) {
				event->name = NULL;
				return &error_no_memory;
			}
		}
	}
	return NULL;
}

/* Write a line to the file.  Returns 0 or -errno. */
static int store_write(bool is_user, const char *text)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;

	error_free(probe_store_path(store_file(is_user), &path));
	if (!path)
		return -ENOENT;
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	return fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));
}

/* Whether a file of tracefs or debugfs has a line that ends with the word, or is it. */
static bool store_file_names(const char *path, const char *word)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t alloc = 0;

	while (file && getline(&line, &alloc, file) > 0) {
		char *at = strrchr(line, '\t');

		at = at ? at + 1 : line;
		at[strcspn(at, " \n")] = '\0';
		if (!strcmp(at, word))
			return true;
	}
	return false;
}

/* The last complaint about a definition in tracefs' error_log; NULL: none. */
static char *store_complaint(const char *definition)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	char *at, *found = NULL;
	size_t len;

	error_free(probe_store_path("error_log", &path));
	if (!path)
		return NULL;
	error_free(file_read(path, &text, &len));
	for (at = text; at && (at = strstr(at, "probe: error: ")); at++) {
		const char *command = strstr(at, "\n  Command: ");

		command = command ? command + strlen("\n  Command: ") : "";
		if (!strncmp(command, definition, strlen(definition)))
			found = at + strlen("probe: error: ");
	}
	return found ? strndup(found, strcspn(found, "\n")) : NULL;
}

/* Name the kernel's rule that forbids a probe in this function, if it is known. */
static void store_add_rule(const char *function, struct error *err)
{
	_cleanup_free_ char *functions = NULL;

	error_free(probe_store_path("available_filter_functions", &functions));
	if (store_file_names("/sys/kernel/debug/kprobes/blacklist", function))
		error_hint(err, "%s is on the kernel's list of functions that must not be probed "
			   "(/sys/kernel/debug/kprobes/blacklist)", function);
	else if (functions && !access(functions, R_OK) && !store_file_names(functions, function))
		error_hint(err, "%s is marked notrace, or belongs to code that is used only while the "
			   "kernel boots", function);
}

/* Explain why the kernel refused an event with EINVAL or a similar code. */
static struct error *store_refused(const struct probe_event *event, const char *text, int code)
{
	const char *function = event->function ? event->function : event->symbol;
	_cleanup_free_ char *complaint = NULL;
	struct error *err;

	if (code == -ENOENT)
		return store_missing(event->is_user);
	if (code == -EACCES || code == -EPERM)
		return error_hint(error_errno(-code, "Cannot write to %s", store_file(event->is_user)),
				  "Run ktrace as root");
	err = error_errno(-code, "The kernel refuses the probe '%s'", text);
	/* EINVAL would mean that the command line is wrong. */
	err->code = 0;
	if (event->is_user && (code == -EINVAL || code == -ENODEV))
		error_hint(err, "The file has to be on a disk or in memory, and the place in its code");
	if (!event->is_user && function)
		store_add_rule(function, err);
	complaint = store_complaint(text);
	if (complaint && (code == -EINVAL || !err->hint))
		error_hint(err, err->hint ? "It says: %s. %s" : "It says: %s", complaint,
			   err->hint ? err->hint : "");
	return err;
}

struct error *probe_store_remove_name(const char *name, bool is_user)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	int code;

	strbuf_addf(&text, "-:%s", name);
	if (text.failed)
		return &error_no_memory;
	code = store_write(is_user, text.data);
	if (code == -EBUSY)
		return error_hint(error_new(EBUSY, "The event %s is in use", name),
				  "Stop its recorder: ktrace, perf, or events/%s/enable in tracefs",
				  name);
	if (code == -EACCES || code == -EPERM)
		return error_hint(error_errno(-code, "Cannot write to %s", store_file(is_user)),
				  "Run ktrace as root");
	return code ? error_errno(-code, "Cannot remove the event %s", name) : NULL;
}

struct error *probe_store_remove(const struct probe_event *event)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "%s/%s", event->group, event->name);
	return name.failed ? &error_no_memory : probe_store_remove_name(name.data, event->is_user);
}

/* Add an event; @text becomes its definition.  Returns 0 or -errno. */
static int store_add(const struct probe_event *event, struct strbuf *text)
{
	probe_event_add_text(event, text);
	if (text->failed)
		return -ENOMEM;
	log_debug("Writing event: %s", text->data);
	return store_write(event->is_user, text->data);
}

struct error *probe_store_tell(const struct probe_events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

		probe_event_add_text(&events->items[i], &text);
		if (text.failed)
			return &error_no_memory;
		log_debug("Writing event: %s", text.data);
	}
	return NULL;
}

struct error *probe_store_add(const struct probe_events *events)
{
	struct error *err = NULL;
	size_t added = 0;

	for (size_t i = 0; !err && i < events->nr; i++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
		int code = store_add(&events->items[i], &text);

		if (text.failed)
			err = &error_no_memory;
		else if (code)
			err = store_refused(&events->items[i], text.data, code);
		else
			added = i + 1;
	}
	if (!err)
		return NULL;
	/* Removing the first location of an event removes all of them. */
	for (size_t i = 0; i < added; i++)
		error_free(probe_store_remove(&events->items[i]));
	return err;
}

struct error *probe_store_offer(const struct probe_event *event, bool *refused)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	int code = store_add(event, &text);

	if (text.failed)
		return &error_no_memory;
	/* A failure that would also affect the next event is an error. */
	*refused = code && code != -EACCES && code != -EPERM && code != -ENOMEM && code != -ENOSPC;
	return code && !*refused ? store_refused(event, text.data, code) : NULL;
}

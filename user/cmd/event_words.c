// SPDX-License-Identifier: GPL-2.0
#include "cmd/event_words.h"

#include <errno.h>
#include <string.h>

#include "capture/ktrace/device.h"
#include "format/event_format.h"
#include "format/tracefs.h"
#include "lib/cleanup.h"
#include "lib/plugin.h"
#include "probe/functions.h"
#include "probe/temporary.h"
#include "spec/filter_expr.h"

static probe_temporary_end_fn event_words_remove;	/* NULL: no probes were added */

static bool event_words_is_probe(const char *text)
{
	return *text && strchr("kuf", *text) && text[1] == ':' && text[2];
}

/* As with perf, a named event that does not exist is an error in the command line. */
static struct error *event_words_parse(struct event_specs *specs, const char *text)
{
	struct error *err = event_specs_add(specs, text);

	if (err && err->code == ENOENT)
		err->code = EINVAL;
	return err;
}

/* Find a function of the plugin that creates the events of @text. */
static struct error *event_words_find(const char *text, const char *symbol, void **ret)
{
	struct error *err = plugin_find("probe", symbol, ret);
	void *remove;

	if (err)
		return error_prefix(err, "'%s' cannot be recorded", text);
	err = plugin_find("probe", "probe_temporary_end", &remove);
	if (!err)
		event_words_remove = remove;
	return err;
}

/* Add probes.  With @recorded, the module records the probes that it supports by itself. */
static struct error *event_words_add_probes(struct event_specs *specs, const char *text,
					    bool recorded)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	const size_t first = specs->nr;
	struct error *err;
	void *add;

	err = event_words_find(text, "probe_temporary", &add);
	if (!err)
		err = ((probe_temporary_fn)add)(text, recorded ? specs : NULL, &names);
	if (!err && names.len)
		err = event_specs_add(specs, names.data);
	specs->last_first = first;
	return err;
}

/* Add functions without arguments.  *done: @text has such functions. */
static struct error *event_words_add_functions(struct event_specs *specs, const char *text,
					       bool *done)
{
	const size_t nr = specs->nr;
	struct error *err;
	void *add;

	err = event_words_find(text, "probe_functions", &add);
	if (!err)
		err = ((probe_functions_fn)add)(text + 2, specs);
	*done = specs->nr > nr;
	return err;
}

struct error *event_words_add_recorded(struct event_specs *specs, const char *text)
{
	bool done = false;
	struct error *err = NULL;

	if (!event_words_is_probe(text))
		return event_words_parse(specs, text);
	if (*text == 'f' && !strchr(text, '(') && device_has_functions(false))
		err = event_words_add_functions(specs, text, &done);
	return err || done ? err : event_words_add_probes(specs, text, device_has_functions(true));
}

struct error *event_words_add(struct event_specs *specs, const char *text)
{
	return event_words_is_probe(text) ? event_words_add_probes(specs, text, false) :
					    event_words_parse(specs, text);
}

/* Whether an event has the fields of a filter.  The error names a missing field. */
static struct error *event_words_try_filter(const struct event_spec *spec, const char *filter)
{
	_cleanup_free_ char *text = NULL;
	struct formats *formats = NULL;
	struct filter_node *tree = NULL;
	struct error *err;
	size_t len;

	err = tracefs_event_format(spec->system, spec->name, &text, &len);
	if (!err)
		err = formats_create(&formats);
	if (!err)
		err = formats_add(formats, spec->system, text, len);
	if (!err)
		err = filter_parse(filter, formats_find(formats, spec->config), &tree);
	if (!err)
		filter_destroy(tree);
	formats_destroy(formats);
	return err;
}

/* Entries of functions have their arguments, and returns have their value. */
static struct error *event_words_filter_ends(struct event_specs *specs, const char *filter)
{
	struct error *err = NULL, *first = NULL;
	size_t nr = 0;

	for (size_t i = specs->last_first; !err && i < specs->nr; i++) {
		struct error *unfit = event_words_try_filter(&specs->items[i], filter);

		if (unfit && first) {
			error_free(unfit);
		} else if (unfit) {
			first = unfit;
		} else {
			err = event_spec_add_filter(&specs->items[i], filter);
			nr++;
		}
	}
	if (!err && !nr)
		return first;
	error_free(first);
	return err;
}

struct error *event_words_set_filter(struct event_specs *specs, const char *filter)
{
	const struct event_spec *spec = specs->nr ? &specs->items[specs->last_first] : NULL;

	if (spec && spec->system && !strcmp(spec->system, "f"))
		return event_words_filter_ends(specs, filter);
	return event_specs_set_filter(specs, filter);
}

void event_words_end(void)
{
	if (event_words_remove)
		event_words_remove();
}

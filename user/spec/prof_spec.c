// SPDX-License-Identifier: GPL-2.0
#include "spec/prof_spec.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "spec/prof_source.h"
#include "terminal/words.h"

static void prof_spec_deinit(struct prof_spec *spec)
{
	free(spec->event);
	free(spec->name);
	free(spec->filter);
	free(spec->cpus);
}

void prof_specs_deinit(struct prof_specs *specs)
{
	for (size_t i = 0; i < specs->nr; i++)
		prof_spec_deinit(&specs->items[i]);
	free(specs->items);
	free(specs->given);
	*specs = (struct prof_specs){ 0 };
}

DEFINE_CLEANUP(spec, struct prof_spec, prof_spec_deinit)

/* Add the parts between unprotected separators; @text is modified. */
static struct error *prof_split(char *text, char separator, struct words *ret)
{
	int depth = 0;
	char quote = 0, *start = text, *p;

	for (p = text; *p; p++) {
		if (quote) {
			if (*p == quote)
				quote = 0;
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		} else if (*p == '(') {
			depth++;
		} else if (*p == ')') {
			depth--;
		} else if (*p == separator && depth <= 0) {
			*p = '\0';
			words_add(ret, start);
			start = p + 1;
		}
	}
	if (quote || depth > 0)
		return error_new(EINVAL, "A %s is not closed in '%s'", quote ? "quote" : "parenthesis",
				 start);
	words_add(ret, start);
	return ret->failed ? &error_no_memory : NULL;
}

static bool prof_set(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to;
}

static struct error *set_alias(struct prof_spec *spec, const char *alias)
{
	_cleanup_free_ char *old = spec->name;
	char *colon = strchr(old, ':');

	spec->name = NULL;
	if (asprintf(&spec->name, "%.*s%s", colon ? (int)(colon + 1 - old) : 0, old, alias) < 0)
		return &error_no_memory;
	spec->has_alias = true;
	return NULL;
}

/* Attributes of perf-prof that change only the tables of its other profilers. */
static const char *const of_tables[] = {
	"key", "printkey", "top-by", "top-add", "comm", "ptr", "size", "num", "role", "untraced",
	"trigger", "index",
};

static struct error *set_max_stack(struct prof_spec *spec, const char *value)
{
	unsigned long frames;
	char *end;

	frames = strtoul(value, &end, 10);
	if (*end || !frames || frames > UINT16_MAX)
		return error_hint(error_new(EINVAL, "'max-stack=%s' is not a number of frames",
					    value),
				  "As in 'sched:sched_wakeup//max-stack=5/'");
	spec->stack = true;
	spec->max_stack = frames;
	return NULL;
}

/* Each event of a profiler is given the same @given, which stays as it is. */
static struct error *add_attribute(struct prof_spec *spec, const char *given)
{
	_cleanup_free_ char *text = strdup(given);
	char *value = text ? strchr(text, '=') : NULL;

	if (!text)
		return &error_no_memory;
	if (value) {
		*value++ = '\0';
		value = prof_unquote(value);
	}
	if (!strcmp(text, "stack") && !value) {
		spec->stack = true;
		return NULL;
	}
	if (!strcmp(text, "max-stack") && value)
		return set_max_stack(spec, value);
	if (!strcmp(text, "alias") && value && *value)
		return set_alias(spec, value);
	if (!strcmp(text, "cpus") && value)
		return prof_set(&spec->cpus, value) ? NULL : &error_no_memory;
	for (size_t i = 0; i < ARRAY_SIZE(of_tables); i++)
		if (!strcmp(text, of_tables[i]))
			return error_hint(error_new(EINVAL, "perf-prof's attribute '%s' is one of its "
						    "tables: it would change nothing that a script gets",
						    text),
					  "Leave it out: the script finds the fields in its events");
	return error_hint(error_new(EINVAL, "'%s' is not an attribute of an event for a script",
				    text),
			  "The attributes are stack, max-stack=N, alias=NAME and cpus=LIST");
}

static struct error *prof_push(struct prof_specs *specs, struct prof_spec *spec)
{
	if (!array_push(specs, *spec))
		return &error_no_memory;
	*spec = (struct prof_spec){ 0 };
	return NULL;
}

static struct error *add_attributes(struct prof_spec *spec, const struct words *words, size_t from)
{
	struct error *err = NULL;

	for (size_t i = from; !err && i < words->nr; i++)
		if (*words->items[i])
			err = add_attribute(spec, words->items[i]);
	return err;
}

/* @parts: what the slashes of a tracepoint part: its name, its filter and its attributes. */
static struct error *prof_set_event(struct prof_spec *spec, const char *event,
				    const struct words *parts)
{
	if (!prof_set(&spec->event, event) || !prof_set(&spec->name, event))
		return &error_no_memory;
	if (parts->nr > 1 && *parts->items[1] &&
	    !prof_set(&spec->filter, prof_unquote(parts->items[1])))
		return &error_no_memory;
	return add_attributes(spec, parts, 2);
}

static struct error *prof_add_tracepoint(struct prof_specs *specs, const struct words *words)
{
	_cleanup_(spec) struct prof_spec spec = { .tracepoint = true };
	struct error *err = prof_set_event(&spec, words->items[0], words);

	return err ? err : prof_push(specs, &spec);
}

/* The events of a profiler have its name, and the attributes that are given behind its options. */
static struct error *prof_add_events_of(struct prof_specs *specs, const struct words *words)
{
	_cleanup_(prof_source) struct prof_source source = { 0 };
	struct error *err = prof_source_find(words, &source);

	for (size_t i = 0; i < source.events.nr && !err; i++) {
		_cleanup_(words) struct words parts = { 0 };
		_cleanup_(spec) struct prof_spec spec = { .tracepoint = source.tracepoints,
							  .addr = source.addr };
		char *event = source.events.items[i];

		if (source.tracepoints)
			err = prof_split(event, '/', &parts);
		if (!err)
			err = prof_set_event(&spec, parts.nr ? parts.items[0] : event, &parts);
		if (!err && !prof_set(&spec.name, source.name))
			err = &error_no_memory;
		spec.has_alias = true;
		spec.stack |= source.stack;
		if (!err)
			err = add_attributes(&spec, words, source.used);
		if (!err)
			err = prof_push(specs, &spec);
	}
	return err;
}

static bool is_probe(const char *text)
{
	static const char *const kinds[] = { "kprobe:", "kretprobe:", "uprobe:", "uretprobe:" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(text, kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

static struct error *prof_add_word(struct prof_specs *specs, char *text)
{
	_cleanup_(words) struct words words = { 0 };
	size_t len = strlen(text);
	struct error *err;

	if (!len)
		return error_new(EINVAL, "An event has no name");
	if (is_probe(text))
		return error_hint(error_new(EINVAL, "'%s' would create a probe, which ktrace "
					    "does not do for scripts", text),
				  "Create the probe in tracefs, and name it here as system:name");
	if (strchr(text, '/') && text[len - 1] != '/')
		return error_hint(error_new(EINVAL, "'%s' does not end with '/'", text),
				  "As in 'sched:sched_wakeup/pid>1000/' or 'sched:sched_wakeup//stack/'");
	err = prof_split(text, '/', &words);
	if (err)
		return err;
	return strchr(words.items[0], ':') ? prof_add_tracepoint(specs, &words) :
					     prof_add_events_of(specs, &words);
}

struct error *prof_specs_add(struct prof_specs *specs, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	_cleanup_(words) struct words words = { 0 };
	struct error *err = copy ? prof_split(copy, ',', &words) : &error_no_memory;
	char *given = NULL;

	for (size_t i = 0; !err && i < words.nr; i++)
		err = prof_add_word(specs, words.items[i]);
	if (!err && asprintf(&given, "%s%s%s", specs->given ? specs->given : "",
			     specs->given ? "," : "", text) < 0)
		return &error_no_memory;
	if (given) {
		free(specs->given);
		specs->given = given;
	}
	return err;
}

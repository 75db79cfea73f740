// SPDX-License-Identifier: GPL-2.0
#include "spec/event_terms.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "spec/caret.h"
#include "terminal/options.h"

const char *event_terms_root = "/sys/bus/event_source/devices";

/* An alias may refer to other aliases; this bounds the recursion. */
#define MAX_DEPTH 4

struct terms {
	struct event_spec *spec;
	const char *pmu;	/* NULL: none */
	const char *whole;	/* for carets */
	size_t pos;
	int depth;
};

/* Returns the text of PMU/@folder/@name, or NULL; free() it. */
static char *pmu_text(const char *pmu, const char *folder, const char *name)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	char *text = NULL;

	if (!pmu || !*name || strchr(name, '/') || strchr(pmu, '/') || *pmu == '.' || *name == '.')
		return NULL;
	strbuf_addf(&path, "%s/%s/%s%s%s", event_terms_root, pmu, folder, *folder ? "/" : "", name);
	if (!path.failed)
		error_free(file_read_text(path.data, &text));
	return text;
}

bool event_terms_find_pmu(struct event_spec *spec, const char *pmu)
{
	_cleanup_free_ char *text = pmu_text(pmu, "", "type");
	unsigned long long type;

	if (!text || !parse_u64(text, &type))
		return false;
	spec->type = type;
	return true;
}

/* "cycles.scale" is no event: it is the scale for printing "cycles". */
static int is_plain(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.');
}

/* Call @each for the files of a folder of a PMU (both may be ""), by name. */
static void walk(const char *pmu, const char *folder, void (*each)(void *data, const char *name),
		 void *data)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct dirent **entries;
	int nr;

	strbuf_addf(&path, "%s/%s/%s", event_terms_root, pmu, folder);
	nr = path.failed ? -1 : scandir(path.data, &entries, is_plain, alphasort);
	for (int i = 0; i < nr; i++) {
		each(data, entries[i]->d_name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

static void terms_add_name(void *data, const char *name)
{
	struct strbuf *names = data;

	if (names->len < 400)
		strbuf_addf(names, ", %s", name);
}

static void terms_add_names(struct strbuf *names, const char *pmu, const char *folder)
{
	walk(pmu, folder, terms_add_name, names);
}

struct lister {
	void (*each)(void *data, const char *name);
	void *data;
	const char *pmu;
};

static void list_event(void *data, const char *event)
{
	struct lister *lister = data;
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "%s/%s/", lister->pmu, event);
	if (!name.failed)
		lister->each(lister->data, name.data);
}

static void list_pmu(void *data, const char *pmu)
{
	struct lister *lister = data;

	lister->pmu = pmu;
	walk(pmu, "events", list_event, lister);
}

void event_terms_list(void (*each)(void *data, const char *name), void *data)
{
	struct lister lister = { each, data, NULL };

	walk("", "", list_pmu, &lister);
}

/* perf's terms that are options of the whole recording, or always in effect. */
static const struct {
	const char *name, *instead;
} refused_terms[] = {
	{ "call-graph", "'record --call-graph' sets it for all events" },
	{ "stack-size", "'record --call-graph dwarf,BYTES' sets it for all events" },
	{ "max-stack", "'report --max-stack' and 'script --max-stack' leave out frames" },
	{ "time", "Samples always have their time" },
	{ "inherit", "Children are always recorded without 'record -i'" },
	{ "no-inherit", "'record -i' sets it for all events" },
	{ "overwrite", "'record --overwrite' sets it for all events" },
	{ "no-overwrite", "Rings are not overwritten without 'record --overwrite'" },
	{ "percore", "'stat --per-core' shows each core by itself" },
	{ "nr", "The number of branches is that of the processor" },
};

struct error *event_terms_refuse(const char *name, const char *whole, size_t pos)
{
	size_t len = strcspn(name, "=,/\n");

	for (size_t i = 0; i < ARRAY_SIZE(refused_terms); i++)
		if (strlen(refused_terms[i].name) == len &&
		    !strncmp(refused_terms[i].name, name, len))
			return error_hint(caret_error(whole, pos, "perf's term '%s' is not a "
						      "term of ktrace", refused_terms[i].name),
					  "%s", refused_terms[i].instead);
	return NULL;
}

static struct error *unknown_term(const struct terms *t, const char *name, size_t at)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	struct error *err = event_terms_refuse(name, t->whole, t->pos + at);

	if (err)
		return err;
	strbuf_addstr(&names, "config, config1, config2, period, freq, name");
	if (t->pmu) {
		terms_add_names(&names, t->pmu, "format");
		terms_add_names(&names, t->pmu, "events");
		err = caret_error(t->whole, t->pos + at, "The PMU %s has no term '%s'", t->pmu, name);
	} else {
		err = caret_error(t->whole, t->pos + at, "There is no term '%s'", name);
	}
	return names.failed ? err : error_hint(err, "The terms are: %s", names.data);
}

/* Spread the bits of @value over the ranges of a format, "config:0-7,32-35". */
static bool place_value(struct event_spec *spec, const char *format, uint64_t value)
{
	uint64_t *word = &spec->config;
	const char *at = strchr(format, ':');

	if (!at)
		return false;
	if (!strncmp(format, "config1:", 8))
		word = &spec->config1;
	else if (!strncmp(format, "config2:", 8))
		word = &spec->config2;
	else if (strncmp(format, "config:", 7))
		return false;
	do {
		unsigned long first, last;
		uint64_t mask;
		char *end;

		first = last = strtoul(++at, &end, 10);
		if (end == at)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last > 63)
			return false;
		mask = last - first == 63 ? UINT64_MAX : (1ULL << (last - first + 1)) - 1;
		*word = (*word & ~(mask << first)) | (value & mask) << first;
		value = last - first == 63 ? 0 : value >> (last - first + 1);
		at = end;
	} while (*at == ',');
	/* If bits of the value remain, it is too large for the format. */
	return !value;
}

static struct error *apply(const struct terms *t, const char *terms);

static struct error *apply_named(const struct terms *t, const char *name, const char *value,
				 size_t at)
{
	_cleanup_free_ char *format = pmu_text(t->pmu, "format", name);
	_cleanup_free_ char *alias = format || value ? NULL : pmu_text(t->pmu, "events", name);
	struct terms inner = *t;
	unsigned long long number = 1;

	if (alias && ++inner.depth < MAX_DEPTH)
		return apply(&inner, alias);
	if (!format)
		return unknown_term(t, name, at);
	if (value && !parse_u64(value, &number))
		return caret_error(t->whole, t->pos + at, "The term '%s' takes a number", name);
	if (!place_value(t->spec, format, number))
		return error_hint(caret_error(t->whole, t->pos + at, "The term '%s' has no room for "
					      "this value", name),
				  "Its format is %s", format);
	return NULL;
}

static struct error *apply_one(const struct terms *t, char *term, size_t at)
{
	char *value = strchr(term, '=');
	unsigned long long number = 0;
	uint64_t *word = NULL;

	if (value)
		*value++ = '\0';
	if (!strcmp(term, "name") && value && *value) {
		free(t->spec->text);
		t->spec->text = strdup(value);
		return t->spec->text ? NULL : &error_no_memory;
	}
	if (!strcmp(term, "config"))
		word = &t->spec->config;
	else if (!strcmp(term, "config1"))
		word = &t->spec->config1;
	else if (!strcmp(term, "config2"))
		word = &t->spec->config2;
	else if (!strcmp(term, "period"))
		word = &t->spec->period;
	else if (!strcmp(term, "freq"))
		word = &t->spec->freq;
	if (!word)
		return apply_named(t, term, value, at);
	if (!value || !parse_u64(value, &number))
		return caret_error(t->whole, t->pos + at, "The term '%s' takes a number", term);
	*word = number;
	return NULL;
}

static struct error *apply(const struct terms *t, const char *terms)
{
	const char *at = terms;

	for (;;) {
		size_t len = strcspn(at, ",\n");
		_cleanup_free_ char *term = strndup(at, len);
		struct error *err = NULL;

		if (!term)
			return &error_no_memory;
		/* The text of an alias is not in the user's text, so it has no position there. */
		if (len)
			err = apply_one(t, term, t->depth ? 0 : at - terms);
		if (err)
			return err;
		at += len;
		if (*at != ',')
			return NULL;
		at++;
	}
}

struct error *event_terms_apply(struct event_spec *spec, const char *pmu, const char *terms,
				const char *whole, size_t pos)
{
	struct terms t = { .spec = spec, .pmu = pmu, .whole = whole, .pos = pos };

	return apply(&t, terms);
}

/*
 * Split "PMU/EVENT/u".  The caller frees *ret_pmu, which *ret_name points into. false: not such an
 * event.
 */
static bool split_pmu_event(const char *event, char **ret_pmu, char **ret_name)
{
	char *slash, *end;

	*ret_pmu = strdup(event);
	slash = *ret_pmu ? strchr(*ret_pmu, '/') : NULL;
	end = slash ? strchr(slash + 1, '/') : NULL;
	if (!end)
		return false;
	*slash = '\0';
	*end = '\0';
	*ret_name = slash + 1;
	return true;
}

bool event_terms_cpus(const char *event, struct cpumap *ret)
{
	_cleanup_free_ char *pmu = NULL, *text = NULL;
	struct error *err;
	char *name;

	if (!split_pmu_event(event, &pmu, &name))
		return false;
	text = pmu_text(pmu, "", "cpumask");
	if (!text)
		return false;
	err = cpumap_parse(text, ret);
	error_free(err);
	return !err;
}

/* Returns the text of an event's file such as "energy-pkg.unit", or NULL; free() it. */
static char *pmu_event_text(const char *pmu, const char *name, const char *what)
{
	_cleanup_(strbuf) struct strbuf file = STRBUF_INIT;

	strbuf_addf(&file, "%s.%s", name, what);
	return file.failed ? NULL : pmu_text(pmu, "events", file.data);
}

void event_terms_unit(const char *event, char *unit, size_t size, double *ret_scale)
{
	_cleanup_free_ char *pmu = NULL, *text = NULL, *scale = NULL;
	char *name;

	*unit = '\0';
	*ret_scale = 1;
	if (!split_pmu_event(event, &pmu, &name))
		return;
	text = pmu_event_text(pmu, name, "unit");
	scale = pmu_event_text(pmu, name, "scale");
	if (text)
		snprintf(unit, size, "%s", text);
	if (scale && strtod(scale, NULL) > 0)
		*ret_scale = strtod(scale, NULL);
}

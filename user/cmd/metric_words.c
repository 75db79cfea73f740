// SPDX-License-Identifier: GPL-2.0
#include "cmd/metric_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/feature.h"
#include "lib/array.h"
#include "lib/own_path.h"
#include "lib/plugin.h"
#include "lib/strbuf.h"
#include "spec/event_names.h"
#include "spec/event_terms.h"

struct error *metric_words_read(const char *const *files, size_t nr, struct metrics *ret)
{
	_cleanup_(strbuf) struct strbuf own = STRBUF_INIT;
	metric_file_read_fn read_file;
	struct error *err;
	void *found;

	err = plugin_find("metrics", "metric_file_read", &found);
	if (err)
		return error_prefix(err, "Metrics cannot be read");
	read_file = (metric_file_read_fn)found;
	strbuf_addf(&own, "%s/scripts/metrics", own_path());
	err = own.failed ? &error_no_memory : read_file(own.data, ret);
	for (size_t i = 0; !err && i < nr; i++)
		err = read_file(files[i], ret);
	return err;
}

/* ---- the names of events ----------------------------------------------------- */

/* Append the event that a text names alone, or nothing. */
static bool metric_add_plain(const char *text, struct event_specs *specs)
{
	size_t nr = specs->nr;
	struct error *err;

	if (strpbrk(text, "*[{} ") || (strchr(text, ',') && !strchr(text, '/')))
		return false;
	err = event_specs_add(specs, text);
	error_free(err);
	return !err && specs->nr == nr + 1;
}

/* "software/cpu-clock,name=cpu-clock/" is how tables name an event that has a name by itself. */
static bool metric_add_software(const char *name, struct event_specs *specs)
{
	const char *at = strchr(name, '/');
	_cleanup_free_ char *word = NULL;

	if (strncmp(name, "software/", 9))
		return false;
	word = strndup(at + 1, strcspn(at + 1, ",/"));
	return word && metric_add_plain(word, specs);
}

struct metric_pmu_search {
	const char *name;
	size_t len;		/* of the name without its modifiers */
	char *found;		/* "armv8_pmuv3/l1d_cache/"; owned */
};

/*
 * Whether "armv8_pmuv3/l1d_cache/" is the event of a processor that is called L1D_CACHE: the lists
 * of the kernel have the names of the architecture in lower case.  *behind: the modifiers.
 */
static bool metric_is_of_pmu(const char *event, const char *name, size_t len, const char **behind)
{
	const char *at = strchr(event, '/');

	if (!at || (strncmp(event, "cpu", 3) && strncmp(event, "arm", 3)) ||
	    strncasecmp(at + 1, name, len) || at[1 + len] != '/')
		return false;
	*behind = at + 1 + len + 1;
	return true;
}

static void metric_look_at_pmu(void *data, const char *event)
{
	struct metric_pmu_search *search = data;
	const char *behind;

	if (!search->found &&
	    metric_is_of_pmu(event, search->name, search->len, &behind) && !*behind)
		search->found = strdup(event);
}

static char *metric_find_in_pmu(const char *name, size_t len)
{
	struct metric_pmu_search search = { .name = name, .len = len };

	event_terms_list(metric_look_at_pmu, &search);
	return search.found;
}

static bool metric_add_with_modifiers(const char *event, const char *modifiers,
				      struct event_specs *specs)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s%s", event, *modifiers ? modifiers + 1 : "");
	return !text.failed && metric_add_plain(text.data, specs);
}

static bool metric_add_of_pmu(const char *name, struct event_specs *specs)
{
	size_t len = strcspn(name, ":");
	_cleanup_free_ char *event = metric_find_in_pmu(name, len);

	return event && metric_add_with_modifiers(event, name + len, specs);
}

/* The PMU of the processor, for events that only have numbers. */
static const char *metric_core_pmu(void)
{
	static const char *const names[] = { "cpu", "armv8_pmuv3", "armv8_pmuv3_0", "cpu_core" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event_spec spec = { 0 };

		if (event_terms_find_pmu(&spec, names[i]))
			return names[i];
	}
	return NULL;
}

static bool metric_add_of_file(const struct metrics *metrics, const char *name,
			       struct event_specs *specs)
{
	size_t len = strcspn(name, ":");
	_cleanup_free_ char *word = strndup(name, len);
	const struct metric_event *event = word ? metrics_find_event(metrics, word) : NULL;
	const char *pmu = event && event->pmu ? event->pmu : metric_core_pmu();
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (!event || !pmu)
		return false;
	strbuf_addf(&text, "%s/%s,name=%s/", pmu, event->terms, event->name);
	return !text.failed && metric_add_with_modifiers(text.data, name + len, specs);
}

struct error *metric_words_add_event(const struct metrics *metrics, const char *name,
				     struct event_specs *specs)
{
	if (metric_add_software(name, specs) || metric_add_plain(name, specs) ||
	    metric_add_of_file(metrics, name, specs) || metric_add_of_pmu(name, specs))
		return NULL;
	return error_hint(error_new(ENOENT, "This machine has no event '%s'", name),
			  "--metric-file reads lists of events, too, such as those in "
			  "tools/perf/pmu-events of the kernel's sources");
}

/* Whether two names, which end at @len and @other_len, are one event that perf knows. */
static bool metric_is_alias(const char *name, size_t len, const char *other, size_t other_len)
{
	_cleanup_free_ char *a = strndup(name, len), *b = strndup(other, other_len);
	const struct event_name *known = a ? event_names_find(a) : NULL;

	return b && known && known == event_names_find(b);
}

bool metric_words_is_recorded(const struct metrics *metrics, const char *name,
			      const char *recorded)
{
	size_t len = strcspn(name, ":"), recorded_len = strcspn(recorded, ":");
	const char *behind = recorded + recorded_len, *modifiers = name + len;

	if (!strcmp(name, recorded))
		return true;
	if (!strncmp(name, "software/", 9)) {
		modifiers = strrchr(name, '/') + 1;
		name += 9;
		len = strcspn(name, ",/");
	}
	if (metric_is_of_pmu(recorded, name, len, &behind))
		return !strcmp(behind + (*behind == ':'), modifiers + (*modifiers == ':'));
	if (strcmp(behind + (*behind == ':'), modifiers + (*modifiers == ':')))
		return false;
	if (metric_is_alias(name, len, recorded, recorded_len))
		return true;
	/* Events of files have names in upper or lower case. */
	return len == recorded_len && !strncasecmp(name, recorded, len) &&
	       metrics_find_event(metrics, name);
}

bool metric_words_has_event(const struct metrics *metrics, const char *name)
{
	struct event_specs specs = { 0 };
	struct error *err = metric_words_add_event(metrics, name, &specs);
	struct perf_event_attr attr = { .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1 };
	int fd = -1;

	if (!err) {
		attr.type = specs.items[0].type;
		attr.config = specs.items[0].config;
		attr.config1 = specs.items[0].config1;
		attr.config2 = specs.items[0].config2;
		attr.size = sizeof(attr);
		fd = feature_perf_event_open(&attr, 0, -1, -1, 0);
	}
	if (fd >= 0)
		close(fd);
	error_free(err);
	event_specs_deinit(&specs);
	return fd >= 0;
}

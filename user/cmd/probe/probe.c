// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/log.h"
#include "probe/binary.h"
#include "probe/cache.h"
#include "probe/describe.h"
#include "probe/make.h"
#include "probe/show.h"
#include "probe/store.h"
#include "symbol/binary_cache.h"
#include "terminal/pager.h"

/* ktrace probe --list --cache and --del --cache: the definitions in the cache (probe/cache.h). */

static bool is_listed(const struct kept_probe *probe, const char *const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (kept_probe_is_named(probe, texts[i]))
			return true;
	return !nr;
}

/* Print the definitions that the @nr texts "[GROUP:]EVENT" name, or all; the texts may be globs. */
static struct error *probe_cache_list(const char *const *texts, size_t nr)
{
	_cleanup_(cached_binaries) struct cached_binaries all = { 0 };
	struct error *err = binary_cache_list(&all);

	if (err)
		return err;
	pager_start();
	for (size_t i = 0; i < all.nr; i++) {
		_cleanup_(probe_cache) struct probe_cache cache = { 0 };
		char id[BUILD_ID_TEXT];
		bool told = false;

		err = probe_cache_read(all.items[i].name, &all.items[i].id, &cache);
		if (err)
			return err;
		build_id_text(&cache.id, id);
		for (size_t n = 0; n < cache.probes.nr; n++) {
			if (!is_listed(&cache.probes.items[n], texts, nr))
				continue;
			if (!told)
				printf("%s (%s):\n", cache.name, id);
			told = true;
			printf("%s\n", cache.probes.items[n].definition);
		}
	}
	return NULL;
}

/* Delete the definitions that @text names in one cache; *found: there were some. */
static struct error *delete_in(struct probe_cache *cache, const char *text, bool dry_run,
			       bool *found)
{
	bool changed = false;

	for (size_t i = cache->probes.nr; i-- > 0;) {
		if (!kept_probe_is_named(&cache->probes.items[i], text))
			continue;
		if (!log_quiet)
			fprintf(stderr, "%s cached event: %s\n", dry_run ? "Would remove" : "Removed",
				cache->probes.items[i].definition);
		*found = true;
		if (dry_run)
			continue;
		probe_cache_remove(cache, i);
		changed = true;
	}
	return changed ? probe_cache_write(cache) : NULL;
}

static struct error *delete_anywhere(const char *text, bool dry_run, bool *found)
{
	_cleanup_(cached_binaries) struct cached_binaries all = { 0 };
	struct error *err = binary_cache_list(&all);

	for (size_t i = 0; !err && i < all.nr; i++) {
		_cleanup_(probe_cache) struct probe_cache cache = { 0 };

		err = probe_cache_read(all.items[i].name, &all.items[i].id, &cache);
		if (!err)
			err = delete_in(&cache, text, dry_run, found);
	}
	return err;
}

static struct error *delete_of(const struct probe_binary_options *options, const char *text,
			       bool dry_run, bool *found)
{
	_cleanup_(probe_binary) struct probe_binary binary = { 0 };
	_cleanup_(probe_cache) struct probe_cache cache = { 0 };
	struct error *err = probe_binary_open(options, &binary);

	if (!err)
		err = probe_cache_open(&binary, &cache);
	return err ? err : delete_in(&cache, text, dry_run, found);
}

/*
 * Delete the definitions that @text names, of one binary or, where the options name no binary, of
 * all.  ENOENT: it names none.  @dry_run: only print them.
 */
static struct error *probe_cache_delete(const struct probe_binary_options *options,
					const char *text, bool dry_run)
{
	bool named = options->program || options->module || options->vmlinux, found = false;
	struct error *err;

	err = named ? delete_of(options, text, dry_run, &found) :
		      delete_anywhere(text, dry_run, &found);
	if (err || found)
		return err;
	return error_hint(error_new(ENOENT, "The cache has no probe named '%s'", text),
			  "'ktrace probe -l --cache' lists them");
}

/* The default of --filter for -F and -V, as in perf. */
#define PROBE_FUNCTIONS_FILTER "!_*&!*@plt"
#define PROBE_VARIABLES_FILTER "!__k???tab_*&!__crc_*"
#define PROBE_MAX_PLACES 1024

enum probe_action {
	PROBE_NOTHING = 0,
	PROBE_ADD,
	PROBE_DEFINITION,
	PROBE_DELETE,
	PROBE_LIST,
	PROBE_LINES,
	PROBE_VARIABLES,
	PROBE_FUNCTIONS,
};

static const char *const action_options[] = {
	NULL, "--add", "--definition", "--del", "--list", "--line", "--vars", "--funcs",
};

struct made_probe {
	size_t first;	/* its first event */
	bool kept;	/* its events come from the cache */
};

struct probe_command {
	enum probe_action action;
	ARRAY_OF(const char *) texts;	/* arguments of the action */
	ARRAY_OF(struct made_probe) made;	/* of each text */
	struct probe_binary_options binary;
	struct probe_make_options make;
	const char *filter;
	bool force, dry_run, externs, ranges, cache;
	bool mangled, demangle_kernel, demangle;
};

static struct error *probe_choose(struct probe_command *p, enum probe_action action,
				  const char *text)
{
	if (p->action && p->action != action)
		return error_new(EINVAL, "probe takes one of %s and %s", action_options[p->action],
				 action_options[action]);
	p->action = action;
	if (text && !array_push(&p->texts, text))
		return &error_no_memory;
	return NULL;
}

#define PROBE_OPTION(name, action)						\
	static struct error *probe_option_##name(void *data, const char *argument) \
	{									\
		return probe_choose(data, action, argument);			\
	}

PROBE_OPTION(add, PROBE_ADD)
PROBE_OPTION(definition, PROBE_DEFINITION)
PROBE_OPTION(delete, PROBE_DELETE)
PROBE_OPTION(list, PROBE_LIST)
PROBE_OPTION(lines, PROBE_LINES)
PROBE_OPTION(variables, PROBE_VARIABLES)
PROBE_OPTION(functions, PROBE_FUNCTIONS)

/* Options of perf, and their replacements. */

/* As with perf, a first argument that is the absolute path of a file names the binary. */
static bool probe_names_binary(const struct probe_command *p, const char *word)
{
	/* "/src/main.c:7" and "/src/main.c;TEXT" are locations in a source with this path. */
	return word && *word == '/' && !strpbrk(word, ":;") && !p->texts.nr && !p->binary.program &&
	       !p->binary.module && !p->binary.vmlinux;
}

/* As with perf, further words are arguments of the last definition, or the first one. */
static struct error *probe_take_words(struct probe_command *p, char **words, char **ret_joined)
{
	_cleanup_(strbuf) struct strbuf joined = STRBUF_INIT;

	if (p->action == PROBE_DELETE || p->action == PROBE_LIST || p->action == PROBE_FUNCTIONS) {
		for (; *words; words++)
			if (!array_push(&p->texts, (const char *)*words))
				return &error_no_memory;
		return NULL;
	}
	if (probe_names_binary(p, *words)) {
		size_t len = strlen(*words);

		if (len > 3 && !strcmp(*words + len - 3, ".ko"))
			p->binary.module = *words++;
		else
			p->binary.program = *words++;
	}
	if (!*words)
		return NULL;
	if (p->texts.nr)
		strbuf_addstr(&joined, p->texts.items[--p->texts.nr]);
	for (; *words; words++)
		strbuf_addf(&joined, "%s%s", joined.len ? " " : "", *words);
	if (joined.failed)
		return &error_no_memory;
	*ret_joined = take_ptr(joined.data);
	return probe_choose(p, p->action ? p->action : PROBE_ADD, *ret_joined);
}

/* Append the events of a definition in the cache, if it is to be looked up and exists. */
static struct error *probe_take_kept(const struct probe_command *p,
				     const struct probe_binary *binary, const char *text,
				     struct probe_events *events)
{
	bool named = p->binary.program || p->binary.module || p->binary.vmlinux;
	_cleanup_(probe_cache) struct probe_cache cache = { 0 };
	struct error *err;

	if (*text == '%' && !named)
		return probe_cache_take_anywhere(text, events);
	if (*text != '%' && !p->cache)
		return NULL;
	err = probe_cache_open(binary, &cache);
	/* "%libc:setjmp" may be a marker. */
	if (err && !p->cache) {
		error_free(err);
		return NULL;
	}
	return err ? err : probe_cache_take(&cache, text, events);
}

/* Print the events of a definition, from @first on. */
static void probe_tell_added(const struct probe_definition *definition, const char *place,
			     const struct probe_events *events, size_t first, struct strbuf *added)
{
	for (size_t n = first; n < events->nr; n++) {
		const struct probe_event *event = &events->items[n];
		size_t from = added->len;

		strbuf_addf(added, "  %s:%s", event->group, event->name);
		strbuf_pad(added, from + 22, ' ');
		strbuf_addf(added, " (on %s", place);
		if (event->binary)
			strbuf_addf(added, " in %s", event->binary);
		for (size_t a = 0; a < definition->args.nr; a++)
			strbuf_addf(added, "%s %s%s%s", a ? "" : " with",
				    definition->args.items[a].name ? : "",
				    definition->args.items[a].name ? "=" : "",
				    definition->args.items[a].text);
		strbuf_addstr(added, ")\n");
	}
}

/* With -v, print the locations of a definition in perf's format. */
static void probe_tell_places(const struct probe_command *p, const struct probe_events *events,
			      size_t first)
{
	_cleanup_(probe_describer) struct probe_describer describer = {
		.of = { .vmlinux = p->binary.vmlinux },
	};

	if (log_verbosity < 1)
		return;
	for (size_t i = first; i < events->nr; i++) {
		_cleanup_(strbuf) struct strbuf place = STRBUF_INIT;

		probe_describe(&describer, &events->items[i], &place);
		log_debug("Probe point found: %s.", strbuf_str(&place));
	}
	log_debug("Found %zu probe_trace_events.", events->nr - first);
}

/* Create the events of one definition, with names. */
static struct error *probe_make_one(struct probe_command *p, const struct probe_binary *binary,
				    const struct probe_events *existing, const char *text,
				    struct probe_events *events, struct strbuf *added)
{
	_cleanup_(probe_definition) struct probe_definition definition = { 0 };
	_cleanup_(strbuf) struct strbuf place = STRBUF_INIT;
	size_t first = events->nr;
	struct error *err = probe_take_kept(p, binary, text, events);
	bool kept = events->nr > first;

	log_debug("probe-definition(%zu): %s.", p->made.nr - 1, text);
	p->made.items[p->made.nr - 1].kept = kept;
	if (!err && !kept && *text == '%' && !strchr(text, ':'))
		err = error_hint(error_new(ENOENT, "The cache has no probe named '%s'", text + 1),
				 "'ktrace probe -l --cache' lists them, and a marker of a program is "
				 "named as in %%libc:setjmp");
	if (!err && !(kept && *text == '%'))
		err = probe_definition_parse(text, &definition);
	if (!err && !kept)
		err = probe_make(binary, &definition, &p->make, events);
	if (!err)
		err = probe_store_name(existing, events, first, p->force);
	if (err)
		return err;
	if (definition.text)
		probe_definition_add_place(&definition, &place);
	else
		strbuf_addstr(&place, text);
	probe_tell_places(p, events, first);
	probe_tell_added(&definition, strbuf_str(&place), events, first, added);
	return NULL;
}

static struct error *probe_make_all(struct probe_command *p, const struct probe_binary *binary,
				    const struct probe_events *existing,
				    struct probe_events *events, struct strbuf *added)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < p->texts.nr; i++) {
		if (!array_push(&p->made, ((struct made_probe){ events->nr, false })))
			return &error_no_memory;
		err = probe_make_one(p, binary, existing, p->texts.items[i], events, added);
	}
	return err;
}

/* Store the new events in the cache.  If that fails, they are removed again. */
static struct error *probe_keep(const struct probe_command *p, const struct probe_binary *binary,
				const struct probe_events *events)
{
	_cleanup_(probe_cache) struct probe_cache cache = { 0 };
	struct error *err = NULL;

	for (size_t i = 0; !err && i < p->texts.nr; i++) {
		size_t first = p->made.items[i].first;
		size_t end = i + 1 < p->made.nr ? p->made.items[i + 1].first : events->nr;

		if (p->made.items[i].kept || *p->texts.items[i] == '%')
			continue;
		if (!cache.name)
			err = probe_cache_open(binary, &cache);
		if (!err)
			err = probe_cache_put(&cache, p->texts.items[i], events->items + first,
					      end - first);
	}
	if (!err && cache.name)
		err = probe_cache_write(&cache);
	/* All that was asked for, or nothing. */
	for (size_t i = 0; err && i < events->nr; i++)
		error_free(probe_store_remove(&events->items[i]));
	return err;
}

static struct error *probe_need_text(const struct probe_command *p, const char *example)
{
	if (p->texts.nr)
		return NULL;
	return error_hint(error_new(EINVAL, "probe %s needs an argument",
				    action_options[p->action]),
			  "As in: ktrace probe %s", example);
}

static struct error *probe_definitions(struct probe_command *p)
{
	_cleanup_(probe_binary) struct probe_binary binary = { 0 };
	_cleanup_(probe_events) struct probe_events events = { 0 }, none = { 0 };
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT, added = STRBUF_INIT;
	struct error *err = probe_need_text(p, "-D 'vfs_read count'");

	if (!err)
		err = probe_binary_open(&p->binary, &binary);
	if (!err)
		err = probe_make_all(p, &binary, &none, &events, &added);
	if (err)
		return err;
	for (size_t i = 0; i < events.nr; i++) {
		probe_event_add_text(&events.items[i], &out);
		strbuf_addch(&out, '\n');
	}
	if (out.failed)
		return &error_no_memory;
	fputs(out.data, stdout);
	return NULL;
}

/* Addresses in this file differ from those in the running code. */
static struct error *probe_refuse_offline(const struct probe_binary *binary)
{
	if (!binary->module)
		return error_hint(error_new(EINVAL, "Probes in the file %s can only be shown (-D), "
					    "because another kernel is running", binary->path),
				  "Name the vmlinux of the running kernel, or leave out -k");
	return error_hint(error_new(EINVAL, "Probes in the file %s can only be shown (-D), for the "
				    "module %s that is loaded was made of another file", binary->path,
				    binary->module),
			  "Load this file, or name the module: -m %s", binary->module);
}

static struct error *probe_add(struct probe_command *p)
{
	_cleanup_(probe_binary) struct probe_binary binary = { 0 };
	_cleanup_(probe_events) struct probe_events events = { 0 }, existing = { 0 };
	_cleanup_(strbuf) struct strbuf added = STRBUF_INIT;
	struct error *err = probe_need_text(p, "-a 'vfs_read count'");

	if (!err && !p->dry_run)
		err = probe_store_read(&existing);
	if (!err)
		err = probe_binary_open(&p->binary, &binary);
	if (!err && binary.offline && !p->dry_run)
		err = probe_refuse_offline(&binary);
	if (!err)
		err = probe_make_all(p, &binary, &existing, &events, &added);
	if (!err)
		err = p->dry_run ? probe_store_tell(&events) : probe_store_add(&events);
	if (!err && !p->dry_run && p->cache)
		err = probe_keep(p, &binary, &events);
	if (err)
		return err;
	if (added.failed)
		return &error_no_memory;
	if (binary.unloaded && binary.file)
		log_notice("The module %s is not loaded; the kernel places the probe when it is.",
			   binary.module);
	if (!log_quiet)
		fprintf(stderr, "%s new event%s:\n%s", p->dry_run ? "Would add" : "Added",
			events.nr > 1 ? "s" : "", strbuf_str(&added));
	if (!log_quiet && !p->dry_run)
		fprintf(stderr, "\nYou can now use it in all tools, such as:\n\n"
			"\tktrace record -e %s:%s -a sleep 1\n\n", events.items[events.nr - 1].group,
			events.items[events.nr - 1].name);
	return NULL;
}

/* Whether another location of the event was removed, and this one with it. */
static bool probe_is_removed(const struct probe_events *events, const bool *removed, size_t index)
{
	const struct probe_event *event = &events->items[index];

	for (size_t i = 0; i < events->nr; i++)
		if (removed[i] && !strcmp(events->items[i].name, event->name) &&
		    !strcmp(events->items[i].group, event->group))
			return true;
	return false;
}

/*
 * Remove the events that one word names.  An event with several locations is in the list once for
 * each, and these need not be adjacent.
 */
static struct error *probe_delete_named(struct probe_command *p, const struct probe_events *events,
					const char *text, bool *removed)
{
	struct error *err = NULL;
	bool found = false;

	for (size_t i = 0; !err && i < events->nr; i++) {
		const struct probe_event *event = &events->items[i];

		if (!probe_name_matches(event->group, event->name, text))
			continue;
		found = true;
		if (probe_is_removed(events, removed, i))
			continue;
		if (!p->dry_run)
			err = probe_store_remove(event);
		if (!err && !log_quiet)
			fprintf(stderr, "%s event: %s:%s\n", p->dry_run ? "Would remove" : "Removed",
				event->group, event->name);
		removed[i] = true;
	}
	if (err || found)
		return err;
	err = error_new(ENOENT, "No probe is named '%s'", text);
	return error_hint(err, "'ktrace probe -l' lists the probes");
}

static struct error *probe_delete(struct probe_command *p)
{
	_cleanup_(probe_events) struct probe_events events = { 0 };
	struct error *err = probe_need_text(p, "-d 'probe:*'");
	_cleanup_free_ bool *removed = NULL;

	if (!err && p->cache) {
		for (size_t i = 0; !err && i < p->texts.nr; i++)
			err = probe_cache_delete(&p->binary, p->texts.items[i], p->dry_run);
		return err;
	}
	if (!err)
		err = probe_store_read(&events);
	removed = calloc(events.nr + 1, sizeof(*removed));
	if (!err && !removed)
		err = &error_no_memory;
	for (size_t i = 0; !err && i < p->texts.nr; i++)
		err = probe_delete_named(p, &events, p->texts.items[i], removed);
	return err;
}

static struct error *probe_list(struct probe_command *p)
{
	_cleanup_(probe_events) struct probe_events events = { 0 };
	_cleanup_(probe_describer) struct probe_describer describer = {
		.of = { .vmlinux = p->binary.vmlinux },
	};
	struct error *err;

	if (p->cache)
		return probe_cache_list(p->texts.items, p->texts.nr);
	err = probe_store_read(&events);
	if (err)
		return err;
	pager_start();
	for (size_t i = 0; i < events.nr; i++) {
		_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;
		const struct probe_event *event = &events.items[i];
		bool wanted = !p->texts.nr;

		for (size_t t = 0; t < p->texts.nr; t++)
			wanted |= probe_name_matches(event->group, event->name,
						     p->texts.items[t]);
		if (!wanted)
			continue;
		strbuf_addf(&line, "  %s:%s", event->group, event->name);
		strbuf_pad(&line, 22, ' ');
		strbuf_addstr(&line, " (on ");
		probe_describe(&describer, event, &line);
		if (line.failed)
			return &error_no_memory;
		printf("%s)\n", line.data);
	}
	return NULL;
}

static struct error *probe_show_variables(struct probe_command *p,
					  const struct probe_binary *binary, const char *text,
					  struct strbuf *out)
{
	_cleanup_(probe_definition) struct probe_definition definition = { 0 };
	const struct show_variables_options options = {
		p->make.places, p->externs, p->ranges,
		p->filter ? p->filter : PROBE_VARIABLES_FILTER,
	};
	struct error *err = probe_definition_parse(text, &definition);

	if (err)
		return err;
	if (definition.args.nr)
		return error_new(EINVAL, "--vars takes places without arguments, not '%s'", text);
	return show_variables(binary, &definition, &options, out);
}

static struct error *probe_show(struct probe_command *p)
{
	_cleanup_(probe_binary) struct probe_binary binary = { 0 };
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	struct error *err = NULL;

	if (p->action != PROBE_FUNCTIONS)
		err = probe_need_text(p, p->action == PROBE_LINES ? "-L vfs_read" : "-V vfs_read");
	else if (!p->texts.nr && probe_choose(p, PROBE_FUNCTIONS, p->filter ? p->filter :
					      PROBE_FUNCTIONS_FILTER))
		err = &error_no_memory;
	if (!err)
		err = probe_binary_open(&p->binary, &binary);
	for (size_t i = 0; !err && i < p->texts.nr; i++) {
		const char *text = p->texts.items[i];

		if (p->action == PROBE_FUNCTIONS)
			err = show_functions(&binary, text, p->binary.program ?
					     !p->mangled : p->demangle_kernel, &out);
		else if (p->action == PROBE_LINES)
			err = show_lines(&binary, text, p->make.places.source, &out);
		else
			err = probe_show_variables(p, &binary, text, &out);
	}
	if (err)
		return err;
	pager_start();
	fputs(strbuf_str(&out), stdout);
	return NULL;
}

static struct error *probe_run(struct probe_command *p)
{
	switch (p->action) {
	case PROBE_ADD:
		return probe_add(p);
	case PROBE_DEFINITION:
		return probe_definitions(p);
	case PROBE_DELETE:
		return probe_delete(p);
	case PROBE_LIST:
		return probe_list(p);
	case PROBE_NOTHING:
		return error_hint(error_new(EINVAL, "probe needs a probe to add, or an option"),
				  "'ktrace probe FUNCTION' adds a probe, 'ktrace probe --help' "
				  "lists the options");
	default:
		return probe_show(p);
	}
}

static struct error *probe_check(const struct probe_command *p)
{
	if (p->binary.program && (p->binary.module || p->binary.vmlinux))
		return error_new(EINVAL, "probe takes one of -x, -m and -k");
	if (p->binary.module && p->binary.vmlinux)
		return error_new(EINVAL, "probe takes one of -m and -k");
	if (p->binary.pid && !p->binary.program)
		return error_new(EINVAL, "--target-ns needs a program (-x)");
	if (p->cache && p->action > PROBE_LIST)
		return error_new(EINVAL, "--cache keeps definitions of probes, and %s defines none",
				 action_options[p->action]);
	if (p->cache && p->binary.pid)
		return error_hint(error_new(EINVAL, "--cache stores probes under the file's path "
					    "here, so --target-ns cannot be used"),
				  "Name the file by its path here: -x /proc/%u/root/...",
				  p->binary.pid);
	return NULL;
}

struct error *cmd_probe(int argc, char **argv, int *ret_status)
{
	struct probe_command p = { .make.places.max = PROBE_MAX_PLACES };
	const struct option_spec options[] = {
		OPT_CALL("add", &p, probe_option_add),
		OPT_CALL("definition", &p, probe_option_definition),
		OPT_CALL("del", &p, probe_option_delete),
		OPT_CALL_NEXT("list", &p, probe_option_list),
		OPT_CALL("line", &p, probe_option_lines),
		OPT_CALL("vars", &p, probe_option_variables),
		OPT_CALL_NEXT("funcs", &p, probe_option_functions),
		OPT_STRING("exec", &p.binary.program),
		OPT_STRING("module", &p.binary.module),
		OPT_STRING("vmlinux", &p.binary.vmlinux),
		OPT_STRING("source", &p.make.places.source),
		OPT_UINT("target-ns", &p.binary.pid),
		OPT_STRING("filter", &p.filter),
		OPT_FLAG("externs", &p.externs),
		OPT_FLAG("range", &p.ranges),
		OPT_FLAG("no-inlines", &p.make.places.no_inlines),
		OPT_UINT("max-probes", &p.make.places.max),
		OPT_FLAG("no-demangle", &p.mangled),
		OPT_FLAG("demangle", &p.demangle, .hidden = true),
		OPT_FLAG("demangle-kernel", &p.demangle_kernel),
		OPT_FLAG("cache", &p.cache),
		OPT_FLAG("force", &p.force),
		OPT_FLAG("dry-run", &p.dry_run),
		OPT_FLAG("quiet", &log_quiet),
		OPT_COUNT("verbose", &log_verbosity),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "probe",
		.synopsis = "[OPTIONS] [[GROUP:]EVENT=]FUNC[@SRC][+OFFS|%return|:LINE|;TEXT] [ARG...]",
		.details = "; or SRC:LINE, SRC;TEXT, sdt_PROVIDER:NAME; an ARG is a variable as in "
			   "size, sk->sk_family, name:string, or $retval, $params, $vars, %REG; "
			   "%[GROUP:]EVENT is a probe from the cache (--cache)",
		.options = options,
	};
	_cleanup_free_ char *joined = NULL;
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0) {
		free(p.texts.items);
		return err;
	}
	err = probe_take_words(&p, argv + index, &joined);
	if (!err)
		err = probe_check(&p);
	if (!err)
		err = probe_run(&p);
	free(p.texts.items);
	free(p.made.items);
	*ret_status = 0;
	return err;
}

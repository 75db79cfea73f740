// SPDX-License-Identifier: GPL-2.0
#include "spec/event_spec.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "spec/caret.h"
#include "spec/event_names.h"
#include "spec/event_terms.h"
#include "terminal/options.h"

#define MODIFIERS "ukhGHpPSDeWb"

struct parser {
	struct event_specs *specs;
	const char *text;	/* the whole argument, for carets */
	uint32_t group;		/* of the {} that is parsed; 0: none */
	const char *group_modifiers;
};

/* One event of the argument. */
struct word {
	const char *text;	/* NUL-terminated copy */
	size_t pos;		/* its position in the argument */
};

static void event_spec_deinit(struct event_spec *spec)
{
	free(spec->system);
	free(spec->name);
	free(spec->text);
	free(spec->filter);
	free(spec->cgroup);
}

static void truncate_specs(struct event_specs *specs, size_t nr)
{
	while (specs->nr > nr)
		event_spec_deinit(&specs->items[--specs->nr]);
}

void event_specs_deinit(struct event_specs *specs)
{
	truncate_specs(specs, 0);
	free(specs->items);
	*specs = (struct event_specs){ 0 };
}

/* Append @spec; the list then owns its strings. */
static struct error *push_spec(struct parser *p, struct event_spec spec, const char *modifiers)
{
	size_t len = strlen(modifiers), more = p->group_modifiers ? strlen(p->group_modifiers) : 0;

	spec.group = p->group;
	spec.nr_own_modifiers = len;
	if (len + more < sizeof(spec.modifiers)) {
		memcpy(spec.modifiers, modifiers, len);
		memcpy(spec.modifiers + len, p->group_modifiers ? p->group_modifiers : "", more);
	}
	if (!spec.name || !spec.text || !array_push(p->specs, spec)) {
		event_spec_deinit(&spec);
		return &error_no_memory;
	}
	return NULL;
}

/* Check the modifiers at @pos of the argument. */
static struct error *check_modifiers(struct parser *p, const char *modifiers, size_t pos)
{
	size_t precise = 0;

	for (size_t i = 0; modifiers[i]; i++) {
		if (!strchr(MODIFIERS, modifiers[i]))
			return error_hint(caret_error(p->text, pos + i,
						      "'%c' is not an event modifier", modifiers[i]),
					  "The modifiers are u k h G H p P S D e W");
		precise += modifiers[i] == 'p';
		if ((modifiers[i] != 'p' && strchr(modifiers + i + 1, modifiers[i])) || precise > 3)
			return caret_error(p->text, pos + i, "The event modifier '%c' is given "
					   "too often",
					   modifiers[i]);
	}
	return NULL;
}

static struct error *unknown_tracepoint(struct parser *p, const struct word *w, size_t name_pos,
					const char *system, const char *name)
{
	struct error *why = tracefs_unknown_event(system, name);
	struct error *err;

	if (!why || why->code == EACCES || why->code == EPERM || why == &error_no_memory)
		return why;
	err = caret_error(p->text, w->pos + name_pos, "%s", why->message);
	err->code = why->code;
	if (why->hint)
		error_hint(err, "%s", why->hint);
	error_free(why);
	return err;
}

static struct error *add_tracepoints(struct parser *p, const struct word *w, const char *system,
				     const char *name, const char *modifiers)
{
	struct tracepoint_names names = { 0 };
	struct error *err;

	err = tracefs_find(system, name, &names);
	if (!err && !names.nr) {
		struct tracepoint_names any = { 0 };

		/* Put the caret under the wrong part, system or name. */
		err = tracefs_find(system, "*", &any);
		if (!err)
			err = unknown_tracepoint(p, w, any.nr ? strlen(system) + 1 : 0,
						 system, name);
		tracepoint_names_deinit(&any);
	}
	for (size_t i = 0; !err && i < names.nr; i++) {
		struct event_spec spec = {
			.type = PERF_TYPE_TRACEPOINT,
			.from_glob = strpbrk(system, "*?[") || strpbrk(name, "*?["),
		};

		/*
		 * ftrace:function means all functions of the kernel, so only its own system names
		 * it.  '*:*' has always meant the events that tracefs can enable.
		 */
		if (!strcmp(names.items[i].system, "ftrace") && strcmp(system, "ftrace"))
			continue;
		err = tracefs_event_id(names.items[i].system, names.items[i].name, &spec.config);
		if (err)
			break;
		spec.system = strdup(names.items[i].system);
		spec.name = strdup(names.items[i].name);
		if (asprintf(&spec.text, "%s:%s", names.items[i].system, names.items[i].name) < 0)
			spec.text = NULL;
		err = push_spec(p, spec, modifiers);
	}
	tracepoint_names_deinit(&names);
	return err;
}

static struct error *spec_unknown_word(struct parser *p, const struct word *w, const char *name)
{
	struct tracepoint_names names = { 0 };
	const char *near = NULL;
	struct error *err;

	err = caret_error(p->text, w->pos, "There is no event '%s'", name);
	err->code = ENOENT;
	for (const struct event_name *e = event_names; e->name; e++) {
		near = word_nearer(name, near, e->name);
		if (e->alias)
			near = word_nearer(name, near, e->alias);
	}
	if (near)
		return error_hint(err, "Did you mean '%s'? 'ktrace list' lists the events", near);
	/* It may be a tracepoint without its system. */
	error_free(tracefs_find("*", name, &names));
	if (names.nr)
		error_hint(err, "Did you mean '%s:%s'? 'ktrace list' lists the events",
			   names.items[0].system, names.items[0].name);
	else
		error_hint(err, "'ktrace list' lists the events");
	tracepoint_names_deinit(&names);
	return err;
}

static struct error *bad_breakpoint(struct parser *p, const struct word *w, size_t pos,
				    const char *what)
{
	return error_hint(caret_error(p->text, w->pos + pos, "%s", what),
			  "Write mem:ADDRESS[/LENGTH][:ACCESS], ACCESS being r, w, rw or x");
}

/*
 * Add mem:addr[/len][:rwx][:modifiers].  As in perf, the defaults are rw and 4 bytes (x: a long).
 */
static struct error *add_breakpoint(struct parser *p, const struct word *w)
{
	struct event_spec spec = { .type = PERF_TYPE_BREAKPOINT };
	const char *at = w->text + strlen("mem:"), *modifiers = "";
	struct error *err;
	char *end;

	errno = 0;
	spec.bp_addr = strtoull(at, &end, 0);
	if (errno || end == at || !isdigit((unsigned char)*at))
		return bad_breakpoint(p, w, at - w->text, "The breakpoint needs an address");
	at = end;
	if (*at == '/') {
		spec.bp_len = strtoull(++at, &end, 0);
		if (end == at || !spec.bp_len || spec.bp_len > 8 ||
		    (spec.bp_len & (spec.bp_len - 1)))
			return bad_breakpoint(p, w, at - w->text,
					      "A breakpoint is 1, 2, 4 or 8 bytes long");
		at = end;
	}
	if (*at == ':' && at[1] && strchr("rwx", at[1])) {
		for (at++; *at && strchr("rwx", *at); at++)
			spec.bp_type |= *at == 'r' ? HW_BREAKPOINT_R :
					*at == 'w' ? HW_BREAKPOINT_W : HW_BREAKPOINT_X;
	}
	if (*at == ':') {
		modifiers = at + 1;
		err = check_modifiers(p, modifiers, w->pos + (modifiers - w->text));
		if (err)
			return err;
	} else if (*at) {
		return bad_breakpoint(p, w, at - w->text, "This is no part of a breakpoint");
	}
	if (!spec.bp_type)
		spec.bp_type = HW_BREAKPOINT_RW;
	if (!spec.bp_len)
		spec.bp_len = spec.bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	spec.name = strdup(w->text);
	spec.text = strdup(w->text);
	return push_spec(p, spec, modifiers);
}

/* Parse the number of a raw event, "r1a8". */
static bool parse_raw(const char *word, uint64_t *ret)
{
	size_t len = strlen(word);

	if (word[0] != 'r' || len < 2 || len > 17 || strspn(word + 1, "0123456789abcdefABCDEF") != len - 1)
		return false;
	*ret = strtoull(word + 1, NULL, 16);
	return true;
}

/* Look up the type and number of an event by name.  Returns false if the name is unknown. */
static bool find_name(const char *name, struct event_spec *ret)
{
	const struct event_name *known = event_names_find(name);

	if (known) {
		ret->type = known->type;
		ret->config = known->config;
	} else if (event_names_find_cache(name, &ret->config)) {
		ret->type = PERF_TYPE_HW_CACHE;
	} else if (parse_raw(name, &ret->config)) {
		ret->type = PERF_TYPE_RAW;
	} else {
		return false;
	}
	return true;
}

/* Add a PMU or a named event with terms: "cpu/event=1,umask=2/u". */
static struct error *add_with_terms(struct parser *p, const struct word *w)
{
	_cleanup_free_ char *name = strdup(w->text);
	struct event_spec spec = { 0 };
	char *terms, *modifiers;
	struct error *err;
	bool is_pmu;

	if (!name)
		return &error_no_memory;
	terms = strchr(name, '/');
	*terms++ = '\0';
	modifiers = strchr(terms, '/');
	if (!modifiers)
		return caret_error(p->text, w->pos + strlen(w->text),
				   "The terms do not end with a '/'");
	*modifiers++ = '\0';
	modifiers += *modifiers == ':';

	is_pmu = !find_name(name, &spec) && event_terms_find_pmu(&spec, name);
	if (!is_pmu && strchr(name, ':')) {
		err = event_terms_refuse(terms, p->text, w->pos + (terms - name));
		return err ? err : caret_error(p->text, w->pos + (terms - name),
					       "A tracepoint has no terms");
	}
	if (!is_pmu && !find_name(name, &spec))
		return error_hint(caret_error(p->text, w->pos, "There is no PMU '%s' in this machine",
					      name),
				  "'ls /sys/bus/event_source/devices' lists them");
	err = check_modifiers(p, modifiers, w->pos + (modifiers - name));
	if (err)
		return err;
	spec.name = strdup(w->text);
	spec.text = strdup(w->text);
	err = event_terms_apply(&spec, is_pmu ? name : NULL, terms, p->text,
				w->pos + (terms - name));
	if (err) {
		event_spec_deinit(&spec);
		return err;
	}
	return push_spec(p, spec, modifiers);
}

/* Add an event of a single name, such as "cycles:u". */
static struct error *spec_add_named(struct parser *p, const struct word *w, const char *name,
				    const char *modifiers, bool *ret_known)
{
	struct event_spec spec = { 0 };
	struct error *err;

	*ret_known = find_name(name, &spec);
	if (!*ret_known)
		return NULL;
	err = check_modifiers(p, modifiers, w->pos + strlen(name) + 1);
	if (err)
		return err;
	spec.name = strdup(name);
	spec.text = strdup(w->text);
	return push_spec(p, spec, modifiers);
}

static struct error *spec_add_word(struct parser *p, const struct word *w)
{
	_cleanup_free_ char *copy = strdup(w->text);
	char *colon, *second;
	struct error *err;
	bool known;

	if (!copy)
		return &error_no_memory;
	if (!*copy)
		return error_hint(caret_error(p->text, w->pos, "An event is missing"),
				  "'ktrace list' lists the events");
	if (!strncmp(copy, "mem:", 4))
		return add_breakpoint(p, w);
	if (strchr(copy, '/'))
		return add_with_terms(p, w);

	colon = strchr(copy, ':');
	if (colon)
		*colon = '\0';
	err = spec_add_named(p, w, copy, colon ? colon + 1 : "", &known);
	if (err || known)
		return err;
	if (!colon)
		return spec_unknown_word(p, w, copy);

	second = strchr(colon + 1, ':');
	if (second) {
		*second++ = '\0';
		err = check_modifiers(p, second, w->pos + (second - copy));
		if (err)
			return err;
	}
	return add_tracepoints(p, w, copy, colon + 1, second ? second : "");
}

/* Returns the length of the event at @at; a ',' inside PMU/.../ does not end it. */
static size_t spec_word_length(const char *at)
{
	bool in_terms = false;
	size_t n;

	for (n = 0; at[n]; n++) {
		if (at[n] == '/' && strncmp(at, "mem:", 4))
			in_terms = !in_terms;
		if (!in_terms && strchr(",{}", at[n]))
			break;
	}
	while (n && isspace((unsigned char)at[n - 1]))
		n--;
	return n;
}

static const char *spec_skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Returns the modifiers behind the group that begins at @at, owned by the caller; NULL: none. */
static char *group_modifiers(const char *at)
{
	const char *end = strchr(at, '}');

	if (!end || end[1] != ':')
		return NULL;
	return strndup(end + 2, strcspn(end + 2, ",{} \t\n"));
}

static struct error *parse_list(struct parser *p)
{
	_cleanup_free_ char *modifiers = NULL;
	const char *at = spec_skip_blanks(p->text);
	uint32_t groups = 0;
	bool in_group = false;
	size_t group_pos = 0;

	for (size_t i = 0; i < p->specs->nr; i++)
		if (p->specs->items[i].group > groups)
			groups = p->specs->items[i].group;

	for (;;) {
		_cleanup_free_ char *text = NULL;
		struct error *err;
		size_t len;

		if (*at == '{' && !in_group) {
			in_group = true;
			group_pos = at - p->text;
			free(modifiers);
			modifiers = group_modifiers(at);
			p->group = ++groups;
			p->group_modifiers = modifiers;
			at = spec_skip_blanks(at + 1);
		}
		len = spec_word_length(at);
		text = strndup(at, len);
		if (!text)
			return &error_no_memory;
		err = spec_add_word(p, &(struct word){ text, at - p->text });
		if (err)
			return err;
		at = spec_skip_blanks(at + len);
		if (*at == '}' && in_group) {
			in_group = false;
			at++;
			if (modifiers) {
				err = check_modifiers(p, modifiers, at + 1 - p->text);
				if (err)
					return err;
				at += 1 + strlen(modifiers);
			}
			p->group = 0;
			p->group_modifiers = NULL;
			at = spec_skip_blanks(at);
		}
		if (!*at)
			break;
		if (*at != ',')
			return caret_error(p->text, at - p->text, "A ',' is missing between events");
		at = spec_skip_blanks(at + 1);
	}
	if (in_group)
		return caret_error(p->text, group_pos, "The group is not closed by a '}'");
	return NULL;
}

struct error *event_specs_add(struct event_specs *specs, const char *text)
{
	struct parser p = { .specs = specs, .text = text };
	size_t nr = specs->nr;
	struct error *err;

	err = parse_list(&p);
	if (err) {
		truncate_specs(specs, nr);
		return err;
	}
	specs->last_first = nr;
	return NULL;
}

struct error *event_specs_add_number(struct event_specs *specs, const char *system,
				     const char *name, uint64_t number, bool from_glob)
{
	struct parser p = { .specs = specs };
	struct event_spec spec = {
		.type = PERF_TYPE_TRACEPOINT, .config = number, .from_glob = from_glob,
		.system = strdup(system), .name = strdup(name),
	};

	if (asprintf(&spec.text, "%s:%s", system, name) < 0)
		spec.text = NULL;
	if (!spec.system) {
		event_spec_deinit(&spec);
		return &error_no_memory;
	}
	return push_spec(&p, spec, "");
}

struct error *event_spec_add_filter(struct event_spec *spec, const char *filter)
{
	char *joined;

	if (spec->filter ? asprintf(&joined, "(%s) && (%s)", spec->filter, filter) < 0 :
			   !(joined = strdup(filter)))
		return &error_no_memory;
	free(spec->filter);
	spec->filter = joined;
	return NULL;
}

struct error *event_specs_set_filter(struct event_specs *specs, const char *filter)
{
	struct error *err = NULL;
	bool any = false;

	if (!specs->nr)
		return error_hint(error_new(EINVAL, "--filter comes before any event"),
				  "Write it after the -e it belongs to");
	for (size_t i = specs->last_first; !err && i < specs->nr; i++) {
		struct event_spec *spec = &specs->items[i];

		if (spec->type != PERF_TYPE_TRACEPOINT)
			continue;
		any = true;
		err = event_spec_add_filter(spec, filter);
	}
	if (err)
		return err;
	if (!any)
		return error_hint(error_new(EINVAL, "--filter needs a tracepoint, but '%s' is "
					    "not one",
					    specs->items[specs->nr - 1].text),
				  "Filters read the fields of tracepoints");
	return NULL;
}

struct error *event_specs_set_cgroups(struct event_specs *specs, const char *list)
{
	bool single = !strchr(list, ',');
	size_t i = 0;

	for (const char *at = list; ; at++) {
		size_t len = strcspn(at, ",");

		while (i < specs->nr && specs->items[i].cgroup)
			i++;
		if (i == specs->nr)
			return error_hint(error_new(EINVAL, "-G comes before any event"),
					  "Write it after the -e it belongs to");
		do {
			specs->items[i].cgroup = strndup(at, len);
			if (!specs->items[i].cgroup)
				return &error_no_memory;
		} while (single && ++i < specs->nr && !specs->items[i].cgroup);
		at += len;
		if (!*at)
			return NULL;
	}
}

// SPDX-License-Identifier: GPL-2.0
#include "probe/make.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "probe/btf_argument.h"
#include "probe/kernel_symbols.h"
#include "probe/sdt.h"
#include "probe/variable.h"
#include "spec/caret.h"
#include "symbol/demangle.h"
#include "symbol/elf/dies.h"
#include "terminal/options.h"

/* A name of an event ends with its NUL within these. */
#define MAKE_NAME_MAX 64

struct maker {
	const struct probe_binary *binary;
	const struct probe_definition *definition;
	const struct probe_make_options *options;
	struct probe_events *events;
	uint64_t start;		/* of the kernel's file or of the running kernel: _text */
	const char *near;	/* copied: the most similar name of a function */
	char near_text[128];
	char clone[128];	/* a name as "foo.isra.0" of the function "foo"; "": none */
	size_t nr;		/* number of created events */
	bool any;		/* there are functions */
	struct error *err;
};

/* The group in which perf puts events: "probe", or for programs "probe_NAME". */
static char *make_group(const struct maker *m)
{
	_cleanup_free_ char *path = NULL;
	char *name, *group;

	if (m->definition->group)
		return strdup(m->definition->group);
	if (m->options->group)
		return strdup(m->options->group);
	if (m->binary->kind != PROBE_PROGRAM)
		return strdup("probe");
	path = strdup(m->binary->path);
	if (!path)
		return NULL;
	name = basename(path);
	name[strcspn(name, "-._")] = '\0';
	if (asprintf(&group, "probe_%.50s", name) < 0)
		return NULL;
	for (char *c = group; *c; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	return group;
}

/*
 * "main_T_Method" of "main.(*T).Method": the package before the first dot is not distinctive in Go.
 */
static void make_go_name(const char *function, struct strbuf *name)
{
	const char *slash = strrchr(function, '/'), *c = slash ? slash + 1 : function;
	bool gap = false;

	for (; *c && name->len < MAKE_NAME_MAX - 24; c++) {
		if (isalnum((unsigned char)*c)) {
			if (gap && name->len)
				strbuf_addch(name, '_');
			strbuf_addch(name, *c);
		}
		gap = !isalnum((unsigned char)*c);
	}
}

/* The event's name: the given one, or that of the function without suffixes of compilers. */
static char *make_name(const struct maker *m, const char *function)
{
	const struct probe_definition *d = m->definition;
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	size_t len;

	if (d->event && !d->is_sdt)
		strbuf_addf(&name, "%.*s", MAKE_NAME_MAX - 12, d->event);
	else if (d->has_address)
		strbuf_addf(&name, "abs_%llx", (unsigned long long)d->address);
	else {
		if (d->function && !strpbrk(d->function, "*?["))
			function = d->function;
		for (const char *colon = function; (colon = strstr(colon, "::")); )
			function = colon += 2;
		while (*function == '.')
			function++;
		len = m->binary->is_go ? 0 : strcspn(function, ".@");
		if (m->binary->is_go)
			make_go_name(function, &name);
		strbuf_addf(&name, "%.*s", len > MAKE_NAME_MAX - 24 ? MAKE_NAME_MAX - 24 : (int)len,
			    function);
	}
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)name.data[i]))
			name.data[i] = '_';
	if (d->has_line && d->function && !d->event)
		strbuf_addf(&name, "_L%u", d->line);
	if (d->is_return && !d->event)
		strbuf_addstr(&name, "__return");
	return name.failed || !name.len ? NULL : strdup(name.data);
}

static struct error *make_begin(const struct maker *m, const char *function,
				struct probe_event *event)
{
	*event = (struct probe_event){
		.is_user = m->binary->kind == PROBE_PROGRAM,
		.is_return = m->definition->is_return,
		.group = make_group(m), .name = make_name(m, function),
		.function = strdup(function),
	};
	return event->group && event->name && event->function ? NULL : &error_no_memory;
}

/* Let the events have it, or free it. */
static struct error *make_end(struct maker *m, struct probe_event *event, struct error *err)
{
	if (!err && !array_push(m->events, *event))
		err = &error_no_memory;
	if (err)
		probe_event_deinit(event);
	else
		m->nr++;
	return err;
}

/*
 * A return probe puts another return address on the stack.  Go's runtime finds it there when it
 * moves the stack or collects garbage, and ends the program.
 */
static struct error *make_check_return(const struct maker *m, const char *function,
				       uint64_t offset)
{
	struct symbols *go = (struct symbols *)&m->binary->go;

	if (!m->binary->is_go || (go->nr && !symbols_find(go, offset)))
		return NULL;
	return error_hint(error_new(EINVAL, "%s is a function of a Go program (%s), which a return "
				    "probe would end: Go's runtime does not know the return address "
				    "that the probe puts on the stack", function, m->binary->path),
			  "Probe its entry, or with debug information the lines that return");
}

/*
 * Set the location in the kernel's form, see struct probe_event.  It is in @function, which begins
 * at @entry.
 */
static struct error *make_place(const struct maker *m, uint64_t address, const char *function,
				uint64_t entry, struct probe_event *event)
{
	const struct probe_binary *binary = m->binary;
	const char *symbol = NULL;
	uint64_t start = 0;

	if (binary->kind == PROBE_PROGRAM) {
		event->binary = strdup(binary->path);
		if (!event->binary)
			return &error_no_memory;
		if (!probe_binary_offset(binary, address, &event->offset))
			return error_new(0, "The address 0x%llx of %s is not in the code that it "
					 "loads", (unsigned long long)address, binary->path);
		return event->is_return ? make_check_return(m, function, event->offset) : NULL;
	}
	if (binary->kind == PROBE_KERNEL && m->start && address >= m->start) {
		symbol = "_text";
		start = m->start;
	} else if (binary->file) {
		symbol = probe_binary_symbol(binary, address, &start);
	}
	if (!symbol) {
		symbol = function;
		start = entry;
	}
	event->symbol = strdup(symbol);
	event->offset = address - start;
	if (binary->kind == PROBE_MODULE)
		event->binary = strdup(binary->module);
	return event->symbol && (event->binary || binary->kind == PROBE_KERNEL) ? NULL :
		&error_no_memory;
}

static struct error *make_at_place(struct maker *m, struct probe_place *place)
{
	const char *function = dwarf_diename(&place->scope);
	uint64_t entry = place->address;
	struct probe_event event;
	struct error *err;

	/* As with perf, a line of a file is called after the function that has the code. */
	if (!m->definition->function)
		function = dwarf_diename(&place->function);
	function = function ? function : "unnamed";
	/* Only where the file has no symbols, the function of the debug information is named. */
	dies_entry(&place->function, &entry);
	err = make_begin(m, function, &event);
	if (!err)
		err = make_place(m, place->address, function, entry, &event);
	for (size_t i = 0; !err && i < m->definition->args.nr; i++)
		err = probe_variable_add(m->binary, place, &m->definition->args.items[i],
					 m->definition->text, &event);
	return make_end(m, &event, err);
}

static void make_tell_places(const struct maker *m, const struct probe_places *places)
{
	size_t inlined = 0;

	for (size_t i = 0; i < places->nr; i++)
		inlined += places->items[i].inlined;
	if (places->skipped_prologue)
		log_notice("%s was compiled without optimization, so the probe is behind the code "
			   "that stores the parameters.", m->binary->path);
	if (inlined)
		log_notice("%s is inlined: the probe is at %zu %s, %zu of them inlined.",
			   m->definition->function ? m->definition->function : "The line", places->nr,
			   places->nr == 1 ? "place" : "places", inlined);
	if (places->nr_inlined)
		log_notice("%s is also inlined at %zu %s, %s.", m->definition->function,
			   places->nr_inlined, places->nr_inlined == 1 ? "place" : "places",
			   m->definition->is_return ? "from which nothing returns" :
			   "which --no-inlines leaves out");
}

static struct error *make_by_dwarf(struct maker *m)
{
	_cleanup_(probe_places) struct probe_places places = { 0 };
	struct probe_place_options options = m->options->places;
	struct error *err;

	options.parameters = probe_definition_has_variables(m->definition);
	err = probe_places_find(m->binary, m->definition, &options, &places);
	for (size_t i = 0; !err && i < places.nr; i++)
		err = make_at_place(m, &places.items[i]);
	if (!err)
		make_tell_places(m, &places);
	return err;
}

static struct error *make_raw_args(const struct maker *m, const char *function,
				   struct probe_event *event)
{
	for (size_t i = 0; i < m->definition->args.nr; i++) {
		const struct probe_arg *arg = &m->definition->args.items[i];
		struct error *err;

		if (arg->kind == PROBE_ARG_RAW ||
		    (arg->kind == PROBE_ARG_RETVAL && !arg->fields.nr))
			err = probe_event_add_arg(event, arg->name, arg->variable, arg->type);
		else
			err = btf_argument_add(m->binary->module, function, arg,
					       m->definition, event);
		if (err)
			return err;
	}
	return NULL;
}

static bool make_remember_name(struct maker *m, const char *name)
{
	const char *function = m->definition->function;
	size_t len = strlen(function);

	if (!strncmp(name, function, len) && name[len] == '.' && !*m->clone &&
	    !strstr(name, ".cold"))
		snprintf(m->clone, sizeof(m->clone), "%s", name);
	if (word_nearer(function, m->near, name) == name) {
		snprintf(m->near_text, sizeof(m->near_text), "%s", name);
		m->near = m->near_text;
	}
	return true;
}

static bool make_at_symbol(struct maker *m, const char *name, uint64_t address, uint64_t size)
{
	const struct probe_definition *d = m->definition;
	struct probe_event event;

	m->any = true;
	if (strcmp(name, d->function) && fnmatch(d->function, name, 0) &&
	    !demangled_matches(d->function, name))
		return make_remember_name(m, name);
	if (size && d->offset >= size) {
		m->err = error_new(EINVAL, "%s has only %llu bytes", name, (unsigned long long)size);
		return false;
	}
	/* Aliases are one location. */
	for (size_t i = 0; address && i < m->events->nr; i++)
		if (i + m->nr >= m->events->nr && m->events->items[i].is_user &&
		    probe_binary_offset(m->binary, address + d->offset, &event.offset) &&
		    event.offset == m->events->items[i].offset)
			return true;
	m->err = make_begin(m, name, &event);
	/* Where addresses are hidden, they are all 0, and functions are known by name alone. */
	if (!m->err)
		m->err = make_place(m, address + d->offset, name, address, &event);
	if (!m->err)
		m->err = make_raw_args(m, name, &event);
	m->err = make_end(m, &event, m->err);
	if (!m->err && m->nr > m->options->places.max)
		m->err = error_hint(error_new(E2BIG, "'%s' stands for more than %u places", d->text,
					      m->options->places.max),
				    "--max-probes takes a larger number");
	return !m->err;
}

static bool make_at_file_symbol(void *context, const char *name, uint64_t address, uint64_t size)
{
	return make_at_symbol(context, name, address, size);
}

static bool make_at_kernel_symbol(void *context, const char *name, uint64_t address)
{
	return make_at_symbol(context, name, address, 0);
}

static struct error *make_no_symbol(struct maker *m)
{
	const struct probe_definition *d = m->definition;
	struct error *err = caret_error(d->text, d->at, "There is no function %s in %s", d->function,
					probe_binary_title(m->binary));

	err->code = ENOENT;
	if (m->binary->file && !m->any)
		return error_hint(err, "It was stripped, so no function has a name; its addresses can be "
				  "probed, as in 0x1234");
	if (*m->clone)
		return error_hint(err, "The compiler made %s of it, whose arguments may be others; "
				  "name that one", m->clone);
	return probe_binary_no_function(m->binary, d->function, m->near, err);
}

/* A module that is not loaded has no symbols; the kernel waits for it. */
static struct error *make_at_unloaded(struct maker *m)
{
	const struct probe_definition *d = m->definition;

	log_notice("The module %s is not loaded and its file was not found, so nobody knows whether "
		   "it has a function %s.", m->binary->module, d->function);
	make_at_symbol(m, d->function, 0, 0);
	return m->err;
}

static bool make_count(void *context, const char *name, uint64_t address)
{
	++*(size_t *)context;
	return false;
}

static struct error *make_by_symbols(struct maker *m)
{
	size_t symbols = 0;
	struct error *err = NULL;

	if (m->binary->file) {
		probe_binary_symbols(m->binary, make_at_file_symbol, m);
	} else {
		if (m->binary->kind == PROBE_KERNEL)
			m->start = kernel_symbols_start();
		err = kernel_symbols(m->binary->module, make_count, &symbols);
		if (!err && !symbols && m->binary->kind == PROBE_MODULE)
			return make_at_unloaded(m);
		if (!err)
			err = kernel_symbols(m->binary->module, make_at_kernel_symbol, m);
	}
	if (err || m->err)
		return err ? err : m->err;
	if (!m->nr)
		return make_no_symbol(m);
	if (m->nr > 1 && !strpbrk(m->definition->function, "*?["))
		log_notice("There are %zu functions named %s; all of them are probed.", m->nr,
			   m->definition->function);
	return NULL;
}

/* Refuse requests that the names of symbols cannot answer. */
static struct error *make_without_debug(struct maker *m)
{
	const struct probe_definition *d = m->definition;

	if (d->file || d->has_line || d->pattern)
		return error_prefix(probe_binary_no_debug(m->binary), "'%s' needs source lines",
				    d->text);
	if (probe_definition_has_variables(d) && m->binary->kind == PROBE_PROGRAM)
		return error_prefix(probe_binary_no_debug(m->binary), "'%s' needs variables", d->text);
	return make_by_symbols(m);
}

/* Create the event of a location that is an address of the file. */
static struct error *make_at_address(struct maker *m)
{
	const struct probe_definition *d = m->definition;
	struct probe_event event;
	struct error *err;

	if (probe_definition_has_variables(d))
		return caret_error(d->text, d->at, "At an address, only registers can be read");
	if (m->binary->kind == PROBE_MODULE)
		return caret_error(d->text, d->at, "Modules have no fixed addresses; name a function");
	if (m->binary->kind == PROBE_KERNEL)
		m->start = kernel_symbols_start();
	if (m->binary->kind == PROBE_KERNEL && (!m->start || d->address < m->start))
		return caret_error(d->text, d->at, "The address is not in the kernel");
	err = make_begin(m, "abs", &event);
	if (!err)
		err = make_place(m, d->address, "abs", d->address, &event);
	if (!err)
		err = make_raw_args(m, "abs", &event);
	return make_end(m, &event, err);
}

static bool make_match_start(void *context, const char *name, uint64_t address, uint64_t size)
{
	if (strcmp(name, "_text") && strcmp(name, "_stext"))
		return true;
	*(uint64_t *)context = address;
	return false;
}

static struct error *make_events(struct maker *m)
{
	const struct probe_definition *d = m->definition;
	struct error *err, *other;

	if (d->is_sdt)
		return sdt_make(m->binary, d, m->events);
	if (d->has_address)
		return make_at_address(m);
	if (!m->binary->dwarf)
		return make_without_debug(m);
	if (m->binary->kind == PROBE_KERNEL)
		probe_binary_symbols(m->binary, make_match_start, &m->start);
	err = make_by_dwarf(m);
	/* Functions of assembler, for example, are in no debug information. */
	if (!err || err->code != ENOENT || d->file || d->has_line || d->pattern ||
	    probe_definition_has_variables(d))
		return err;
	m->nr = 0;
	other = make_by_symbols(m);
	error_free(other ? other : err);
	return other ? err : NULL;
}

struct error *probe_make(const struct probe_binary *binary,
			 const struct probe_definition *definition,
			 const struct probe_make_options *options, struct probe_events *ret)
{
	struct maker m = {
		.binary = binary, .definition = definition, .options = options, .events = ret,
	};

	struct error *err = make_events(&m);

	/* A named object that does not exist is a mistake in the command line. */
	if (err && err->code == ENOENT)
		err->code = EINVAL;
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "probe/place.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "probe/source.h"
#include "spec/caret.h"
#include "symbol/elf/dies.h"
#include "terminal/options.h"

struct place_search {
	const struct probe_binary *binary;
	const struct probe_definition *definition;
	const struct probe_place_options *options;
	struct probe_places *places;
	struct error *err;	/* ends the search */
	Dwarf_Die *unit;
	bool unit_is_known;	/* @unit_is_optimized is set */
	bool unit_is_optimized;
	Dwarf_Die *origin;	/* whose instances are looked for */
	const char *file;	/* the line that is looked for, in that file */
	int line;
	bool whole_path;	/* file is the whole path */
	int below, above;	/* the nearest lines that have code; 0: none */
	bool found_function, found_file;
	bool declared_only;	/* the function was found, without code */
	const char *near;	/* the most similar name */
	char last_file[256];	/* one that was matched, for messages */
};

void probe_places_deinit(struct probe_places *places)
{
	free(places->items);
	*places = (struct probe_places){ 0 };
}

static bool place_has_location_list(Dwarf_Die *variable)
{
	Dwarf_Attribute attribute;
	unsigned int form;

	if (!dwarf_attr(variable, DW_AT_location, &attribute))
		return false;
	form = dwarf_whatform(&attribute);
	/* Before DWARF 4, numbers are offsets in the section of lists. */
	return form == DW_FORM_sec_offset || form == DW_FORM_loclistx ||
	       form == DW_FORM_data4 || form == DW_FORM_data8;
}

/* Without optimization, a variable has one location during its life. */
static enum dies_step place_match_moving(void *context, Dwarf_Die *die)
{
	bool is_variable = dwarf_tag(die) == DW_TAG_formal_parameter ||
			   dwarf_tag(die) == DW_TAG_variable;

	return is_variable && place_has_location_list(die) ? DIES_STOP : DIES_GO_ON;
}

/* gcc records whether a unit was compiled with optimization.  For clang this is inferred. */
static bool place_unit_is_optimized(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *producer = dwarf_attr(unit, DW_AT_producer, &attribute) ?
			       dwarf_formstring(&attribute) : NULL;

	if (producer && strstr(producer, "-O"))
		return !strstr(producer, "-O0");
	return dies_walk(unit, place_match_moving, NULL) == DIES_STOP;
}

static bool place_is_optimized(struct place_search *s)
{
	if (!s->unit_is_known) {
		s->unit_is_optimized = place_unit_is_optimized(s->unit);
		s->unit_is_known = true;
	}
	return s->unit_is_optimized;
}

/*
 * Find the first address behind the code that puts parameters where they belong: clang marks
 * it, with gcc the next line begins there.
 */
static uint64_t place_after_prologue(Dwarf_Die *unit, Dwarf_Die *function, uint64_t entry)
{
	Dwarf_Addr address, end;
	Dwarf_Lines *lines;
	size_t nr, i = 0;
	bool marked;

	if (dwarf_getsrclines(unit, &lines, &nr) || dwarf_highpc(function, &end))
		return entry;
	while (i < nr && (dwarf_lineaddr(dwarf_onesrcline(lines, i), &address) || address != entry))
		i++;
	if (i < nr && !dwarf_lineprologueend(dwarf_onesrcline(lines, i), &marked) && marked)
		return entry;
	if (i + 1 >= nr || dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &address))
		return entry;
	return address < end ? address : entry;
}

static void place_add(struct place_search *s, uint64_t address, Dwarf_Die *function,
		      Dwarf_Die *scope)
{
	struct probe_place place = { .address = address, .unit = *s->unit };

	for (size_t i = 0; i < s->places->nr; i++)
		if (s->places->items[i].address == address)
			return;
	if (function)
		place.function = *function;
	else if (!dies_function_at(s->unit, address, &place.function))
		return;
	place.scope = scope ? *scope : place.function;
	place.inlined = dwarf_tag(&place.scope) == DW_TAG_inlined_subroutine;
	if (s->places->nr == s->options->max)
		s->err = error_hint(error_new(E2BIG, "'%s' stands for more than %u places",
					      s->definition->text, s->options->max),
				    "--max-probes takes a larger number");
	else if (!array_push(s->places, place))
		s->err = &error_no_memory;
}

static struct error *place_beyond(const struct place_search *s, Dwarf_Die *die, uint64_t size)
{
	const char *text = s->definition->text, *plus = strchr(text + s->definition->at, '+');

	return caret_error(text, plus ? (size_t)(plus + 1 - text) : 0, "%s has only %llu bytes",
			   dwarf_diename(die), (unsigned long long)size);
}

/* Add the location in a function that has code, or in an inlined one. */
static void place_add_entry(struct place_search *s, Dwarf_Die *die)
{
	const struct probe_definition *d = s->definition;
	bool inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
	Dwarf_Addr end = 0;
	uint64_t entry;

	if (!dies_entry(die, &entry))
		return;
	if (!inlined && d->offset && !dwarf_highpc(die, &end) && entry + d->offset >= end) {
		s->err = place_beyond(s, die, end - entry);
		return;
	}
	if (!inlined && !d->offset && !d->is_return && s->options->parameters &&
	    s->binary->kind == PROBE_PROGRAM && !place_is_optimized(s)) {
		uint64_t after = place_after_prologue(s->unit, die, entry);

		s->places->skipped_prologue |= after != entry;
		entry = after;
	}
	place_add(s, entry + d->offset, inlined ? NULL : die, die);
}

static enum dies_step place_match_instance(void *context, Dwarf_Die *die)
{
	struct place_search *s = context;

	if (dwarf_tag(die) == DW_TAG_inlined_subroutine && dies_is_instance(die, s->origin)) {
		if (s->options->no_inlines || s->definition->is_return)
			s->places->nr_inlined++;
		else
			place_add_entry(s, die);
	}
	return s->err ? DIES_STOP : DIES_GO_ON;
}

/* Which of the functions at an address is the one whose variables are meant. */
struct scope_search {
	struct place_search *search;
	uint64_t address;
	Dwarf_Die best;
	bool found;
	int distance;	/* of the line from the best function's own */
};

static void place_judge_scope(struct scope_search *scope, Dwarf_Die *die)
{
	struct place_search *s = scope->search;
	const char *file = dies_file(die);
	int line;

	if (s->definition->function) {
		if (!dies_is_named(die, s->definition->function))
			return;
	} else if (!file || strcmp(file, s->file) || dwarf_decl_line(die, &line) ||
		   line > s->line ||
		   (scope->found && s->line - line > scope->distance)) {
		return;
	} else {
		scope->distance = s->line - line;
	}
	scope->best = *die;
	scope->found = true;
}

static enum dies_step place_walk_scopes(void *context, Dwarf_Die *die)
{
	struct scope_search *scope = context;

	if (dwarf_haspc(die, scope->address) <= 0)
		return DIES_SKIP;
	if (dwarf_tag(die) == DW_TAG_inlined_subroutine)
		place_judge_scope(scope, die);
	return DIES_GO_ON;
}

static void place_add_line(struct place_search *s, uint64_t address)
{
	struct scope_search scope = { .search = s, .address = address };
	Dwarf_Die function;

	if (!dies_function_at(s->unit, address, &function))
		return;
	place_judge_scope(&scope, &function);
	if (!s->options->no_inlines)
		dies_walk(&function, place_walk_scopes, &scope);
	if (scope.found)
		place_add(s, address, &function, &scope.best);
	else if (!s->definition->function)
		place_add(s, address, &function, NULL);
}

static bool place_is_searched(struct place_search *s, const char *file)
{
	bool is_file = file && (s->whole_path ? !strcmp(file, s->file) :
				dies_is_file(file, s->definition->file));

	if (is_file && !s->found_file) {
		s->found_file = true;
		snprintf(s->last_file, sizeof(s->last_file), "%s", file);
	}
	if (is_file && !s->whole_path)
		s->file = file;
	return is_file;
}

static void place_remember_line(struct place_search *s, int line)
{
	if (line > 0 && line < s->line && line > s->below)
		s->below = line;
	if (line > s->line && (!s->above || line < s->above))
		s->above = line;
}

/* Functions begin at their first line, and inlined ones where they are called. */
static enum dies_step place_match_start(void *context, Dwarf_Die *die)
{
	struct place_search *s = context;
	const char *file;
	uint64_t entry;
	int line;

	file = dies_start(s->unit, die, &line);
	if (file && line == s->line && dies_entry(die, &entry) && place_is_searched(s, file))
		place_add_line(s, entry);
	return s->err ? DIES_STOP : DIES_GO_ON;
}

/* Find the locations of s->line in the unit. */
static void place_find_line(struct place_search *s)
{
	Dwarf_Lines *lines;
	size_t nr;

	if (dwarf_getsrclines(s->unit, &lines, &nr))
		return;
	for (size_t i = 0; i < nr && !s->err; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		bool ends, begins;
		Dwarf_Addr address;
		int number;

		if (dwarf_lineno(line, &number) || dwarf_lineaddr(line, &address) ||
		    dwarf_lineendsequence(line, &ends) || ends ||
		    dwarf_linebeginstatement(line, &begins) || !begins || !address ||
		    !place_is_searched(s, dwarf_linesrc(line, NULL, NULL)))
			continue;
		place_remember_line(s, number);
		if (number == s->line)
			place_add_line(s, address);
	}
	if (!s->err)
		dies_walk(s->unit, place_match_start, s);
}

/* Find the locations of every line from @first to @last that matches the pattern. */
static void place_find_pattern(struct place_search *s, const char *file, int first, int last)
{
	_cleanup_(source) struct source source = { 0 };

	s->file = file;
	s->whole_path = true;
	s->err = source_read(&source, s->options->source, s->unit, file);
	for (int line = first; !s->err && line <= last && line <= (int)source.nr; line++) {
		if (!source_matches(&source, line, s->definition->pattern))
			continue;
		s->line = line;
		place_find_line(s);
	}
}

/* The last line that has code of the function. */
static int place_last_line(Dwarf_Die *unit, Dwarf_Die *function, const char *file)
{
	Dwarf_Lines *lines;
	int last = 0, number;
	size_t nr;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *src = dwarf_linesrc(line, NULL, NULL);
		Dwarf_Addr address;

		if (!dwarf_lineaddr(line, &address) && dwarf_haspc(function, address) > 0 && src &&
		    !strcmp(src, file) && !dwarf_lineno(line, &number) && number > last)
			last = number;
	}
	return last;
}

static void place_find_in_function(struct place_search *s, Dwarf_Die *die)
{
	const struct probe_definition *d = s->definition;
	const char *file = dies_file(die);
	int first = 0;

	if (!file || dwarf_decl_line(die, &first))
		return;
	if (d->pattern) {
		place_find_pattern(s, file, first, place_last_line(s->unit, die, file));
		return;
	}
	s->file = file;
	s->whole_path = true;
	s->line = first + d->line;
	place_find_line(s);
}

static bool place_match_function(void *context, Dwarf_Die *die)
{
	struct place_search *s = context;
	const struct probe_definition *d = s->definition;
	Dwarf_Die instance;
	uint64_t entry;

	if (!dies_is_named(die, d->function)) {
		const char *name = dwarf_diename(die);

		if (name)
			s->near = word_nearer(d->function, s->near, name);
		return true;
	}
	if (d->file && !dies_is_file(dies_file(die), d->file))
		return true;
	s->found_function = true;
	if (d->has_line || d->pattern) {
		place_find_in_function(s, die);
	} else if (dies_entry(die, &entry)) {
		place_add_entry(s, die);
	} else if (!dies_origin(die, &instance)) {
		s->origin = die;
		dies_walk(s->unit, place_match_instance, s);
		s->declared_only = true;
	}
	return !s->err;
}

static bool place_search_unit(void *context, Dwarf_Die *unit)
{
	struct place_search *s = context;
	Dwarf_Files *files;
	size_t nr;

	s->unit = unit;
	s->unit_is_known = false;
	if (s->definition->function) {
		dies_functions(unit, place_match_function, s);
		return !s->err;
	}
	if (dwarf_getsrcfiles(unit, &files, &nr))
		return true;
	for (size_t i = 0; i < nr && !s->err; i++) {
		const char *file = dwarf_filesrc(files, i, NULL, NULL);

		if (!dies_is_file(file, s->definition->file))
			continue;
		s->whole_path = false;
		if (s->definition->pattern) {
			place_find_pattern(s, file, 1, INT32_MAX);
		} else {
			s->line = s->definition->line;
			place_find_line(s);
		}
		break;
	}
	return !s->err;
}

static struct error *place_no_code(const struct place_search *s)
{
	const struct probe_definition *d = s->definition;
	int start = s->line - d->line;
	struct error *err;

	err = d->function ? error_new(ENOENT, "Line %u of %s, line %d of %s, has no code", d->line,
				      d->function, s->line, s->last_file) :
			    error_new(ENOENT, "Line %u of %s has no code", d->line, s->last_file);
	if (!s->below && !s->above)
		return err;
	if (s->below && s->above)
		return error_hint(err, "The nearest lines that have are %d and %d; 'ktrace probe -L' "
				  "shows all", s->below - (d->function ? start : 0),
				  s->above - (d->function ? start : 0));
	return error_hint(err, "The nearest line that has is %d; 'ktrace probe -L' shows all",
			  (s->below ? s->below : s->above) - (d->function ? start : 0));
}

/* "walk.isra.0" is a symbol; the debug information has its code under walk. */
static struct error *place_no_clone(const struct probe_definition *d, const char *title)
{
	struct error *err = caret_error(d->text, d->at, "There is no function %s in the debug "
					"information of %s", d->function, title);

	err->code = ENOENT;
	return error_hint(err, "The compiler made it of %.*s; name that one to read its variables",
			  (int)strcspn(d->function, "."), d->function);
}

static struct error *place_not_found(const struct place_search *s)
{
	const struct probe_definition *d = s->definition;
	const char *title = probe_binary_title(s->binary);

	if (d->function && !s->found_function && !d->file && d->function[strcspn(d->function, ".")])
		return place_no_clone(d, title);
	if (d->function && !s->found_function) {
		struct error *err = caret_error(d->text, d->at, "There is no function %s%s%s in %s",
						d->function, d->file ? " of " : "",
						d->file ? d->file : "", title);

		err->code = ENOENT;
		return probe_binary_no_function(s->binary, d->function, s->near, err);
	}
	if (!d->function && !s->found_file)
		return error_hint(caret_error(d->text, d->at, "%s was not compiled from a file %s",
					      title, d->file),
				  "'ktrace probe -F' lists the functions, 'ktrace probe -L FUNCTION' "
				  "shows the file of one");
	if (d->pattern)
		return caret_error(d->text, d->at, "No line with code matches '%s'", d->pattern);
	if (d->has_line)
		return place_no_code(s);
	if (d->is_return && s->places->nr_inlined)
		return error_hint(caret_error(d->text, d->at, "%s is inlined everywhere, so it does not "
					      "return", d->function),
				  "Probe the line behind its call instead");
	if (s->places->nr_inlined)
		return caret_error(d->text, d->at, "%s is inlined everywhere, and --no-inlines leaves "
				   "these places out", d->function);
	return error_hint(caret_error(d->text, d->at, "The compiler left no code of %s", d->function),
			  "It is never called, or only at compile time");
}

struct error *probe_places_find(const struct probe_binary *binary,
				const struct probe_definition *definition,
				const struct probe_place_options *options,
				struct probe_places *ret)
{
	_cleanup_(probe_places) struct probe_places places = { 0 };
	struct place_search s = {
		.binary = binary, .definition = definition, .options = options, .places = &places,
	};

	dies_units(binary->dwarf, place_search_unit, &s);
	if (s.err)
		return s.err;
	if (!places.nr)
		return place_not_found(&s);
	*ret = places;
	places = (struct probe_places){ 0 };
	return NULL;
}

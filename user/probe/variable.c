// SPDX-License-Identifier: GPL-2.0
#include "probe/variable.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "probe/argument.h"
#include "probe/location.h"
#include "probe/operand.h"
#include "spec/caret.h"
#include "symbol/code/type_name.h"
#include "symbol/elf/dies.h"
#include "terminal/options.h"

/* The state of one argument. */
struct variable {
	const struct probe_binary *binary;
	struct probe_place *place;
	const struct probe_arg *arg;
	const char *text;	/* the definition */
	Dwarf_Die die;		/* the variable, or the member that was reached */
	Dwarf_Die type;		/* the type behind it */
	bool has_type;
	bool element;		/* die is not a variable but the type of an array's elements */
	struct operand operand;
};

struct variable_search {
	const char *name;
	uint64_t address;	/* UINT64_MAX: any */
	Dwarf_Die *ret;
	bool found;
	const char *near;
};

static bool variable_is_one(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_formal_parameter || tag == DW_TAG_variable;
}

static enum dies_step variable_match(void *context, Dwarf_Die *die)
{
	struct variable_search *search = context;
	int tag = dwarf_tag(die);
	const char *name;

	if (variable_is_one(die)) {
		name = dwarf_diename(die);
		if (name && !strcmp(name, search->name)) {
			*search->ret = *die;
			search->found = true;
		} else if (name) {
			search->near = word_nearer(search->name, search->near, name);
		}
		return DIES_SKIP;
	}
	/* The innermost block wins, so the search goes on behind a hit. */
	if (tag == DW_TAG_lexical_block &&
	    (search->address == UINT64_MAX || dwarf_haspc(die, search->address) > 0))
		return DIES_GO_ON;
	return DIES_SKIP;
}

/* Inlined functions below the scope, which were not named, come last. */
static enum dies_step variable_match_inlined(void *context, Dwarf_Die *die)
{
	struct variable_search *search = context;

	if (dwarf_haspc(die, search->address) <= 0)
		return DIES_SKIP;
	if (dwarf_tag(die) == DW_TAG_inlined_subroutine)
		dies_walk(die, variable_match, search);
	return search->found ? DIES_STOP : DIES_GO_ON;
}

static bool variable_search_scopes(struct variable *v, struct variable_search *search)
{
	Dwarf_Die origin;

	dies_walk(&v->place->scope, variable_match, search);
	if (!search->found)
		dies_walk(&v->place->scope, variable_match_inlined, search);
	if (!search->found)
		dies_walk(&v->place->unit, variable_match, search);
	/* Variables that the compiler left out of an instance are only in its abstract origin. */
	if (!search->found && dies_origin(&v->place->scope, &origin)) {
		search->address = UINT64_MAX;
		dies_walk(&origin, variable_match, search);
	}
	if (!search->found) {
		search->address = UINT64_MAX;
		dies_walk(&v->place->scope, variable_match, search);
	}
	return search->found;
}

static size_t variable_position(const struct variable *v)
{
	return v->arg->at + (v->arg->name ? strlen(v->arg->name) + 1 : 0);
}

struct inlined_at {
	uint64_t address;
	bool found;
};

static enum dies_step variable_match_inlined_at(void *context, Dwarf_Die *die)
{
	struct inlined_at *at = context;

	if (dwarf_haspc(die, at->address) <= 0)
		return DIES_SKIP;
	at->found = dwarf_tag(die) == DW_TAG_inlined_subroutine;
	return at->found ? DIES_STOP : DIES_GO_ON;
}

/* Whether a definition can name a line: it is the scope's own, not one of code inlined there. */
static bool variable_is_own_line(struct variable *v, Dwarf_Line *line, uint64_t address)
{
	const char *file = dies_file(&v->place->scope), *source = dwarf_linesrc(line, NULL, NULL);
	struct inlined_at at = { .address = address };

	if (!file || !source || strcmp(file, source))
		return false;
	dies_walk(&v->place->scope, variable_match_inlined_at, &at);
	return !at.found;
}

/*
 * Append the lines at which a variable has a location: "5, 8-9"; nothing if there are none.
 * *ret_elsewhere is the first address with one in code that is inlined there, or UINT64_MAX.
 */
static void variable_add_lines(struct variable *v, struct strbuf *out, uint64_t *ret_elsewhere)
{
	Dwarf_Attribute attribute;
	Dwarf_Lines *lines;
	int last = 0, first = 0;
	size_t nr, nr_ranges = 0;

	*ret_elsewhere = UINT64_MAX;
	if (!dwarf_attr_integrate(&v->die, DW_AT_location, &attribute) ||
	    dwarf_getsrclines(&v->place->unit, &lines, &nr))
		return;
	for (size_t i = 0; i < nr && nr_ranges < 8; i++) {
		struct probe_place place = *v->place;
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct operand operand;
		Dwarf_Addr address;
		int number;

		if (dwarf_lineaddr(line, &address) || dwarf_lineno(line, &number) || !number ||
		    dwarf_haspc(&v->place->scope, address) <= 0)
			continue;
		if (!variable_is_own_line(v, line, address))
			number = 0;
		else if (number <= last)
			continue;
		place.address = address;
		if (probe_location_find(v->binary, &place, &v->die, &operand) || operand.is_sum)
			continue;
		if (!number) {
			*ret_elsewhere = address < *ret_elsewhere ? address : *ret_elsewhere;
			continue;
		}
		if (first && number == last + 1) {
			last = number;
			continue;
		}
		if (first)
			strbuf_addf(out, first == last ? "%s%d" : "%s%d-%d", nr_ranges++ ? ", " : "",
				    first, last);
		first = last = number;
	}
	if (first)
		strbuf_addf(out, first == last ? "%s%d" : "%s%d-%d", nr_ranges ? ", " : "", first,
			    last);
}

static struct error *variable_not_here(struct variable *v, enum probe_location why)
{
	static const char *const reasons[] = {
		[PROBE_LOCATION_NONE] = "has been optimized out at this place",
		[PROBE_LOCATION_COMPUTED] = "is not stored at this place, but computed of others",
		[PROBE_LOCATION_REGISTER] = "is in a register that the kernel cannot read, as "
					    "floating-point numbers are",
		[PROBE_LOCATION_OTHER] = "is at a location that a probe cannot read",
	};
	_cleanup_(strbuf) struct strbuf lines = STRBUF_INIT;
	uint64_t elsewhere, entry;
	struct error *err;

	err = caret_error(v->text, variable_position(v), "%s %s", v->arg->variable, reasons[why]);
	variable_add_lines(v, &lines, &elsewhere);
	if (lines.len && !lines.failed)
		return error_hint(err, "It can be read at the line%s %s of %s; 'ktrace probe -V' lists "
				  "the variables at a location", strpbrk(lines.data, ",-") ? "s" : "",
				  lines.data, dies_file(&v->place->scope));
	if (elsewhere != UINT64_MAX && dies_entry(&v->place->function, &entry) &&
	    elsewhere >= entry)
		return error_hint(err, "It can be read behind that, in the code that is inlined there: "
				  "%s+%llu", dwarf_diename(&v->place->function),
				  (unsigned long long)(elsewhere - entry));
	return error_hint(err, "'ktrace probe -V' lists the variables at a location");
}

static struct error *variable_find(struct variable *v)
{
	struct variable_search search = {
		.name = v->arg->variable, .address = v->place->address, .ret = &v->die,
	};
	enum probe_location why;
	struct error *err;

	if (!variable_search_scopes(v, &search)) {
		err = caret_error(v->text, variable_position(v), "%s has no variable %s",
				  dwarf_diename(&v->place->scope), v->arg->variable);
		return error_hint(err, search.near ? "Did you mean %s? 'ktrace probe -V' lists the "
				  "variables at a location" : "'ktrace probe -V' lists the variables "
				  "at a location", search.near);
	}
	why = probe_location_find(v->binary, v->place, &v->die, &v->operand);
	if (why)
		return variable_not_here(v, why);
	v->has_type = dies_type(&v->die, &v->type);
	return NULL;
}

static const char *variable_type_name(const struct variable *v)
{
	const char *name = v->has_type ? dwarf_diename((Dwarf_Die *)&v->type) : NULL;

	return name ? name : "without a name";
}

static bool variable_is_struct(const struct variable *v)
{
	int tag = v->has_type ? dwarf_tag((Dwarf_Die *)&v->type) : 0;

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static struct error *variable_deref(struct variable *v, const struct probe_field *field)
{
	Dwarf_Die pointer = v->type;

	if (!operand_follow(&v->operand, 0))
		return caret_error(v->text, field->at, "Too many pointers are followed");
	v->has_type = dies_type(&pointer, &v->type);
	return NULL;
}

/* Go to the element of an array or of a pointer's target. */
static struct error *variable_index(struct variable *v, const struct probe_field *field)
{
	int tag = v->has_type ? dwarf_tag(&v->type) : 0;
	struct error *err = NULL;
	Dwarf_Die array;
	int size;

	if (tag == DW_TAG_pointer_type) {
		err = variable_deref(v, field);
	} else if (tag == DW_TAG_array_type && v->operand.nr) {
		array = v->type;
		v->has_type = dies_type(&array, &v->type);
	} else {
		return caret_error(v->text, field->at, "This is neither a pointer nor an array");
	}
	size = v->has_type ? dwarf_bytesize(&v->type) : -1;
	if (size < 0 && v->has_type && dwarf_tag(&v->type) == DW_TAG_pointer_type)
		size = v->binary->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	if (!err && size < 0)
		return caret_error(v->text, field->at, "The size of the elements is not known");
	if (!err)
		operand_move(&v->operand, (long)size * field->index);
	v->die = v->type;
	v->element = true;
	return err;
}

/* Find a member, also in unnamed structs and unions and in base classes. */
static bool variable_member(Dwarf_Die *type, const char *name, long *offset, Dwarf_Die *ret,
			    const char **near, unsigned int depth)
{
	Dwarf_Die child, inner;

	if (depth > 16 || dwarf_child(type, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		const char *own = tag == DW_TAG_member ? dwarf_diename(&child) : NULL;
		long below = 0;
		uint64_t at;

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !dies_member_offset(&child, &at))
			continue;
		if (own && !strcmp(own, name)) {
			*offset += at;
			*ret = child;
			return true;
		}
		if (own)
			*near = word_nearer(name, *near, own);
		if (!own && dies_type(&child, &inner) &&
		    variable_member(&inner, name, &below, ret, near, depth + 1)) {
			*offset += at + below;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static struct error *variable_field(struct variable *v, const struct probe_field *field)
{
	bool pointer = v->has_type && dwarf_tag(&v->type) == DW_TAG_pointer_type;
	const char *near = NULL;
	struct error *err = NULL;
	long offset = 0;

	if (pointer != field->arrow)
		return caret_error(v->text, field->at - 1 - field->arrow, pointer ?
				   "This is a pointer, whose members are reached by '->'" :
				   "This is no pointer; members are reached by '.'");
	if (pointer)
		err = variable_deref(v, field);
	if (err)
		return err;
	if (!variable_is_struct(v))
		return caret_error(v->text, field->at, "The type %s is no struct or union",
				   variable_type_name(v));
	if (!v->operand.nr)
		return error_hint(caret_error(v->text, field->at, "The struct is in registers, so its "
					      "members cannot be read"),
				  "Read the register itself (%s)", v->operand.base);
	if (!variable_member(&v->type, field->name, &offset, &v->die, &near, 0)) {
		if (dwarf_hasattr(&v->type, DW_AT_declaration))
			return caret_error(v->text, field->at, "The struct %s is only declared where "
					   "this code was compiled", variable_type_name(v));
		err = caret_error(v->text, field->at, "The struct %s has no member %s",
				  variable_type_name(v), field->name);
		return near ? error_hint(err, "Did you mean %s?", near) : err;
	}
	operand_move(&v->operand, offset);
	v->element = false;
	v->has_type = dies_type(&v->die, &v->type);
	return NULL;
}

/*
 * Describe a bit field: the kernel reads a whole integer at the operand's address, and extracts
 * bits of it, counted from the lowest one.
 */
static bool variable_add_bits(struct variable *v, struct strbuf *out)
{
	uint64_t bits, first, bytes;
	int size = v->has_type ? dwarf_bytesize(&v->type) : 0;

	if (!dies_number(&v->die, DW_AT_bit_size, &bits) || size <= 0 || size > 8)
		return false;
	if (dies_number(&v->die, DW_AT_data_bit_offset, &first)) {
		operand_move(&v->operand, first / (size * 8) * size);
		first %= size * 8;
	} else if (dies_number(&v->die, DW_AT_bit_offset, &first)) {
		/* Until DWARF 4, it was counted from the highest bit. */
		if (dies_number(&v->die, DW_AT_byte_size, &bytes))
			size = bytes;
		first = (uint64_t)size * 8 - first - bits;
	} else {
		first = 0;
	}
	strbuf_addf(out, "b%u@%u/%u", (unsigned int)bits, (unsigned int)first, size * 8);
	return true;
}

static bool variable_is_signed(const struct variable *v)
{
	uint64_t encoding;

	return dies_number((Dwarf_Die *)&v->type, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ||
		encoding == DW_ATE_signed_fixed);
}

/* Prepare a string; follows the pointer to it. */
static struct error *variable_string(struct variable *v)
{
	size_t at = v->arg->at;
	int tag = v->has_type ? dwarf_tag(&v->type) : 0;
	Dwarf_Die holder = v->type;

	if (tag != DW_TAG_pointer_type && tag != DW_TAG_array_type)
		return caret_error(v->text, at, "%s is no string: it is neither a pointer nor an array",
				   v->arg->text);
	if (tag == DW_TAG_pointer_type && !operand_follow(&v->operand, 0))
		return caret_error(v->text, at, "Too many pointers are followed");
	v->has_type = dies_type(&holder, &v->type);
	if (v->has_type && strcmp(variable_type_name(v), "char") &&
	    strcmp(variable_type_name(v), "unsigned char"))
		return error_hint(caret_error(v->text, at, "%s is no string: its elements are %s, not "
					      "characters", v->arg->text, variable_type_name(v)),
				  "Its value is shown in hexadecimal with :x64");
	return NULL;
}

/* Append the type for the kernel; nothing for its default. */
static struct error *variable_add_kernel_type(struct variable *v, struct strbuf *out)
{
	const char *cast = v->arg->type;
	int size;

	if (cast && (!strcmp(cast, "string") || !strcmp(cast, "ustring"))) {
		strbuf_addstr(out, cast);
		return variable_string(v);
	}
	if (cast && cast[1]) {
		strbuf_addstr(out, cast);
		return NULL;
	}
	if (!v->element && variable_add_bits(v, out))
		return NULL;
	size = v->has_type ? dwarf_bytesize(&v->type) : -1;
	if (size <= 0)
		return NULL;
	if (size > 8) {
		log_notice("%s has %d bytes. Only the first 8 are recorded.", v->arg->text, size);
		size = 8;
	}
	strbuf_addf(out, "%c%d", cast ? *cast : variable_is_signed(v) ? 's' : 'x', size * 8);
	return NULL;
}

/* Go along the fields, and add the argument. */
static struct error *variable_finish(struct variable *v, struct probe_event *event)
{
	_cleanup_(strbuf) struct strbuf type = STRBUF_INIT;
	struct error *err = NULL;

	v->operand.user = v->arg->user;
	for (size_t i = 0; !err && i < v->arg->fields.nr; i++) {
		const struct probe_field *field = &v->arg->fields.items[i];

		err = field->name ? variable_field(v, field) : variable_index(v, field);
	}
	if (!err)
		err = variable_add_kernel_type(v, &type);
	if (!err && v->operand.is_sum)
		err = variable_not_here(v, PROBE_LOCATION_COMPUTED);
	return err ? err : probe_arg_add(v->arg, &v->operand, &type, event);
}

struct variables_walk {
	struct probe_place *place;
	const struct probe_binary *binary;
	probe_variable_fn function;
	void *context;
	struct error *err;
};

static enum dies_step variables_visit(void *context, Dwarf_Die *die)
{
	struct variables_walk *walk = context;
	struct operand operand;

	if (variable_is_one(die) && dwarf_diename(die)) {
		bool found = !probe_location_find(walk->binary, walk->place, die, &operand) &&
			     !operand.is_sum;

		walk->err = walk->function(walk->context, die, found);
		return walk->err ? DIES_STOP : DIES_SKIP;
	}
	if (dwarf_tag(die) == DW_TAG_lexical_block && dwarf_haspc(die, walk->place->address) > 0)
		return DIES_GO_ON;
	return DIES_SKIP;
}

struct error *probe_variables(const struct probe_binary *binary, struct probe_place *place,
			      probe_variable_fn function, void *context)
{
	struct variables_walk walk = { place, binary, function, context, NULL };

	dies_walk(&place->scope, variables_visit, &walk);
	return walk.err;
}

struct variables_add {
	struct variable *v;
	struct probe_event *event;
};

/* Add one of $vars or $params. */
static struct error *variables_add_one(void *context, Dwarf_Die *die, bool location)
{
	struct variables_add *add = context;
	struct probe_arg arg = {
		.variable = (char *)dwarf_diename(die), .type = add->v->arg->type,
		.at = add->v->arg->at, .text = (char *)dwarf_diename(die),
	};
	struct variable v = *add->v;

	if (add->v->arg->kind == PROBE_ARG_PARAMS && dwarf_tag(die) != DW_TAG_formal_parameter)
		return NULL;
	if (!location) {
		log_debug("%s cannot be read at this place, so it is left out.", arg.variable);
		return NULL;
	}
	for (size_t i = 0; i < add->event->args.nr; i++)
		if (add->event->args.items[i].name &&
		    !strcmp(add->event->args.items[i].name, arg.variable))
			return NULL;
	v.arg = &arg;
	v.die = *die;
	v.has_type = dies_type(die, &v.type);
	probe_location_find(v.binary, v.place, die, &v.operand);
	return variable_finish(&v, add->event);
}

/* The value that the function returns. */
static struct error *variable_of_return(struct variable *v, struct probe_event *event)
{
	if (!v->arg->fields.nr)
		return probe_event_add_arg(event, v->arg->name, "$retval", v->arg->type);
	strcpy(v->operand.base, "$retval");
	v->die = v->place->function;
	v->has_type = dies_type(&v->place->function, &v->type);
	return variable_finish(v, event);
}

struct error *probe_variable_add(const struct probe_binary *binary, struct probe_place *place,
				 const struct probe_arg *arg, const char *text,
				 struct probe_event *event)
{
	struct variable v = { .binary = binary, .place = place, .arg = arg, .text = text };
	struct variables_add add = { &v, event };
	struct error *err;

	switch (arg->kind) {
	case PROBE_ARG_RAW:
		return probe_event_add_arg(event, arg->name, arg->variable, arg->type);
	case PROBE_ARG_RETVAL:
		return variable_of_return(&v, event);
	case PROBE_ARG_PARAMS:
	case PROBE_ARG_VARS:
		return probe_variables(binary, place, variables_add_one, &add);
	default:
		err = variable_find(&v);
		return err ? err : variable_finish(&v, event);
	}
}

void probe_variable_add_type(Dwarf_Die *variable, struct strbuf *out)
{
	type_name_add_of(variable, out);
}

void probe_variable_add_ranges(Dwarf_Die *variable, uint64_t start, struct strbuf *out)
{
	Dwarf_Addr base, from, to;
	Dwarf_Attribute attribute;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	bool any = false;
	size_t nr;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return;
	while ((at = dwarf_getlocations(&attribute, at, &base, &from, &to, &ops, &nr)) > 0) {
		/* A single location holds everywhere. */
		if (to - from == UINT64_MAX)
			return;
		strbuf_addf(out, "%s%lld-%lld", any ? "," : "[", (long long)(from - start),
			    (long long)(to - start));
		any = true;
	}
	if (any)
		strbuf_addstr(out, "]");
}

// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/access_types.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "symbol/code/type_name.h"
#include "symbol/code/variables.h"
#include "symbol/elf/dwarf_lines.h"

/* The number of disassembled functions that are kept. */
#define FUNCTIONS_KEPT	1024

/* The variables of one binary. */
struct known_variables {
	const struct dwarf_lines *lines;
	struct variables *variables;
};

struct taken_function {
	const struct dso *dso;
	const struct symbol *symbol;
	uint64_t address;		/* of its first byte, as in the disassembly */
	struct disassembly disassembly;
	struct data_accesses *accesses;	/* NULL: its code is not here */
};

struct access_types {
	struct disassembly_options options;
	ARRAY_OF(struct known_variables) known;
	ARRAY_OF(struct taken_function *) functions;
	struct hash_table function_table;	/* positions in functions */
};

struct error *access_types_create(const struct disassembly_options *options,
				  struct access_types **ret)
{
	struct access_types *types = calloc(1, sizeof(*types));

	if (!types)
		return &error_no_memory;
	types->options = *options;
	*ret = types;
	return NULL;
}

static void destroy_taken_function(struct taken_function *f)
{
	if (!f)
		return;
	data_accesses_destroy(f->accesses);
	disassembly_deinit(&f->disassembly);
	free(f);
}
DEFINE_CLEANUP_PTR(taken_function, struct taken_function, destroy_taken_function)

static void forget_functions(struct access_types *types)
{
	for (size_t i = 0; i < types->functions.nr; i++)
		destroy_taken_function(types->functions.items[i]);
	types->functions.nr = 0;
	hash_table_deinit(&types->function_table);
	types->function_table = (struct hash_table){ 0 };
}

void access_types_destroy(struct access_types *types)
{
	if (!types)
		return;
	forget_functions(types);
	free(types->functions.items);
	for (size_t i = 0; i < types->known.nr; i++)
		variables_destroy(types->known.items[i].variables);
	free(types->known.items);
	free(types);
}

static struct error *find_variables(struct access_types *types, struct dwarf_lines *lines,
				    struct variables **ret)
{
	struct known_variables added = { .lines = lines };

	*ret = NULL;
	if (!lines || !dwarf_lines_dwarf(lines))
		return NULL;
	for (size_t i = 0; i < types->known.nr && !*ret; i++)
		if (types->known.items[i].lines == lines)
			*ret = types->known.items[i].variables;
	if (*ret)
		return NULL;
	added.variables = variables_create(lines);
	if (!added.variables || !array_push(&types->known, added)) {
		variables_destroy(added.variables);
		return &error_no_memory;
	}
	*ret = added.variables;
	return NULL;
}

/* Disassemble a function, if its code is here. */
static struct error *take_code_apart(struct access_types *types, struct machine *machine,
				     struct dso *dso, uint64_t start, struct taken_function *f)
{
	_cleanup_(code) struct code code = { .size = 0 };
	struct variables *variables = NULL;
	struct error *err;

	err = machine_code(machine, dso, f->symbol, start, &code);
	if (!err)
		err = disassemble(&code, &types->options, &f->disassembly);
	if (err && err->code == ENOENT) {
		error_free(err);
		return NULL;
	}
	if (!err && !code.relocatable)
		err = find_variables(types, dso_lines(dso, code.lines ? code.lines : code.path),
				     &variables);
	if (err)
		return err;
	f->address = code.address;
	f->accesses = data_accesses_create(code.machine, code.relocatable, &f->disassembly,
					   variables);
	return f->accesses ? NULL : &error_no_memory;
}

static struct error *find_taken_function(struct access_types *types, struct machine *machine,
					 struct dso *dso, const struct symbol *symbol,
					 uint64_t start, struct taken_function **ret)
{
	const uint64_t hash = hash_key_join(hash_key_number((uintptr_t)symbol), (uintptr_t)dso);
	_cleanup_(taken_function) struct taken_function *added = NULL;
	struct error *err;

	hash_table_each(&types->function_table, hash, n) {
		*ret = types->functions.items[n];
		if ((*ret)->symbol == symbol && (*ret)->dso == dso)
			return NULL;
	}
	if (types->functions.nr == FUNCTIONS_KEPT)
		forget_functions(types);
	added = calloc(1, sizeof(*added));
	if (!added)
		return &error_no_memory;
	added->dso = dso;
	added->symbol = symbol;
	err = take_code_apart(types, machine, dso, start, added);
	if (err)
		return err;
	if (!hash_table_add(&types->function_table, hash, types->functions.nr) ||
	    !array_push(&types->functions, added))
		return &error_no_memory;
	*ret = take_ptr(added);
	return NULL;
}

struct error *access_types_find(struct access_types *types, struct machine *machine,
				struct dso *dso, const struct symbol *symbol, uint64_t start,
				uint64_t offset, struct access_type *ret)
{
	struct taken_function *f;
	struct error *err = find_taken_function(types, machine, dso, symbol, start, &f);
	size_t position;

	*ret = (struct access_type){ .access = DATA_ACCESS_NO_INSTRUCTION };
	if (err || !f->accesses)
		return err;
	position = disassembly_find(&f->disassembly, f->address + offset);
	if (position == SIZE_MAX)
		return NULL;
	ret->access = data_accesses_find(f->accesses, position, &ret->place);
	ret->instruction = f->disassembly.items[position].text;
	return NULL;
}

void access_type_add_name(struct access_type *type, struct strbuf *out)
{
	if (type->access == DATA_ACCESS_KNOWN)
		type_name_add(&type->place.type, out);
	else if (type->access == DATA_ACCESS_STACK)
		strbuf_addstr(out, "(stack operation)");
	else if (type->access == DATA_ACCESS_CANARY)
		strbuf_addstr(out, "(stack canary)");
	else
		strbuf_addstr(out, "(unknown)");
}

// SPDX-License-Identifier: GPL-2.0
#include "probe/describe.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "probe/kernel_symbols.h"
#include "symbol/elf/dies.h"

/* The description of an address. */
struct described {
	uint64_t address;
	const char *function, *file;
	uint64_t offset;	/* behind the function's start */
	int line;		/* behind the function's first one; 0: not known */
	bool found;
};

void probe_describer_deinit(struct probe_describer *describer)
{
	if (describer->is_open)
		probe_binary_close(&describer->binary);
}

static bool is_same_name(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Open the file with the event's code; false: it cannot be read. */
static bool describe_open(struct probe_describer *describer, const struct probe_event *event)
{
	struct probe_binary_options of = { .vmlinux = describer->of.vmlinux };
	struct error *err;

	*(event->is_user ? &of.program : &of.module) = event->binary;
	if (describer->is_open && is_same_name(of.program, describer->of.program) &&
	    is_same_name(of.module, describer->of.module))
		return true;
	probe_describer_deinit(describer);
	err = probe_binary_open(&of, &describer->binary);
	describer->is_open = !err;
	describer->of = of;
	error_free(err);
	return describer->is_open;
}

/* A unit without ranges of its own has them in its functions. */
static bool unit_can_have(Dwarf_Die *unit, uint64_t address)
{
	return (!dwarf_hasattr(unit, DW_AT_ranges) && !dwarf_hasattr(unit, DW_AT_low_pc)) ||
	       dwarf_haspc(unit, address);
}

static bool describe_in_unit(void *context, Dwarf_Die *unit)
{
	struct described *d = context;
	Dwarf_Die function;
	uint64_t entry;
	int first, line = 0;
	Dwarf_Line *at;

	if (!unit_can_have(unit, d->address) ||
	    !dies_function_at(unit, d->address, &function) || !dies_entry(&function, &entry))
		return true;
	d->found = true;
	d->function = dwarf_diename(&function);
	d->file = dies_file(&function);
	d->offset = d->address - entry;
	at = dwarf_getsrc_die(unit, d->address);
	/* A line is named only where its code begins. */
	if (d->offset && at && !dwarf_lineno(at, &line) && !dwarf_decl_line(&function, &first)) {
		Dwarf_Addr begin;

		if (!dwarf_lineaddr(at, &begin) && begin == d->address && line > first)
			d->line = line - first;
	}
	return false;
}

static void describe_add_function(const struct probe_event *event, const struct described *d,
				  struct strbuf *out)
{
	strbuf_addstr(out, d->function);
	if (event->is_return)
		strbuf_addstr(out, "%return");
	else if (d->line)
		strbuf_addf(out, ":%d", d->line);
	else if (d->offset)
		strbuf_addf(out, "+%llu", (unsigned long long)d->offset);
	if (d->file)
		strbuf_addf(out, "@%s", d->file);
}

/* Append the location in a program; false: its file cannot be read any more. */
static bool describe_program(struct probe_describer *describer, const struct probe_event *event,
			     struct strbuf *out)
{
	const struct probe_binary *binary = &describer->binary;
	struct described d = { 0 };
	uint64_t start;

	if (!describe_open(describer, event) ||
	    !probe_binary_address(binary, event->offset, &d.address))
		return false;
	if (binary->dwarf)
		dies_units(binary->dwarf, describe_in_unit, &d);
	if (!d.function) {
		d.function = probe_binary_symbol(binary, d.address, &start);
		d.offset = d.address - start;
	}
	if (!d.function)
		return false;
	describe_add_function(event, &d, out);
	return true;
}

struct kernel_description {
	uint64_t address, start;
	char name[256];
};

static bool describe_nearest(void *context, const char *name, uint64_t address)
{
	struct kernel_description *d = context;

	if (address <= d->address && address >= d->start && strcmp(name, "_text")) {
		/* The first of several at one address is shown. */
		if (address > d->start || !*d->name)
			snprintf(d->name, sizeof(d->name), "%s", name);
		d->start = address;
	}
	return true;
}

/* Find a symbol in the debug information's addresses; false: it is not there, or several are. */
static bool describe_symbol(const struct probe_binary *binary, const char *name, uint64_t *ret)
{
	int nr = dwfl_module_getsymtab(binary->file);
	bool found = false;

	for (int i = 1; i < nr; i++) {
		GElf_Word section;
		GElf_Addr address;
		GElf_Sym symbol;
		const char *at = dwfl_module_getsym_info(binary->file, i, &symbol, &address,
							 &section, NULL, NULL);

		if (!at || strcmp(at, name) || section == SHN_UNDEF)
			continue;
		if (found && address - binary->bias != *ret)
			return false;
		*ret = address - binary->bias;
		found = true;
	}
	return found;
}

/* Describe the location by the debug information of the running code; false: there is none. */
static bool describe_code(struct probe_describer *describer, const struct probe_event *event,
			  struct strbuf *out)
{
	const struct probe_binary *binary = &describer->binary;
	struct described d = { 0 };

	if (!describe_open(describer, event) || !binary->dwarf || binary->offline ||
	    !describe_symbol(binary, event->symbol, &d.address))
		return false;
	d.address += event->offset;
	dies_units(binary->dwarf, describe_in_unit, &d);
	if (d.function)
		describe_add_function(event, &d, out);
	return d.function;
}

static void describe_kernel(struct probe_describer *describer, const struct probe_event *event,
			    struct strbuf *out)
{
	struct described d = { .function = event->symbol, .offset = event->offset };
	struct kernel_description found = { 0 };

	if (describe_code(describer, event, out))
		return;
	if (!strcmp(event->symbol, "_text") && kernel_symbols_start()) {
		found.address = kernel_symbols_start() + event->offset;
		error_free(kernel_symbols(NULL, describe_nearest, &found));
		if (*found.name) {
			d.function = found.name;
			d.offset = found.address - found.start;
		}
	}
	describe_add_function(event, &d, out);
}

void probe_describe(struct probe_describer *describer, const struct probe_event *event,
		    struct strbuf *out)
{
	if (!event->is_user)
		describe_kernel(describer, event, out);
	else if (!describe_program(describer, event, out))
		strbuf_addf(out, "0x%llx", (unsigned long long)event->offset);
	if (event->binary)
		strbuf_addf(out, " in %s", event->binary);
	for (size_t i = 0; i < event->args.nr; i++) {
		const char *name = event->args.items[i].name;

		strbuf_addf(out, "%s %s", i ? "" : " with", name ? name : event->args.items[i].value);
	}
}

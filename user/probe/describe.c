// SPDX-License-Identifier: GPL-2.0
#include "probe/describe.h"

#include <stdlib.h>
#include <string.h>

#include "probe/binary.h"
#include "symbol/dies.h"
#include "probe/kernel_symbols.h"

/* What is known of an address. */
struct described {
	uint64_t address;
	const char *function, *file;
	uint64_t offset;	/* behind the function's start */
	int line;		/* behind the function's first one; 0: not known */
	bool found;
};

static bool describe_in_unit(void *context, Dwarf_Die *unit)
{
	struct described *d = context;
	Dwarf_Die function;
	uint64_t entry;
	int first, line = 0;
	Dwarf_Line *at;

	if (!dies_function_at(unit, d->address, &function) || !dies_entry(&function, &entry))
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

/* Append the place in a program; false: its file cannot be read any more. */
static bool describe_program(const struct probe_event *event, struct strbuf *out)
{
	const struct probe_binary_options options = { .program = event->binary };
	_cleanup_(probe_binary) struct probe_binary binary = { 0 };
	struct error *err = probe_binary_open(&options, &binary);
	struct described d = { 0 };
	uint64_t start;

	if (err) {
		error_free(err);
		return false;
	}
	if (!probe_binary_address(&binary, event->offset, &d.address))
		return false;
	if (binary.dwarf)
		dies_units(binary.dwarf, describe_in_unit, &d);
	if (!d.function) {
		d.function = probe_binary_symbol(&binary, d.address, &start);
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
		/* Of several at one address, the first is shown. */
		if (address > d->start || !*d->name)
			snprintf(d->name, sizeof(d->name), "%s", name);
		d->start = address;
	}
	return true;
}

static void describe_kernel(const struct probe_event *event, struct strbuf *out)
{
	struct described d = { .function = event->symbol, .offset = event->offset };
	struct kernel_description found = { 0 };

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

void probe_describe(const struct probe_event *event, struct strbuf *out)
{
	if (!event->is_user)
		describe_kernel(event, out);
	else if (!describe_program(event, out))
		strbuf_addf(out, "0x%llx", (unsigned long long)event->offset);
	if (event->binary)
		strbuf_addf(out, " in %s", event->binary);
	for (size_t i = 0; i < event->args.nr; i++) {
		const char *name = event->args.items[i].name;

		strbuf_addf(out, "%s %s", i ? "" : " with", name ? name : event->args.items[i].value);
	}
}

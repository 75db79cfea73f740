// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/module_file.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "symbol/elf/elf_file.h"

void module_file_deinit(struct module_file *file)
{
	array_free_each(file);
	free(file->name);
	*file = (struct module_file){ 0 };
}

/*
 * Whether the symbol is like "str__mydrv__trace_system_name": the macros of
 * trace/stages/init.h give the text of a TRACE_SYSTEM this name.
 */
static bool is_system_name(const char *symbol)
{
	static const char end[] = "__trace_system_name";
	size_t len = strlen(symbol);

	return len > sizeof(end) && !strncmp(symbol, "str__", 5) &&
		!strcmp(symbol + len - (sizeof(end) - 1), end);
}

/* The text of @symbol; NULL: it is outside of its section. */
static const char *module_name_text(const struct elf_file *elf, const GElf_Sym *symbol)
{
	struct elf_section section = { .scn = elf_getscn(elf->elf, symbol->st_shndx) };
	Elf_Data *data;
	const char *text;

	if (!section.scn || !gelf_getshdr(section.scn, &section.header))
		return NULL;
	data = elf_section_data(&section);
	if (!data || !data->d_buf || symbol->st_value >= data->d_size)
		return NULL;
	text = (const char *)data->d_buf + symbol->st_value;
	return memchr(text, '\0', data->d_size - symbol->st_value) ? text : NULL;
}

static struct error *add_system(struct module_file *file, const char *system)
{
	char *copy;

	for (size_t i = 0; i < file->nr; i++)
		if (!strcmp(file->items[i], system))
			return NULL;
	copy = strdup(system);
	if (copy && array_push(file, copy))
		return NULL;
	free(copy);
	return &error_no_memory;
}

static struct error *read_symbols(const struct elf_file *elf, struct module_file *file)
{
	struct elf_section section = elf_file_section(elf, ".symtab");
	Elf_Data *data = section.scn ? elf_section_data(&section) : NULL;
	struct error *err = NULL;
	GElf_Sym symbol;

	for (int i = 0; !err && data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf->elf, section.header.sh_link, symbol.st_name);
		const char *system;

		if (!name || !is_system_name(name))
			continue;
		system = module_name_text(elf, &symbol);
		if (system)
			err = add_system(file, system);
	}
	return err;
}

/* Find the module's name, which is "name=mydrv\0" among other strings. */
static struct error *read_name(const struct elf_file *elf, struct module_file *file)
{
	struct elf_section section = elf_file_section(elf, ".modinfo");
	Elf_Data *data = section.scn ? elf_section_data(&section) : NULL;
	const char *p = data ? data->d_buf : NULL, *end = p ? p + data->d_size : NULL;

	while (p && p < end) {
		size_t len = strnlen(p, end - p);

		if (len > 5 && !strncmp(p, "name=", 5)) {
			file->name = strndup(p + 5, len - 5);
			return file->name ? NULL : &error_no_memory;
		}
		p += len + 1;
	}
	return NULL;
}

struct error *module_file_read(const char *path, struct module_file *ret)
{
	_cleanup_(module_file) struct module_file file = { 0 };
	_cleanup_(elf_file) struct elf_file elf = { .fd = -1 };
	struct error *err;

	if (!elf_file_open(&elf, path))
		return error_hint(error_new(0, "%s is not an ELF file that can be read", path),
				  "Name the .ko file of a module; it may be packed (.ko.xz, .ko.zst, "
				  ".ko.gz)");
	err = read_symbols(&elf, &file);
	if (!err)
		err = read_name(&elf, &file);
	if (err)
		return err;
	if (!file.name)
		return error_new(0, "%s is not a kernel module: it does not hold the name of one",
				 path);
	/* End the list with NULL. */
	if (!array_push(&file, (char *)NULL))
		return &error_no_memory;
	file.nr--;
	*ret = file;
	file = (struct module_file){ 0 };
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "symbol/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/array.h"
#include "symbol/debuginfod.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/embedded.h"
#include "symbol/kallsyms.h"

#define RUNNING_KERNEL	"/proc/kallsyms"
#define RUNNING_MODULES	"/proc/modules"
#define RUNNING_MEMORY	"/proc/kcore"

void kernel_deinit(struct kernel *kernel)
{
	symbols_deinit(&kernel->symbols);
	free(kernel->ranges.items);
	free(kernel->path);
	free(kernel->debug_path);
	*kernel = (struct kernel){ .origin = KERNEL_UNKNOWN };
}

/* Drop the symbols, so that others can be read. */
static void kernel_forget(struct kernel *kernel)
{
	bool tried = kernel->tried;

	kernel_deinit(kernel);
	kernel->tried = tried;
}

/* Use the kernel's symbols in the recording; false: there are none. */
static bool load_embedded(struct kernel *kernel, const struct symbol_options *options,
			  struct error **ret_error)
{
	bool found = embedded_kernel(options->embedded, kernel, ret_error);

	if (*ret_error)
		kernel_forget(kernel);
	return found;
}

/* Whether the running kernel was recorded.  Without a build id, its release has to match. */
static bool is_running_kernel(const struct kernel_identity *identity)
{
	const struct header *header = identity->header;
	struct build_id running;
	struct utsname uts;

	if (identity->id.size)
		return build_id_of_kernel(&running) && build_id_equal(&running, &identity->id);
	return !header->os_release || (!uname(&uts) && !strcmp(uts.release, header->os_release));
}

/*
 * Builds of one release can differ, so a release alone only proves the kernel of a recording that
 * was made on this host.
 */
static bool is_assumed_kernel(const struct kernel_identity *identity)
{
	return !identity->id.size &&
	       !(identity->header->os_release && header_is_local(identity->header));
}

bool kernel_is_this(const struct kernel_identity *identity)
{
	return is_running_kernel(identity) && !is_assumed_kernel(identity);
}

static void move_symbols(struct kernel *kernel, uint64_t delta)
{
	for (size_t i = 0; delta && i < kernel->symbols.nr; i++) {
		kernel->symbols.items[i].start += delta;
		kernel->symbols.items[i].end += delta;
		kernel->symbols.reaches[i] += delta;
	}
}

static struct error *set_path(struct kernel *kernel, const char *path)
{
	free(kernel->path);
	kernel->path = strdup(path);
	return kernel->path ? NULL : &error_no_memory;
}

/*
 * Read kallsyms.  @ret_moved: they are of the same kernel, but it had another address when it was
 * recorded.
 */
static struct error *read_kallsyms(struct kernel *kernel, const char *path,
				   const struct kernel_identity *identity, bool *ret_moved)
{
	uint64_t landmark, delta = 0;
	struct error *err;

	err = kallsyms_read(path, &kernel->symbols, identity->landmark, &landmark);
	if (err) {
		symbols_deinit(&kernel->symbols);
		return err;
	}
	if (identity->landmark && identity->address && landmark)
		delta = identity->address - landmark;
	move_symbols(kernel, delta);
	*ret_moved = delta || !landmark;
	kernel->origin = KERNEL_KALLSYMS;
	return set_path(kernel, path);
}

/* Whether every module of the recording is still loaded at its recorded address. */
static bool has_modules(const struct kernel_identity *identity)
{
	_cleanup_fclose_ FILE *file = fopen(RUNNING_MODULES, "re");
	_cleanup_free_ char *line = NULL;
	size_t alloc = 0, found = 0;

	if (!file)
		return false;
	while (getline(&line, &alloc, file) > 0) {
		char *end = strchr(line, ' '), *address = strstr(line, " 0x");
		unsigned long long start = address ? strtoull(address, NULL, 16) : 0;

		if (!end)
			continue;
		for (size_t i = 0; i < identity->nr_modules; i++) {
			const struct kernel_module *m = &identity->modules[i];

			if (m->start == start && !strncmp(m->name + 1, line, end - line) &&
			    !strcmp(m->name + 1 + (end - line), "]"))
				found++;
		}
	}
	return found == identity->nr_modules;
}

/* Read the ranges of /proc/kcore, if we may. */
static struct error *read_ranges(struct kernel *kernel)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	size_t nr = 0;

	if (!elf_file_open(&file, RUNNING_MEMORY) || elf_getphdrnum(file.elf, &nr))
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		struct kernel_range range;
		GElf_Phdr segment;
		uint64_t size;

		if (!gelf_getphdr(file.elf, i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_R))
			continue;
		size = segment.p_memsz < segment.p_filesz ? segment.p_memsz : segment.p_filesz;
		range = (struct kernel_range){ segment.p_vaddr, segment.p_vaddr + size,
					       segment.p_offset, NULL };
		if (size && !array_push(&kernel->ranges, range))
			return &error_no_memory;
	}
	return NULL;
}

static bool is_other_kernel(const struct elf_file *file, const struct build_id *recorded)
{
	struct build_id id;

	return recorded->size && (!elf_file_build_id(file, &id) || !build_id_equal(&id, recorded));
}

/* Read the sections that have symbols. */
static struct error *read_sections(struct kernel *kernel, const struct elf_file *file,
				   uint64_t delta)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(file->elf, scn))) {
		struct kernel_range range;
		const struct symbol *symbol;
		GElf_Shdr section;

		if (!gelf_getshdr(scn, &section) || !(section.sh_flags & SHF_ALLOC) ||
		    !section.sh_size)
			continue;
		range.start = section.sh_addr + delta;
		range.end = range.start + section.sh_size;
		range.offset = section.sh_offset;
		symbol = symbols_first(&kernel->symbols, range.start);
		if (!symbol || symbol->start >= range.end)
			continue;
		range.part = symbol->part;
		if (!array_push(&kernel->ranges, range))
			return &error_no_memory;
	}
	return NULL;
}

/* Use @path if it is the vmlinux of this kernel and has symbols. */
static struct error *try_vmlinux(struct kernel *kernel, const char *path,
				 const struct kernel_identity *identity)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	uint64_t landmark = 0, delta = 0;
	struct error *err;

	if (!elf_file_open(&file, path) || is_other_kernel(&file, &identity->id) ||
	    !elf_has_symtab(&file))
		return NULL;
	err = elf_symbols_add(&file, &file, ELF_VIRTUAL, &kernel->symbols);
	if (err || !kernel->symbols.nr) {
		symbols_deinit(&kernel->symbols);
		return err;
	}
	if (identity->landmark)
		landmark = elf_symbol_value(&file, identity->landmark);
	if (landmark && identity->address)
		delta = identity->address - landmark;
	move_symbols(kernel, delta);
	kernel->moved = delta;
	err = read_sections(kernel, &file, delta);
	if (err)
		return err;
	kernel->origin = KERNEL_VMLINUX;
	return set_path(kernel, path);
}

/* Search for a vmlinux where distributions install it for a release. */
static struct error *find_vmlinux(struct kernel *kernel, const struct symbol_options *options,
				  const struct kernel_identity *identity)
{
	static const char *const places[][2] = {
		{ "vmlinux", NULL },
		{ "/boot/vmlinux", NULL },
		{ "/boot/vmlinux-", "" },
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/boot/vmlinux-", ".debug" },
	};
	const struct header *header = identity->header;
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct error *err = NULL;

	if (!identity->id.size)
		return NULL;
	if (symbol_file_cached(&identity->id, "elf", &path))
		err = try_vmlinux(kernel, path.data, identity);
	for (size_t i = 0; i < ARRAY_SIZE(places) && !err && !kernel->origin; i++) {
		const char *release = places[i][1] ? header->os_release : "";

		if (!release)
			continue;
		strbuf_reset(&path);
		strbuf_addf(&path, "%s%s%s%s", options->symfs ? options->symfs : "",
			    places[i][0], release, places[i][1] ? places[i][1] : "");
		err = path.failed ? &error_no_memory : try_vmlinux(kernel, path.data, identity);
	}
	return err;
}

static bool has_kernel_code(const struct elf_file *file)
{
	struct elf_section text = elf_file_section(file, ".text");

	return text.scn && text.header.sh_type != SHT_NOBITS;
}

/* The code may be in another file than the debug information, with the same addresses. */
static struct error *fetch_code(struct kernel *kernel, const struct symbol_options *options,
				const struct kernel_identity *identity)
{
	_cleanup_(elf_file) struct elf_file debug = { .fd = -1 }, file = { .fd = -1 };
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	if (!elf_file_open(&debug, kernel->path) || has_kernel_code(&debug) ||
	    !debuginfod_find(options->debuginfod, DEBUGINFOD_BINARY, &identity->id, "vmlinux",
			     &path) ||
	    !elf_file_open(&file, path.data) || !has_kernel_code(&file))
		return NULL;
	kernel->debug_path = kernel->path;
	kernel->path = NULL;
	kernel->ranges.nr = 0;
	return read_sections(kernel, &file, kernel->moved) ?: set_path(kernel, path.data);
}

struct error *kernel_fetch(struct kernel *kernel, const struct symbol_options *options,
			   const struct kernel_identity *identity)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct error *err;

	kernel->tried = true;
	if (!debuginfod_find(options->debuginfod, DEBUGINFOD_DEBUG, &identity->id, "vmlinux", &path))
		return NULL;
	err = try_vmlinux(kernel, path.data, identity);
	return err || !kernel->origin ? err : fetch_code(kernel, options, identity);
}

static struct error *load_running(struct kernel *kernel, const struct kernel_identity *identity)
{
	struct error *err;
	bool moved;

	kernel->assumed = is_assumed_kernel(identity);
	err = read_kallsyms(kernel, RUNNING_KERNEL, identity, &moved);
	if (!err && !moved && has_modules(identity))
		err = read_ranges(kernel);
	return err;
}

/* Read perf's cached copy of a kernel that was recorded here before. */
static struct error *load_cached(struct kernel *kernel, const struct kernel_identity *identity)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	bool moved;

	if (!symbol_file_cached(&identity->id, "kallsyms", &path))
		return NULL;
	if (path.failed)
		return &error_no_memory;
	return access(path.data, R_OK) ? NULL : read_kallsyms(kernel, path.data, identity, &moved);
}

static struct error *load_named_vmlinux(struct kernel *kernel,
					const struct symbol_options *options,
					const struct kernel_identity *identity)
{
	struct error *err;

	err = try_vmlinux(kernel, options->vmlinux, identity);
	if (err || kernel->origin)
		return err;
	if (access(options->vmlinux, R_OK))
		return error_errno(errno, "Cannot open %s", options->vmlinux);
	return error_hint(error_new(EINVAL, "%s is not the vmlinux of the kernel that was recorded, "
				    "or has no symbols", options->vmlinux),
			  "'readelf -n %s' shows its build id, 'ktrace script --header-only' "
			  "the kernel's release", options->vmlinux);
}

struct error *kernel_load(struct kernel *kernel, const struct symbol_options *options,
			  const struct kernel_identity *identity)
{
	struct error *err = NULL;
	bool moved;

	if (kernel->tried)
		return NULL;
	kernel->tried = true;
	if (options->kallsyms)
		return read_kallsyms(kernel, options->kallsyms, identity, &moved);
	if (options->vmlinux)
		return load_named_vmlinux(kernel, options, identity);
	if (!options->symfs && options->embedded &&
	    load_embedded(kernel, options, &err))
		return err;
	if (!options->no_vmlinux)
		err = find_vmlinux(kernel, options, identity);
	if (err || kernel->origin)
		return err;
	if (options->symfs) {
		if (options->embedded)
			load_embedded(kernel, options, &err);
		if (err || kernel->origin || options->no_vmlinux)
			return err;
		return kernel_fetch(kernel, options, identity);
	}
	if (is_running_kernel(identity))
		return load_running(kernel, identity);
	err = load_cached(kernel, identity);
	if (err || kernel->origin || options->no_vmlinux)
		return err;
	return kernel_fetch(kernel, options, identity);
}

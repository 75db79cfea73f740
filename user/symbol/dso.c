// SPDX-License-Identifier: GPL-2.0
#include "symbol/dso.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "symbol/debuginfod.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/elf_plt.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/go_table.h"
#include "symbol/elf/unpack.h"
#include "symbol/embedded.h"
#include "symbol/jit/perf_map.h"
#include "symbol/source_text.h"
#include "symbol/symbol_sources.h"

char *dso_module_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *end = strstr(name, ".ko");
	char *ret;

	if (*name == '[' || !end)
		return strdup(name);
	if (asprintf(&ret, "[%.*s]", (int)(end - name), name) < 0)
		return NULL;
	for (char *c = ret; *c; c++)
		if (*c == '-')
			*c = '_';
	return ret;
}

/* Returns "[JIT] tid 123" for /tmp/perf-123.map; in general, the part behind the last slash. */
static char *make_short_name(const struct dso *dso)
{
	const char *slash = strrchr(dso->name, '/');
	char *name;
	int pid;

	if (dso->kind == DSO_PERF_MAP && sscanf(dso->name, "/tmp/perf-%d.map", &pid) == 1)
		return asprintf(&name, "[JIT] tid %d", pid) < 0 ? NULL : name;
	if (dso->kind == DSO_MODULE)
		return dso_module_name(dso->name);
	if (dso->kind == DSO_KERNEL && strstr(dso->name, "vmlinux") && slash)
		return strdup("[kernel.vmlinux]");
	return strdup(slash ? slash + 1 : dso->name);
}

struct error *dso_create(enum dso_kind kind, const char *name, const char *path, struct dso **ret)
{
	struct dso *dso = calloc(1, sizeof(*dso));

	if (dso) {
		dso->kind = kind;
		dso->source_reader = SOURCE_READER_NOBODY;
		dso->name = strdup(name);
		dso->path = path ? strdup(path) : NULL;
		dso->short_name = dso->name ? make_short_name(dso) : NULL;
	}
	if (!dso || !dso->name || !dso->short_name || (path && !dso->path)) {
		dso_destroy(dso);
		return &error_no_memory;
	}
	*ret = dso;
	return NULL;
}

void dso_destroy(struct dso *dso)
{
	if (!dso)
		return;
	dwarf_lines_destroy(dso->lines);
	symbols_deinit(&dso->own);
	free(dso->name);
	free(dso->short_name);
	free(dso->path);
	free(dso->part);
	free(dso->symbol_path);
	free(dso->tasks.items);
	free(dso);
}

static void set_text_offset(struct dso *dso, const struct elf_file *file)
{
	struct elf_section text = elf_file_section(file, ".text");

	if (text.scn)
		dso->text_offset = text.header.sh_addr - text.header.sh_offset;
}

/* Whether this is memory with a name in brackets, or a file that exists but is no ELF file. */
static bool is_no_binary(const struct dso *dso, const struct symbol_options *options)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	return *dso->path != '/' ||
	       (symbol_file_path(SYMBOL_FILE_ITSELF, options, dso->path, &dso->id, &path) &&
		!access(path.data, F_OK));
}

/* Add the functions whose names the binary keeps compressed, besides those of its .dynsym. */
static struct error *add_packed_symbols(struct dso *dso, const struct elf_file *runtime)
{
	struct elf_section section = elf_file_section(runtime, ".gnu_debugdata");
	_cleanup_(strbuf) struct strbuf image = STRBUF_INIT;
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	Elf_Data *data = elf_section_data(&section);

	if (!data || !unpack(data->d_buf, data->d_size, &image) ||
	    !elf_file_open_memory(&file, image.data, image.len))
		return NULL;
	dso->symbol_file = SYMBOL_FILE_MINI;
	return elf_symbols_add(&file, runtime, ELF_FILE_OFFSETS, &dso->own);
}

static struct error *dso_load_file(struct dso *dso, const struct symbol_options *options)
{
	_cleanup_(symbol_sources) struct symbol_sources s = { .found = false };
	const struct elf_file *symbols, *runtime;
	struct error *err;

	symbol_sources_ask(&s, dso, options);
	if (!s.has_symbols && !s.has_runtime) {
		dso->state = s.found ? DSO_STRIPPED : s.changed ? DSO_CHANGED :
			     dso->kind == DSO_VDSO ? DSO_UNIDENTIFIED :
			     is_no_binary(dso, options) ? DSO_READ : DSO_MISSING;
		return NULL;
	}
	symbols = s.has_symbols ? &s.symbols : &s.runtime;
	runtime = s.has_runtime ? &s.runtime : &s.symbols;
	set_text_offset(dso, runtime);
	err = elf_symbols_add(symbols, runtime, ELF_FILE_OFFSETS, &dso->own);
	if (!err && !s.has_symbols)
		err = add_packed_symbols(dso, runtime);
	if (!err && !s.has_symbols)
		err = go_table_add(runtime, &dso->own);
	if (!err && dso->own.nr)
		err = elf_plt_add(runtime, &dso->own);
	dso->state = dso->own.nr ? DSO_READ : DSO_STRIPPED;
	return err;
}

/* Use the symbols of the module's file @path, if it is that module and has some. */
static struct error *read_module(struct dso *dso, const char *path, enum symbol_file kind)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	struct elf_section text;

	if (!elf_file_open(&file, path) || !dso_owns(dso, &file, kind) || !elf_has_symtab(&file))
		return NULL;
	dso->symbol_file = kind;
	text = elf_file_section(&file, ".text");
	dso->map_offset = text.scn ? text.header.sh_offset : 0;
	return elf_symbols_add(&file, &file, ELF_SECTION_OFFSETS, &dso->own);
}

/* Whether the kernel's table has symbols of the module. */
static bool has_shared_symbols(const struct dso *dso)
{
	for (size_t i = 0; dso->shared && dso->part && i < dso->shared->nr; i++) {
		const struct symbol *symbol = &dso->shared->items[i];

		if (symbol->part && !strcmp(symbol->part, dso->part))
			return true;
	}
	return dso->shared && !dso->part;
}

/*
 * Read a module's symbols from its file.  Without a file, it keeps its symbols of kallsyms, or a
 * file with them is downloaded.
 */
static struct error *load_module(struct dso *dso, const struct symbol_options *options)
{
	static const enum symbol_file kinds[] = { SYMBOL_FILE_CACHE, SYMBOL_FILE_ITSELF };
	static const enum debuginfod_kind fetched[] = { DEBUGINFOD_DEBUG, DEBUGINFOD_BINARY };
	const char *name = dso->path ? dso->path : dso->name;
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct error *err = NULL;

	for (size_t i = 0; i < 2 && !err && !dso->own.nr; i++)
		if ((dso->path || kinds[i] == SYMBOL_FILE_CACHE) &&
		    symbol_file_path(kinds[i], options, name, &dso->id, &path))
			err = read_module(dso, path.data, kinds[i]);
	if (!dso->own.nr && options->debuginfod && !has_shared_symbols(dso))
		for (size_t i = 0; i < 2 && !err && !dso->own.nr; i++)
			if (debuginfod_find(options->debuginfod, fetched[i], &dso->id, name, &path))
				err = read_module(dso, path.data, i ? SYMBOL_FILE_FETCHED :
								      SYMBOL_FILE_FETCHED_DEBUG);
	if (dso->own.nr) {
		dso->shared = NULL;
		dso->of_recording = false;
	}
	dso->state = dso->own.nr || dso->shared ? DSO_READ : DSO_MISSING;
	return err;
}

/* Use the embedded symbols; without them, the binary is not changed. */
static struct error *take_embedded_symbols(struct dso *dso, const struct embedded_binary *binary)
{
	struct symbols own = { .nr = 0 };
	struct error *err = embedded_symbols(binary->symbols, &own);

	if (err) {
		symbols_deinit(&own);
		return err;
	}
	symbols_deinit(&dso->own);
	dso->own = own;
	dso->shared = NULL;
	dso->of_recording = true;
	dso->text_offset = binary->text_offset;
	dso->map_offset = binary->map_offset;
	return NULL;
}

/* Use the recording's data about the binary; false: there is none, or it is damaged. */
static bool take_embedded(struct dso *dso, const struct symbol_options *options,
			  struct error **ret_error)
{
	const struct embedded_binary *binary = embedded_find(options->embedded, dso);

	if (!binary)
		return false;
	*ret_error = NULL;
	if (binary->flags & EMBEDDED_OWN_SYMBOLS)
		*ret_error = take_embedded_symbols(dso, binary);
	if (*ret_error && *ret_error != &error_no_memory) {
		log_warning("%s: the names of %s come from the files on this machine.",
			    (*ret_error)->message, dso->name);
		error_free(*ret_error);
		*ret_error = NULL;
		return false;
	}
	dso->assumed = 0;
	dso->state = DSO_READ;
	dso->lines = embedded_lines(binary);
	dso->lines_tried = true;
	return true;
}

/*
 * A JIT compiler writes the map into /tmp as its process sees it, and names it by the number of the
 * process in its own pid namespace.
 */
static struct error *dso_load_perf_map(struct dso *dso)
{
	const struct task_map *map = dso->tasks.nr ? dso->tasks.items : NULL;
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct task_identity task;
	struct error *err;
	char inner[32];

	if (!map || !task_identify(map->pid, dso->recorded, &task))
		return perf_map_read(dso->path, geteuid(), &dso->own);
	snprintf(inner, sizeof(inner), "/tmp/perf-%d.map", task.inner_pid);
	if (task_file_path(map->pid, inner, &path)) {
		err = perf_map_read(path.data, task.uid, &dso->own);
		if (!err || err == &error_no_memory)
			return err;
		error_free(err);
	}
	return perf_map_read(dso->path, task.uid, &dso->own);
}

static struct error *load_from_files(struct dso *dso, const struct symbol_options *options)
{
	struct error *err;

	switch (dso->kind) {
	case DSO_FILE:
	case DSO_VDSO:
		return dso_load_file(dso, options);
	case DSO_PERF_MAP:
		err = dso_load_perf_map(dso);
		dso->state = !err ? DSO_READ : err->code == EPERM ? DSO_UNTRUSTED : DSO_MISSING;
		if (err == &error_no_memory)
			return err;
		error_free(err);
		return NULL;
	case DSO_MODULE:
		return load_module(dso, options);
	case DSO_MEMORY:
	case DSO_KERNEL:
	case DSO_BPF:
		break;
	}
	dso->state = DSO_READ;
	return NULL;
}

static struct error *load_symbols(struct dso *dso, const struct symbol_options *options)
{
	struct error *err;

	dso->embedded = options->embedded;
	dso->debuginfod = options->debuginfod;
	if (!options->symfs && take_embedded(dso, options, &err))
		return err;
	err = load_from_files(dso, options);
	if (!err && options->symfs && dso->state > DSO_READ)
		take_embedded(dso, options, &err);
	return err;
}

struct error *dso_load(struct dso *dso, const struct symbol_options *options)
{
	struct error *err = dso->state == DSO_UNREAD ? load_symbols(dso, options) : NULL;

	if (err) {
		/* Some may have been added, but they are not sorted for look-ups. */
		dso->own.nr = 0;
		dso->state = DSO_MISSING;
	}
	return err;
}

/* "ext4.ko.xz" */
static bool is_packed_module(const char *path)
{
	const char *end = strstr(path, ".ko.");

	return end && !strchr(end, '/');
}

static const struct {
	char letter;		/* perf's */
	const char *text;
} symbol_origins[SYMBOL_FILE_NR] = {
	[SYMBOL_FILE_DEBUG_LINK] = { 'l', "its debug link" },
	[SYMBOL_FILE_CACHE] = { 'B', "the cache of binaries" },
	[SYMBOL_FILE_CACHE_DEBUG] = { 'D', "the cache of binaries" },
	[SYMBOL_FILE_DEBUG_SUFFIX] = { 'f', "the folder of debug packages, by its path" },
	[SYMBOL_FILE_DEBUG_PATH] = { 'u', "the folder of debug packages, by its path" },
	[SYMBOL_FILE_BUILD_ID] = { 'b', "the folder of debug packages, by its build id" },
	[SYMBOL_FILE_ITSELF] = { 'd', "the binary itself" },
	[SYMBOL_FILE_DEBUG_FOLDER] = { 'o', "a folder .debug beside it" },
	[SYMBOL_FILE_DEBUG_NO_USR] = { 'x', "the folder of debug packages, by its path" },
	[SYMBOL_FILE_FETCHED_DEBUG] = { 'D', "debuginfod" },
	[SYMBOL_FILE_FETCHED] = { 'B', "debuginfod" },
	[SYMBOL_FILE_MINI] = { 'n', "its section .gnu_debugdata" },
};

const char *dso_symbol_source(const struct dso *dso)
{
	return dso->of_recording || dso->shared || dso->kind == DSO_PERF_MAP ? NULL :
	       symbol_origins[dso->symbol_file].text;
}

char dso_symbol_origin(const struct dso *dso)
{
	if (dso->state != DSO_READ && !dso->shared)
		return '!';
	if (dso->shared ? !dso->shared->nr : !dso->own.nr)
		return '!';
	if (dso->of_recording)
		return 'e';
	if (dso->shared)
		return dso->of_vmlinux ? 'v' : 'k';
	if (dso->kind == DSO_PERF_MAP)
		return 'j';
	if (dso->kind == DSO_MODULE && dso->symbol_file == SYMBOL_FILE_ITSELF)
		return is_packed_module(dso->path) ? 'm' : 'K';
	return symbol_origins[dso->symbol_file].letter;
}

const struct symbol *dso_find(struct dso *dso, uint64_t address)
{
	const struct symbol *symbol;

	dso->hits++;
	symbol = symbols_find(dso->shared ? dso->shared : &dso->own, address);
	if (!symbol || !dso->shared || dso->all_parts)
		return symbol;
	if (!symbol->part != !dso->part || (dso->part && strcmp(symbol->part, dso->part)))
		return NULL;
	return symbol;
}

/* Whether the file that the recording names is still the one that ran. */
static bool is_still_there(const struct dso *dso)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	struct build_id id;

	return elf_file_open(&file, dso->path) && elf_file_build_id(&file, &id) &&
	       build_id_equal(&id, &dso->id);
}

/*
 * The author of the debug information in @path.  A copy in a cache belongs to the user who made the
 * copy, so the owner of the binary itself counts.  Files in a container may belong to its own root.
 */
static uid_t owner_of_lines(const struct dso *dso, const char *path)
{
	bool is_own = dso->kind != DSO_FILE || strlen(path) < strlen(dso->path) ||
		      !strcmp(path + strlen(path) - strlen(dso->path), dso->path);
	struct stat st;

	if (!is_own && !is_still_there(dso))
		return SOURCE_READER_NOBODY;
	if (!is_own)
		path = dso->path;
	return !strncmp(path, "/proc/", 6) || stat(path, &st) ? SOURCE_READER_NOBODY : st.st_uid;
}

struct dwarf_lines *dso_lines(struct dso *dso, const char *path)
{
	_cleanup_(strbuf) struct strbuf fetched = STRBUF_INIT;

	if (!dso->lines_tried)
		dso->source_reader = owner_of_lines(dso, path);
	if (!dso->lines_tried)
		dso->lines = dwarf_lines_open(path);
	if (!dso->lines_tried && !dso->lines && dso->kind == DSO_FILE &&
	    debuginfod_find(dso->debuginfod, DEBUGINFOD_DEBUG, &dso->id, dso->path, &fetched))
		dso->lines = dwarf_lines_open(fetched.data);
	dso->lines_tried = true;
	return dso->lines;
}

size_t dso_find_source(struct dso *dso, uint64_t address, struct source_place *places, size_t max)
{
	const char *path = dso->symbol_path ? dso->symbol_path : dso->path;
	struct dwarf_lines *lines;

	if (dso->kind != DSO_FILE || dso->state != DSO_READ || !path)
		return 0;
	lines = dso_lines(dso, path);
	return lines ? dwarf_lines_find(lines, address + dso->text_offset, places, max) : 0;
}

const char *dso_source_line(const struct dso *dso, struct source_texts *texts, const char *path,
			    unsigned int line)
{
	const char *text = embedded_source(dso->embedded, path, line);
	_cleanup_(strbuf) struct strbuf fetched = STRBUF_INIT;

	if (!text)
		text = source_texts_line(texts, path, line, dso->source_reader);
	if (text || !dso->debuginfod || *path != '/' ||
	    source_texts_has(texts, path, dso->source_reader) ||
	    !debuginfod_find(dso->debuginfod, DEBUGINFOD_SOURCE, &dso->id, path, &fetched))
		return text;
	source_texts_take(texts, path, dso->source_reader, fetched.data);
	return source_texts_line(texts, path, line, dso->source_reader);
}

// SPDX-License-Identifier: GPL-2.0
#include "symbol/symbol_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "symbol/debuginfod.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/go_table.h"

void symbol_sources_deinit(struct symbol_sources *s)
{
	if (s->has_symbols)
		elf_file_close(&s->symbols);
	if (s->has_runtime)
		elf_file_close(&s->runtime);
}

/* Whether the file has names of functions outside of .symtab. */
static bool has_other_names(const struct elf_file *file)
{
	return elf_has_dynsym(file) || elf_file_section(file, ".gnu_debugdata").scn ||
	       go_table_exists(file);
}

/* Use @file for the missing roles; each of the two roles gets a handle of its own. */
static void take_file(struct symbol_sources *s, struct elf_file *file, const char *path,
		      struct dso *dso)
{
	bool symtab = !s->has_symbols && elf_has_symtab(file);
	bool dynsym = !s->has_runtime && has_other_names(file);

	s->found = true;
	if (symtab) {
		s->symbols = *file;
		s->has_symbols = true;
		*file = (struct elf_file){ .fd = -1 };
		if (path && !dso->symbol_path)
			dso->symbol_path = strdup(path);
	}
	if (dynsym) {
		if (!symtab)
			s->runtime = *file;
		else if (!path || !elf_file_open(&s->runtime, path))
			return;
		s->has_runtime = true;
		*file = (struct elf_file){ .fd = -1 };
	}
}

static void try_file(struct symbol_sources *s, const char *path, enum symbol_file kind,
		     struct dso *dso)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	bool had_symbols = s->has_symbols, had_runtime = s->has_runtime;

	if (!elf_file_open(&file, path))
		return;
	if (!dso_owns(dso, &file, kind)) {
		s->changed = true;
		return;
	}
	take_file(s, &file, path, dso);
	if (s->has_symbols && !had_symbols)
		dso->symbol_file = kind;
	else if (!s->has_symbols && s->has_runtime && !had_runtime)
		dso->symbol_file = kind;
}

/* If the recording has no build id, assume that of the current file at @path. */
static void assume_build_id(struct dso *dso, const char *path)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	struct stat st;

	if (dso->id.size || !elf_file_open(&file, path))
		return;
	dso->replaced = !dso_owns(dso, &file, SYMBOL_FILE_ITSELF);
	if (dso->replaced)
		return;
	elf_file_build_id(&file, &dso->id);
	if (!fstat(file.fd, &st))
		dso->assumed = st.st_ctime;
}

static bool has_all(const struct symbol_sources *s)
{
	return s->has_symbols && s->has_runtime;
}

/* Search the files of living tasks, which may be in another mount namespace, or deleted. */
static void ask_tasks(struct symbol_sources *s, struct dso *dso,
		      const struct symbol_options *options)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct symbol_options there = *options;
	char root[32];
	int32_t pid;

	if (!dso_find_live(dso, &path, &pid))
		return;
	assume_build_id(dso, path.data);
	try_file(s, path.data, SYMBOL_FILE_ITSELF, dso);
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	there.symfs = root;
	for (int kind = 0; kind < SYMBOL_FILE_NR && dso->id.size && !has_all(s); kind++)
		if (symbol_file_path(kind, &there, dso->path, &dso->id, &path))
			try_file(s, path.data, kind, dso);
}

/* Search the possible paths: debug links, perf's cache, debug folders, the file itself. */
static void ask_paths(struct symbol_sources *s, struct dso *dso,
		      const struct symbol_options *options)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	if (symbol_file_path(SYMBOL_FILE_ITSELF, options, dso->path, &dso->id, &path))
		assume_build_id(dso, path.data);
	for (int kind = 0; kind < SYMBOL_FILE_NR && !has_all(s); kind++)
		if (symbol_file_path(kind, options, dso->path, &dso->id, &path))
			try_file(s, path.data, kind, dso);
}

static void ask_debuginfod(struct symbol_sources *s, struct dso *dso,
			const struct symbol_options *options)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	if (!s->has_symbols &&
	    debuginfod_find(options->debuginfod, DEBUGINFOD_DEBUG, &dso->id, dso->path, &path))
		try_file(s, path.data, SYMBOL_FILE_FETCHED_DEBUG, dso);
	if (!s->has_runtime &&
	    debuginfod_find(options->debuginfod, DEBUGINFOD_BINARY, &dso->id, dso->path, &path))
		try_file(s, path.data, SYMBOL_FILE_FETCHED, dso);
}

/* Search the vDSO: of this kernel if it is the recorded one, or in perf's cache. */
static void ask_kernel(struct symbol_sources *s, struct dso *dso,
		       const struct symbol_options *options)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct elf_file file;

	if (symbol_file_path(SYMBOL_FILE_CACHE, options, "[vdso]", &dso->id, &path))
		try_file(s, path.data, SYMBOL_FILE_CACHE, dso);
	if (s->has_runtime)
		return;
	if (!dso_open_vdso(dso, &file)) {
		s->changed = dso->id.size;
		return;
	}
	take_file(s, &file, NULL, dso);
	dso->symbol_file = SYMBOL_FILE_ITSELF;
	elf_file_close(&file);
}

/* The sources of a binary's files, searched in this order until all files are found. */
static const struct {
	enum dso_kind kind;
	void (*ask)(struct symbol_sources *s, struct dso *dso,
		    const struct symbol_options *options);
} symbol_sources[] = {
	{ DSO_FILE, ask_paths },
	{ DSO_FILE, ask_tasks },
	{ DSO_FILE, ask_debuginfod },
	{ DSO_VDSO, ask_kernel },
};

void symbol_sources_ask(struct symbol_sources *s, struct dso *dso,
			const struct symbol_options *options)
{
	for (size_t i = 0; i < ARRAY_SIZE(symbol_sources) && !has_all(s); i++)
		if (symbol_sources[i].kind == dso->kind)
			symbol_sources[i].ask(s, dso, options);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The possible paths of the symbols of a binary, in perf's order: files that a debug link names,
 * perf's cache of binaries (~/.debug), the folders of debug packages, the binary itself.
 */
#ifndef KTRACE_SYMBOL_SYMBOL_FILES_H
#define KTRACE_SYMBOL_SYMBOL_FILES_H

#include <stdbool.h>

#include "lib/build_id.h"
#include "lib/strbuf.h"

/* The user's settings for symbols; NULL: not set.  Strings are borrowed. */
struct symbol_options {
	const char *vmlinux;	/* -k: the kernel's symbols are in this file */
	const char *kallsyms;	/* --kallsyms: or in this one */
	const char *symfs;	/* --symfs: all paths are below this folder */
	bool no_vmlinux;	/* kallsyms alone */
	/*
	 * Embedded data of the recording; files are preferred to it only below symfs.  NULL: none.
	 */
	const struct embedded *embedded;
	/* --debuginfod: missing files are downloaded; NULL: they are not. */
	struct debuginfod *debuginfod;
};

enum symbol_file {
	SYMBOL_FILE_DEBUG_LINK,
	SYMBOL_FILE_CACHE,		/* ~/.debug/.build-id/xx/yyyy/elf */
	SYMBOL_FILE_CACHE_DEBUG,	/* .../debug */
	SYMBOL_FILE_DEBUG_SUFFIX,	/* /usr/lib/debug/PATH.debug */
	SYMBOL_FILE_DEBUG_PATH,		/* /usr/lib/debug/PATH */
	SYMBOL_FILE_BUILD_ID,		/* /usr/lib/debug/.build-id/xx/yyyy.debug */
	SYMBOL_FILE_ITSELF,
	SYMBOL_FILE_DEBUG_FOLDER,	/* FOLDER/.debug/NAME */
	SYMBOL_FILE_DEBUG_NO_USR,	/* /usr/lib/debug/lib/... for /usr/lib/... */
	/* These have no path by a rule: debuginfod_find() returns it, or there is none. */
	SYMBOL_FILE_FETCHED_DEBUG,
	SYMBOL_FILE_FETCHED,
	SYMBOL_FILE_MINI,		/* compressed in the binary's section .gnu_debugdata */
	SYMBOL_FILE_NR,
};

/*
 * Build the path of one kind for the binary @path with the build id @id; false: this kind has no
 * path for it.
 */
bool symbol_file_path(enum symbol_file kind, const struct symbol_options *options,
		      const char *path, const struct build_id *id, struct strbuf *ret);

/*
 * Build the path of a file in perf's cache, whose @name is "elf", "kallsyms", "vdso" or "debug";
 * false: there is no build id.
 */
bool symbol_file_cached(const struct build_id *id, const char *name, struct strbuf *ret);

#endif

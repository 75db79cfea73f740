/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf's cache of binaries, $PERF_BUILDID_DIR or else ~/.debug, which both tools use:
 *
 *	NAME/ID/elf			the binary NAME with the build id ID, in hexadecimal
 *	NAME/ID/debug			its debug information, if that is a file of its own
 *	NAME/ID/kallsyms, vdso		the symbols of the kernel, or the image of the vDSO
 *	.build-id/ID[0..1]/ID[2..]	a symbolic link to the folder NAME/ID
 *
 * NAME is the absolute path of a file, or "[kernel.kallsyms]", "[vdso]".  Symbols of a build id are
 * looked up through the links (symbol/symbol_files.h).
 */
#ifndef KTRACE_SYMBOL_BINARY_CACHE_H
#define KTRACE_SYMBOL_BINARY_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"

#define BINARY_CACHE_KERNEL	"[kernel.kallsyms]"
#define BINARY_CACHE_VDSO	"[vdso]"

/* One binary in the cache. */
struct cached_binary {
	char *name;	/* owned */
	struct build_id id;
};

struct cached_binaries {
	struct cached_binary *items;
	size_t nr, alloc;
};

void cached_binaries_deinit(struct cached_binaries *binaries);
DEFINE_CLEANUP(cached_binaries, struct cached_binaries, cached_binaries_deinit)

/* Append the folder of the cache. */
void binary_cache_add_folder(struct strbuf *ret);

/*
 * Append "NAME/ID" without a leading slash.  Returns false if @name cannot be in the cache, because
 * it has parts that are "..".
 */
bool binary_cache_add_path(const char *name, const struct build_id *id, struct strbuf *ret);

/* Append ".build-id/xx/yyyy". */
void binary_cache_add_link(const struct build_id *id, struct strbuf *ret);

/* Whether the cache has a binary with this build id. */
bool binary_cache_has(const struct build_id *id);

/*
 * Store a copy of @path as the file @file ("elf", "kallsyms" ...) of the binary.  An existing file
 * is kept.  Other processes never see an incomplete copy.
 */
struct error *binary_cache_store(const char *name, const struct build_id *id, const char *file,
				 const char *path);

/* Remove a binary with all its files.  ENOENT: it is not in the cache. */
struct error *binary_cache_remove(const char *name, const struct build_id *id);

/*
 * List the cache, in the order of the build ids.  A cache that does not exist is empty.  Dangling
 * links are left out.
 */
struct error *binary_cache_list(struct cached_binaries *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The local files of a binary that another machine needs to name its addresses.  Their build ids
 * prove that they are the binary that ran.
 */
#ifndef KTRACE_SYMBOL_BINARY_FILES_H
#define KTRACE_SYMBOL_BINARY_FILES_H

#include <stddef.h>

#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "symbol/dso.h"
#include "symbol/symbol_files.h"

struct binary_file {
	const char *name;	/* in the cache of binaries: "elf", "debug", "kallsyms", "vdso" */
	char *path;		/* the file; NULL: see image; owned */
	const void *image;	/* in our memory, for as long as the process lives */
	size_t size;		/* of the image */
};

/* At most the binary itself and its debug information. */
#define BINARY_FILES_MAX 2

struct binary_files {
	struct binary_file items[BINARY_FILES_MAX];
	size_t nr;
};

void binary_files_deinit(struct binary_files *files);
DEFINE_CLEANUP(binary_files, struct binary_files, binary_files_deinit)

/*
 * Find the files of the binary @name, a path, "[kernel.kallsyms]" or "[vdso]", with the build id
 * @id.  It is no error to find none: the binary has changed, or it is not here.  The only possible
 * error is lack of memory.
 */
struct error *binary_files_find(const char *name, const struct build_id *id,
				const struct symbol_options *options, struct binary_files *ret);

/* As binary_files_find(), for the file that a living task has mapped; @ret is empty. */
struct error *binary_files_find_live(const struct dso *dso, struct binary_files *ret);

#endif

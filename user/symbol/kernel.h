/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The symbols of the recorded kernel.  They come from a vmlinux, from the running kernel if it is
 * the same one, from perf's cached copies of other kernels, or from a vmlinux of a debuginfod
 * server.
 */
#ifndef KTRACE_SYMBOL_KERNEL_H
#define KTRACE_SYMBOL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "record/header.h"
#include "symbol/symbol_files.h"
#include "symbol/symbols.h"

enum kernel_origin {
	KERNEL_UNKNOWN = 0,	/* there are no symbols */
	KERNEL_KALLSYMS,
	KERNEL_VMLINUX,
};

/* One range of the kernel's memory. */
struct kernel_range {
	uint64_t start, end;
	uint64_t offset;	/* offset of start in /proc/kcore or vmlinux */
	const char *part;	/* the section as in its symbols, except .text; or NULL */
};

struct kernel_module {
	const char *name;	/* "[ext4]" */
	uint64_t start;
};

/* The data of a recording that identifies its kernel. */
struct kernel_identity {
	const struct header *header;
	struct build_id id;	/* build id of the image that ran; size 0: not known */
	const char *landmark;	/* a symbol ... */
	uint64_t address;	/* ... and its recorded address; 0: not known */
	const struct kernel_module *modules;
	size_t nr_modules;
};

struct kernel {
	enum kernel_origin origin;
	struct symbols symbols;		/* at the addresses of the recording */
	char *path;			/* source of the symbols or the code; owned */
	char *debug_path;		/* file with debug information; NULL: `path`; owned */
	uint64_t moved;			/* recorded addresses minus those of the vmlinux */
	uint64_t first, last;		/* range of the kernel itself; 0: see `symbols` */
	/*
	 * The sections of a vmlinux; or those of /proc/kcore, if that is the recorded kernel and we
	 * may read it (perf then treats modules as parts of the kernel).  nr 0: use the recorded
	 * ranges of the kernel and its modules.
	 */
	ARRAY_OF(struct kernel_range) ranges;
	bool tried;
	bool of_recording;	/* they are embedded in the recording: path and ranges are of
				 * another machine */
	/*
	 * The symbols are those of the running kernel, but nothing proves that it is the recorded
	 * one.
	 */
	bool assumed;
};

void kernel_deinit(struct kernel *kernel);

/*
 * Read the symbols, once; origin stays KERNEL_UNKNOWN if there are none.  An error gives the reason
 * why existing symbols cannot be read, or reports that the user's files do not belong to the
 * recorded kernel.
 */
struct error *kernel_load(struct kernel *kernel, const struct symbol_options *options,
			  const struct kernel_identity *identity);

/*
 * Whether the running kernel is certainly the recorded one: by its build id.  If none is recorded,
 * by the release in a recording of this host.
 */
bool kernel_is_this(const struct kernel_identity *identity);

/*
 * Read symbols and sections of the vmlinux from debuginfod servers, with its code if one of the
 * files has it.  origin stays KERNEL_UNKNOWN if it cannot be had, which was reported, or if
 * downloads are off.
 */
struct error *kernel_fetch(struct kernel *kernel, const struct symbol_options *options,
			   const struct kernel_identity *identity);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The symbols of the recorded kernel: from a vmlinux, from the running kernel if it is the
 * same one, from the copy that perf keeps of other kernels, or from the vmlinux of a debuginfod
 * server.
 */
#ifndef KTRACE_SYMBOL_KERNEL_H
#define KTRACE_SYMBOL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	const char *part;	/* the section as its symbols have it, except .text; or NULL */
};

struct kernel_module {
	const char *name;	/* "[ext4]" */
	uint64_t start;
};

/* What a recording says about its kernel. */
struct kernel_identity {
	const struct header *header;
	struct build_id id;	/* build id of the image that ran; size 0: not known */
	const char *landmark;	/* a symbol ... */
	uint64_t address;	/* ... and where it was; 0: not known */
	const struct kernel_module *modules;
	size_t nr_modules;
};

struct kernel {
	enum kernel_origin origin;
	struct symbols symbols;		/* at the addresses of the recording */
	char *path;			/* where they, or the code, come from; owned */
	char *debug_path;		/* of the debug information, if not `path`; NULL; owned */
	uint64_t moved;			/* from the addresses of a vmlinux to the recorded ones */
	uint64_t first, last;		/* where the kernel's own begin and end; 0: ask them */
	/*
	 * The sections of a vmlinux; or those of /proc/kcore, if that is the recorded kernel
	 * and we may read it (perf then treats modules as parts of the kernel).  nr 0: the
	 * ranges of the kernel and modules are as recorded.
	 */
	struct {
		struct kernel_range *items;
		size_t nr, alloc;
	} ranges;
	bool tried;
	bool of_recording;	/* embedded in it: path and ranges are those of another machine */
	/*
	 * The symbols are those of the running kernel, but nothing says that it is the
	 * recorded one.
	 */
	bool assumed;
};

void kernel_deinit(struct kernel *kernel);

/*
 * Read the symbols, once; origin stays KERNEL_UNKNOWN if there are none.  An error says why
 * existing symbols cannot be read, or that those that the user named do not belong to the
 * recorded kernel.
 */
struct error *kernel_load(struct kernel *kernel, const struct symbol_options *options,
			  const struct kernel_identity *identity);

/*
 * Whether the running kernel is the recorded one for certain: by its build id or, where none is
 * recorded, by the release in a recording of this host.
 */
bool kernel_is_this(const struct kernel_identity *identity);

/*
 * Read symbols and sections of the vmlinux that debuginfod servers have, with its code if one of
 * its files holds it.  origin stays KERNEL_UNKNOWN if it cannot be had, which was said, or nothing
 * is to be fetched.
 */
struct error *kernel_fetch(struct kernel *kernel, const struct symbol_options *options,
			   const struct kernel_identity *identity);

#endif

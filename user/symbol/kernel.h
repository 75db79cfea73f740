/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The symbols of the kernel that was recorded: from a vmlinux, from the
 * running kernel if it is the same, from the copy perf keeps of others.
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
	KERNEL_UNKNOWN = 0,	/* no symbols to be had */
	KERNEL_KALLSYMS,
	KERNEL_VMLINUX,
};

/* One range of the kernel's memory. */
struct kernel_range {
	uint64_t start, end;
	uint64_t offset;	/* of start, in /proc/kcore or vmlinux */
	const char *part;	/* a section other than .text, as its symbols have it; NULL */
};

struct kernel_module {
	const char *name;	/* "[ext4]" */
	uint64_t start;
};

/* What a recording says of its kernel. */
struct kernel_identity {
	const struct header *header;
	struct build_id id;	/* of the image that ran; size 0: not known */
	const char *landmark;	/* a symbol ... */
	uint64_t address;	/* ... and where it was; 0: not known */
	const struct kernel_module *modules;
	size_t nr_modules;
};

struct kernel {
	enum kernel_origin origin;
	struct symbols symbols;		/* at the addresses of the recording */
	char *path;			/* where they come from; owned */
	/*
	 * The sections of a vmlinux; or of /proc/kcore, if that is the recorded
	 * kernel and may be read: perf then takes modules for parts of the
	 * kernel.  nr 0: what was recorded of the kernel and modules stands.
	 */
	struct {
		struct kernel_range *items;
		size_t nr, alloc;
	} ranges;
	bool tried;
	/* They are those of the running kernel, which nothing says was recorded. */
	bool assumed;
};

void kernel_deinit(struct kernel *kernel);

/*
 * Read the symbols, once; origin stays KERNEL_UNKNOWN if there are none to be
 * had.  An error says why they cannot be read where they are, or that those
 * the user names are not of the kernel that was recorded.
 */
struct error *kernel_load(struct kernel *kernel, const struct symbol_options *options,
			  const struct kernel_identity *identity);

#endif

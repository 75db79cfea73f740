/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel symbols of a recording, for the %pS of print fmts: read when the
 * first one is asked for, and only those of the kernel that was recorded.
 */
#ifndef KTRACE_CMD_KERNEL_SYMBOLS_H
#define KTRACE_CMD_KERNEL_SYMBOLS_H

#include <stdbool.h>

#include "format/event_format.h"
#include "record/header.h"
#include "symbol/kallsyms.h"

struct kernel_symbols {
	const struct header *header;	/* borrowed */
	struct kallsyms *kallsyms;	/* NULL: not yet, or none to be had */
	bool tried;
};

/* Resolve the addresses of @formats; both must outlive the printing. */
void kernel_symbols_attach(struct kernel_symbols *symbols, const struct header *header,
			   struct formats *formats);
void kernel_symbols_deinit(struct kernel_symbols *symbols);

#endif

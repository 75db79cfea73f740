/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel symbols by address, from a text in the form of /proc/kallsyms.  Which
 * symbols count, and which of several at one address, is perf's choice.
 */
#ifndef KTRACE_SYMBOL_KALLSYMS_H
#define KTRACE_SYMBOL_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct kallsyms;

/*
 * Read @path.  An error also when all addresses in it are 0: the kernel hides
 * them (kptr_restrict) from whoever has no CAP_SYSLOG.
 */
struct error *kallsyms_read(const char *path, struct kallsyms **ret);
void kallsyms_destroy(struct kallsyms *kallsyms);
DEFINE_CLEANUP_PTR(kallsyms, struct kallsyms, kallsyms_destroy)

struct kallsyms_symbol {
	uint64_t start, end;
	const char *name;
	const char *module;	/* NULL: the kernel itself */
};

/* The symbol that covers @address; NULL: none.  Lives as long as @kallsyms. */
const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address);

#endif

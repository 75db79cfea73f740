/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel tells of its own types, and of its modules', in /sys/kernel/btf.
 * Modules may not ask the kernel itself: of what looks types up nothing is exported.
 */
#ifndef KTRACE_BTF_H
#define KTRACE_BTF_H

struct module;

enum ktrace_btf_answer {
	KTRACE_BTF_SAME,
	KTRACE_BTF_OTHER,
	KTRACE_BTF_UNKNOWN,	/* no BTF there, or more in one of the two than we understand */
};

/*
 * Does the tracepoint @name of @module, or of the kernel itself (NULL), take the
 * arguments that @proto declares?  @proto: as in TP_PROTO(), macros expanded.  The
 * types have to have the same names; what a structure consists of is not compared.
 * May sleep.  The caller keeps @module.
 */
enum ktrace_btf_answer ktrace_btf_compare(const struct module *module, const char *name,
					  const char *proto);

/* Before the module goes. */
void ktrace_btf_exit(void);

#endif

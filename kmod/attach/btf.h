/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of the kernel and of its modules, from /sys/kernel/btf.  We read these files because
 * the kernel exports none of its functions that look types up.
 */
#ifndef KTRACE_BTF_H
#define KTRACE_BTF_H

struct module;

enum ktrace_btf_answer {
	KTRACE_BTF_SAME,
	KTRACE_BTF_OTHER,
	KTRACE_BTF_UNKNOWN,	/* there is no BTF, or one of the two is not understood */
};

/*
 * Does the tracepoint @name have the arguments that @proto declares?  It belongs to @module, or to
 * the kernel itself if that is NULL.  @proto is as in TP_PROTO(), with macros expanded.  The types
 * have to have the same names; the members of structures are not compared.  May sleep.  The caller
 * holds a reference to @module.
 */
enum ktrace_btf_answer ktrace_btf_compare(const struct module *module, const char *name,
					  const char *proto);

/* To be called before this module is unloaded. */
void ktrace_btf_exit(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments of kernel functions by BTF, which nearly every kernel has in memory.  It has the names
 * and types of parameters; the calling convention defines where they are when a function is
 * entered.
 */
#ifndef KTRACE_PROBE_BTF_ARGUMENT_H
#define KTRACE_PROBE_BTF_ARGUMENT_H

#include "probe/definition.h"
#include "probe/event.h"

/*
 * Append the values of @arg to @event, for the function @function of @module (NULL: the kernel).
 * Errors show the definition, with a caret.
 */
struct error *btf_argument_add(const char *module, const char *function,
			       const struct probe_arg *arg,
			       const struct probe_definition *definition,
			       struct probe_event *event);

/* Append the parameters of a function, a line of "TYPE NAME" each, after @indent. */
struct strbuf;
struct error *btf_argument_list(const char *module, const char *function, const char *indent,
				struct strbuf *out);

#endif

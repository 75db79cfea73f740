/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One argument of a probe's definition; see definition.h for its form.
 */
#ifndef KTRACE_PROBE_ARGUMENT_H
#define KTRACE_PROBE_ARGUMENT_H

#include "lib/strbuf.h"
#include "probe/definition.h"
#include "probe/event.h"
#include "probe/operand.h"

/*
 * Parse the argument in @text[@at..@at + @len).  On an error, what *ret holds has to be freed
 * all the same.
 */
struct error *probe_arg_parse(const char *text, size_t at, size_t len, struct probe_arg *ret);

/*
 * Append the name that the argument has in the event: the one the user gave; else, as with
 * perf, the last member, or all that was written.
 */
void probe_arg_add_name(const struct probe_arg *arg, struct strbuf *out);

/* Append the argument to an event.  @type is for the kernel ("s32"); empty: its default. */
struct error *probe_arg_add(const struct probe_arg *arg, const struct operand *operand,
			    const struct strbuf *type, struct probe_event *event);

#endif

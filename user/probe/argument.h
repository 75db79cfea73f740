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

/* Parse the argument in @text[@at..@at + @len).  After an error, *ret has to be freed, too. */
struct error *probe_arg_parse(const char *text, size_t at, size_t len, struct probe_arg *ret);

/*
 * Append the name of the argument in the event: the user's; else, as with perf, the last member, or
 * the whole text.
 */
void probe_arg_add_name(const struct probe_arg *arg, struct strbuf *out);

/* Append the argument to an event.  @type is for the kernel ("s32"); empty: its default. */
struct error *probe_arg_add(const struct probe_arg *arg, const struct operand *operand,
			    const struct strbuf *type, struct probe_event *event);

#endif

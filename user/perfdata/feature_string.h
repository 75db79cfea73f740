/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings in the form that perf's header features use.
 */
#ifndef KTRACE_PERFDATA_FEATURE_STRING_H
#define KTRACE_PERFDATA_FEATURE_STRING_H

#include "lib/strbuf.h"

/* Append a string: its size, then the text, padded with NULs. */
void feature_add_string(struct strbuf *sb, const char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints a recording's header as perf script --header does.
 */
#ifndef KTRACE_OUTPUT_TEXT_HEADER_TEXT_H
#define KTRACE_OUTPUT_TEXT_HEADER_TEXT_H

#include <stdbool.h>

#include "lib/strbuf.h"
#include "record/event.h"
#include "record/header.h"

/* @full: also the topology of CPUs, caches and memory, as perf -I does. */
void header_text_add(struct strbuf *out, const struct header *header,
		     const struct event_list *events, bool full);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ktrace stores beside perf's header: the chunks described in layout.h.
 */
#ifndef KTRACE_PERFDATA_EXTENSION_H
#define KTRACE_PERFDATA_EXTENSION_H

#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/writer.h"
#include "record/event.h"
#include "record/ledger.h"

struct clock_pairs {
	struct clock_pair *items;
	size_t nr, alloc;
};

/* Append SCHEMA and the EVENT chunk of one event. */
void extension_add_event(const struct event *event, struct strbuf *ret);

/* Append SCHEMA and the EVENT chunks of all. */
void extension_add_events(const struct event_list *events, struct strbuf *ret);

/* Append a CLOCK chunk; nothing without pairs. */
void extension_add_clocks(const struct clock_pairs *clocks, struct strbuf *ret);

/* Append a LEDGER chunk of @nr rows; nothing for 0. */
void extension_add_ledger(const struct ledger_row *rows, size_t nr, struct strbuf *ret);

/*
 * Take chunks in: the events' own members, and ledger and clocks appended to.
 * Bytes that are no chunks end it silently; @swapped: numbers are in the other
 * byte order.  An error: a newer schema.
 */
struct error *extension_parse(const void *data, size_t size, bool swapped,
			      struct event_list *events, struct ledger *ledger,
			      struct clock_pairs *clocks);

#endif

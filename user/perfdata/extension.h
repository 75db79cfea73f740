/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds and parses the data that ktrace stores beside perf's header: the chunks described in
 * layout.h.
 */
#ifndef KTRACE_PERFDATA_EXTENSION_H
#define KTRACE_PERFDATA_EXTENSION_H

#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/write/writer.h"
#include "record/event.h"
#include "record/header.h"
#include "record/ledger.h"

struct clock_pairs {
	struct clock_pair *items;
	size_t nr, alloc;
};

/* Append the SCHEMA chunk, and the EVENT chunk of one event. */
void extension_add_event(const struct event *event, struct strbuf *ret);

/* Append the SCHEMA chunk, and the EVENT chunks of all events. */
void extension_add_events(const struct event_list *events, struct strbuf *ret);

/* Append a CLOCK chunk, or nothing if there are no pairs. */
void extension_add_clocks(const struct clock_pairs *clocks, struct strbuf *ret);

/*
 * Append a LEDGER chunk of @nr rows, or nothing if @nr is 0.  A row whose event is not among the
 * first
 * @nr_events becomes a row without an event; it is left out if it has no losses.
 */
void extension_add_ledger(const struct ledger_row *rows, size_t nr, size_t nr_events,
			  struct strbuf *ret);

/* Append a NOTE chunk (struct header_note). */
void extension_add_note(const char *name, const char *text, struct strbuf *ret);

/* The largest size of a piece of embedded data, and of all pieces; more is ignored. */
#define EXTENSION_PIECE	57344
#define EXTENSION_EMBEDDED_MAX	(260U << 20)

/* Append @data as EMBEDDED chunks that fit into records of a pipe; nothing if @size is 0. */
void extension_add_embedded(const void *data, size_t size, struct strbuf *ret);

/* Whether the first chunk at @data is an EMBEDDED chunk. */
bool extension_is_embedded(const void *data, size_t size, bool swapped);

/* Append all chunks at @data except EMBEDDED chunks. */
void extension_without_embedded(const void *data, size_t size, struct strbuf *ret);

/*
 * Parse chunks: set the members of events, and append rows to @ledger and @clocks, and notes and
 * embedded data to @header.  Parsing ends silently at bytes that are no chunk.  @swapped: numbers
 * are in the other byte order.  If the schema of the recording is newer than this ktrace, the
 * recording is refused with an error.
 */
struct error *extension_parse(const void *data, size_t size, bool swapped,
			      struct event_list *events, struct ledger *ledger,
			      struct clock_pairs *clocks, struct header *header);

#endif

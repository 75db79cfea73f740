/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds and parses tracing data, which describes the tracepoints of a file.  It has the format of
 * trace-cmd's header of version 0.6, which perf uses, too:
 *
 *	17 08 44 "tracing" "0.6\0", u8 big_endian, u8 long_size, u32 page_size
 *	"header_page\0" u64 size, text; "header_event\0" u64 size, text
 *	u32 count of ftrace's own events: u64 size, text of each
 *	u32 count of systems: name\0, u32 count of events: u64 size, text of each
 *	u32 size of kallsyms, text; u32 size of printk formats, text
 *	u64 size of saved comms, text
 */
#ifndef KTRACE_PERFDATA_TRACING_DATA_H
#define KTRACE_PERFDATA_TRACING_DATA_H

#include <stddef.h>

#include "format/event_format.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/event.h"

/*
 * Append the tracing data of the tracepoints among @events, from this machine's
 * tracefs; nothing if there are none.
 */
struct error *tracing_data_build(const struct event_list *events, struct strbuf *ret);

/*
 * Append tracing data in which every tracepoint among @events has a format without fields.  It is
 * for recordings that have lost their own: perf refuses a recording without formats.
 */
struct error *tracing_data_build_empty(const struct event_list *events, struct strbuf *ret);

/*
 * Parse tracing data: the target, formats, printk formats and kallsyms.  Formats that cannot be
 * parsed are skipped and counted.  An error means that the data itself is malformed; the results of
 * the parsed part are kept.
 */
struct error *tracing_data_parse(struct formats *formats, const void *data, size_t size,
				 size_t *ret_skipped);

/*
 * Append the format of one more event, whose system @data does not have.  EBADMSG: @data is
 * malformed.
 */
struct error *tracing_data_add(struct strbuf *data, const char *system, const char *format);

/*
 * Remove the kernel's symbols and the names of tasks from tracing data, which follow the formats.
 * With @texts, also remove the strings of the kernel and its modules to which fields of events
 * point.  EBADMSG: the data is malformed.
 */
struct error *tracing_data_strip(struct strbuf *data, bool texts);

#endif

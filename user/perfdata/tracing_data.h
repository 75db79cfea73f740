/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracing data: what a file says of its tracepoints.  Byte by byte trace-cmd's
 * header of version 0.6, which perf shares:
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
 * Append the tracing data of the tracepoints among @events, from this
 * machine's tracefs; nothing when there are none.
 */
struct error *tracing_data_build(const struct event_list *events, struct strbuf *ret);

/*
 * Append tracing data that gives every tracepoint among @events a format without
 * fields, for recordings whose own was lost: perf reads none without formats.
 */
struct error *tracing_data_build_empty(const struct event_list *events, struct strbuf *ret);

/*
 * Take tracing data in: target, formats, printk formats, kallsyms.  Formats
 * that cannot be parsed are skipped and counted; an error means that the data
 * itself is not what it should be, what came before stays.
 */
struct error *tracing_data_parse(struct formats *formats, const void *data, size_t size,
				 size_t *ret_skipped);

#endif

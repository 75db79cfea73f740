/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of ktrace_differ.ko as they may have been before it was changed.  The records are
 * the same; the arguments of two of them are not.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrace_differ

#if !defined(KTRACE_STALE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACE_STALE_H

#include <linux/tracepoint.h>

/* Has become a number in ktrace_differ.ko, which at the first firing is no valid address. */
TRACE_EVENT(text,
	TP_PROTO(const u32 *id),
	TP_ARGS(id),
	TP_STRUCT__entry(__field(u32, id)),
	TP_fast_assign(__entry->id = *id;),
	TP_printk("id=%u", __entry->id)
);

/* Has lost an argument there. */
TRACE_EVENT(outer,
	TP_PROTO(u32 id, const u32 *factor),
	TP_ARGS(id, factor),
	TP_STRUCT__entry(__field(u32, id)),
	TP_fast_assign(__entry->id = id * *factor;),
	TP_printk("id=%u", __entry->id)
);

/* Is the same there. */
TRACE_EVENT(counts,
	TP_PROTO(u32 id),
	TP_ARGS(id),
	TP_STRUCT__entry(__field(u32, id)),
	TP_fast_assign(__entry->id = id;),
	TP_printk("id=%u", __entry->id)
);

/* The probes of note pass a va_list on. */
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsuggest-attribute=format"
#pragma GCC diagnostic ignored "-Wsizeof-array-argument"
#endif

/* Is the same there, but C passes a va_list as a pointer on many machines. */
TRACE_EVENT(note,
	TP_PROTO(const char *fmt, va_list ap),
	TP_ARGS(fmt, ap),
	TP_STRUCT__entry(__array(char, text, 16)),
	TP_fast_assign(vsnprintf(__entry->text, sizeof(__entry->text), fmt, ap);),
	TP_printk("%.16s", __entry->text)
);

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrace_stale
#include <trace/define_trace.h>

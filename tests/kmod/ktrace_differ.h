/* SPDX-License-Identifier: GPL-2.0 */
/* Events whose captures or texts differ.  Their names are the findings of `ktrace check`. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrace_differ

#if !defined(KTRACE_DIFFER_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACE_DIFFER_H

#include <linux/string.h>
#include <linux/tracepoint.h>

#ifndef KTRACE_DIFFER_ONCE
#define KTRACE_DIFFER_ONCE
/* How often an assignment has run. */
extern atomic_t differ_reads, differ_writes;
extern unsigned int differ_base;
void differ_inner(u32 id);
#endif

TRACE_EVENT(nothing,
	TP_PROTO(u32 id),
	TP_ARGS(id),
	TP_STRUCT__entry(__field(u32, id) __dynamic_array(u32, ids, id % 4)),
	TP_fast_assign(
		u32 *ids = __get_dynamic_array(ids);
		u32 i;

		__entry->id = id;
		for (i = 0; i < id % 4; i++)
			ids[i] = id + i;
	),
	TP_printk("id=%u bytes=%d%s", __entry->id, __get_dynamic_array_len(ids),
		  __entry->id < 100 ? "" : " late")
);

/* An event whose second field has a value that captures may differ about. */
#undef DIFFER_EVENT
#define DIFFER_EVENT(event, field, value)				\
	TRACE_EVENT(event,						\
		TP_PROTO(u32 id),					\
		TP_ARGS(id),						\
		TP_STRUCT__entry(__field(u32, id) __field(u32, field)),	\
		TP_fast_assign(						\
			__entry->id = id;				\
			__entry->field = value;				\
		),							\
		TP_printk("id=%u " #field "=%u", __entry->id, __entry->field))

/* perf stores a wrong value of one firing: this is compiled into one function per tracer. */
DIFFER_EVENT(captures, twice, 2 * id + (id == 7 && strstr(__func__, "perf_trace_")));
DIFFER_EVENT(unstable, reads, atomic_inc_return(&differ_reads));
/* Now and then the value changes between two captures, as if another CPU wrote it. */
DIFFER_EVENT(changed, state, atomic_inc_return(&differ_writes) / 7);

TRACE_EVENT(counts,
	TP_PROTO(u32 id),
	TP_ARGS(id),
	TP_STRUCT__entry(__field(u32, id)),
	TP_fast_assign(__entry->id = id;),
	TP_printk("id=%u", __entry->id)
);

TRACE_EVENT(outer,
	TP_PROTO(u32 id),
	TP_ARGS(id),
	TP_STRUCT__entry(__field(u32, id)),
	TP_fast_assign(
		__entry->id = id;
		differ_inner(id);
	),
	TP_printk("id=%u", __entry->id)
);

TRACE_EVENT(text,
	TP_PROTO(u32 id),
	TP_ARGS(id),
	TP_STRUCT__entry(__field(u32, id)),
	TP_fast_assign(__entry->id = id;),
	TP_printk("id=%u", __entry->id + differ_base)
);

/* The probes of note pass a va_list on. */
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsuggest-attribute=format"
#pragma GCC diagnostic ignored "-Wsizeof-array-argument"
#endif

/* On many machines, the first reader of the argument leaves nothing for the next one. */
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
#define TRACE_INCLUDE_FILE ktrace_differ
#include <trace/define_trace.h>

/* SPDX-License-Identifier: GPL-2.0 */
/* Every event has one defect, and is named after the rule of `ktrace check` that finds it. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrace_lint_bad

#if !defined(KTRACE_LINT_BAD_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACE_LINT_BAD_H

#include "ktrace_lint.h"

/* These warnings are about the planted defects. */
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wsuggest-attribute=format"
#pragma GCC diagnostic ignored "-Wsizeof-array-argument"
#endif

LINT_EVENT(format_damaged,
	TP_STRUCT__entry(__field_struct(struct { u32 a; }, pair) __field(u32, b)),
	TP_printk("b=%u", __entry->b))

LINT_EVENT(print_fmt_unparsed,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u", (0, __entry->a)))

LINT_EVENT(address_of_field,
	TP_STRUCT__entry(__field_struct(struct lint_pair, pair)),
	TP_printk("pair=%pI4", &__entry->pair))

LINT_EVENT(print_fmt_libtraceevent,
	TP_STRUCT__entry(__array(u32, a, 2)),
	TP_printk("a=%s", __print_array(__entry->a, 2, sizeof(u32))))

LINT_EVENT(function_unknown,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u", lint_milliseconds(__entry->a)))

LINT_EVENT(struct_member,
	TP_STRUCT__entry(__field_struct(struct lint_pair, pair)),
	TP_printk("a=%u", __entry->pair.a))

LINT_EVENT(conversion_unsupported,
	TP_STRUCT__entry(__field(u8, a)),
	TP_printk("a=%c", __entry->a))

LINT_EVENT(argument_count,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u b=%u", __entry->a))

LINT_EVENT(pointer_dereference,
	TP_STRUCT__entry(__field(struct lint_request *, req)),
	TP_printk("tag=%u", __entry->req->tag))

LINT_EVENT(string_pointer,
	TP_STRUCT__entry(__field(const char *, name)),
	TP_printk("name=%s", __entry->name))

LINT_EVENT(pointer_extension,
	TP_STRUCT__entry(__field(void *, data)),
	TP_printk("data=%*ph", 4, __entry->data))

LINT_EVENT(extension_unevaluated,
	TP_STRUCT__entry(__array(u8, data, 4)),
	TP_printk("data=%*ph", 4, __entry->data))

LINT_EVENT(pointer_to_record,
	TP_STRUCT__entry(__array(u8, data, 4)),
	TP_printk("data=%p", __entry->data))

LINT_EVENT(unhashed_pointer,
	TP_STRUCT__entry(__field(void *, data)),
	TP_printk("data=%px", __entry->data))

LINT_EVENT(field_not_printed,
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_printk("a=%u", __entry->a))

LINT_EVENT(field_printed_twice,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u b=%u", __entry->a, __entry->a))

LINT_EVENT(conversion_type,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%d", __print_symbolic(__entry->a, { 0, "none" })))

LINT_EVENT(conversion_width,
	TP_STRUCT__entry(__field(u64, a)),
	TP_printk("a=%x", __entry->a))

LINT_EVENT(conversion_sign,
	TP_STRUCT__entry(__field(s16, a)),
	TP_printk("a=%u", __entry->a))

LINT_EVENT(char_as_number,
	TP_STRUCT__entry(__field(char, a)),
	TP_printk("a=%d", __entry->a))

LINT_EVENT(enum_unresolved,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%s", __print_symbolic(__entry->a, { LINT_RED, "red" }, { LINT_GREEN, "green" })))

LINT_EVENT(name_unreachable,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%s", __print_flags(__entry->a, "|", { 1, "r" }, { 3, "rw" })))

LINT_EVENT(string_unterminated,
	TP_STRUCT__entry(__array(char, name, 12)),
	TP_printk("name=%s", __entry->name))

LINT_EVENT(array_bounds,
	TP_STRUCT__entry(__array(u8, mac, 6)),
	TP_printk("mac=%s", __print_hex(__entry->mac, 8)))

LINT_EVENT(trailing_newline,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u\n", __entry->a))

LINT_EVENT(field_outside_record,
	TP_STRUCT__entry(__array(u8, data, 8200)),
	TP_printk("data=%s", __print_hex(__entry->data, 16)))

LINT_EVENT(hole,
	TP_STRUCT__entry(__field(u8, a) __field(u64, b) __field(u8, c)),
	TP_printk("a=%u b=%llu c=%u", __entry->a, __entry->b, __entry->c))

LINT_EVENT(array_wasteful,
	TP_STRUCT__entry(__array(char, path, 128)),
	TP_printk("path=%.128s", __entry->path))

LINT_EVENT(event_Name,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u", __entry->a))

LINT_EVENT(field_name,
	TP_STRUCT__entry(__field(u32, nextId)),
	TP_printk("next=%u", __entry->nextId))

LINT_EVENT(field_name_taken,
	TP_STRUCT__entry(__field(u32, from)),
	TP_printk("from=%u", __entry->from))

TRACE_EVENT(va_list_argument,
	TP_PROTO(const char *fmt, va_list ap),
	TP_ARGS(fmt, ap),
	TP_STRUCT__entry(__array(char, text, 32)),
	TP_fast_assign(vsnprintf(__entry->text, sizeof(__entry->text), fmt, ap);),
	TP_printk("%.32s", __entry->text))

LINT_EVENT(name_out_of_range,
	TP_STRUCT__entry(__field(u8, a)),
	TP_printk("a=%s", __print_symbolic(__entry->a, { 1, "one" }, { 256, "many" })))

LINT_EVENT(flag_zero,
	TP_STRUCT__entry(__field(u8, a)),
	TP_printk("a=%s", __print_flags(__entry->a, "|", { 0, "none" }, { 1, "r" })))

LINT_EVENT(label_swapped,
	TP_STRUCT__entry(__field(u32, code) __field(u32, flags)),
	TP_printk("code=%u flags=0x%x", __entry->flags, __entry->code))

LINT_EVENT(label_unseparated,
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_printk("a=%ub=%u", __entry->a, __entry->b))

LINT_EVENT(number_prefix,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=0x%u", __entry->a))

TRACE_EVENT(field_not_assigned,
	TP_PROTO(const char *text, u32 a),
	TP_ARGS(text, a),
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_fast_assign((void)text; __entry->a = a;),
	TP_printk("a=%u b=%u", __entry->a, __entry->b))

#ifndef KTEST_HAVE_ASSIGN_STR_1
TRACE_EVENT(string_source_differs,
	TP_PROTO(const char *text, const char *other),
	TP_ARGS(text, other),
	TP_STRUCT__entry(__string(text, text)),
	TP_fast_assign(__assign_str(text, other);),
	TP_printk("text=%s", __get_str(text)))
#endif

TRACE_EVENT(assignment_sleeps,
	TP_PROTO(u32 a),
	TP_ARGS(a),
	TP_STRUCT__entry(__field(u32, a)),
	TP_fast_assign(might_sleep(); __entry->a = a;),
	TP_printk("a=%u", __entry->a))

TRACE_EVENT(string_copy,
	TP_PROTO(const char *text),
	TP_ARGS(text),
	TP_STRUCT__entry(__array(char, name, 12)),
	TP_fast_assign(sprintf(__entry->name, "%s", text);),
	TP_printk("name=%.12s", __entry->name))

TRACE_EVENT(copy_count,
	TP_PROTO(const u32 *values),
	TP_ARGS(values),
	TP_STRUCT__entry(__array(u32, values, 4)),
	TP_fast_assign(memcpy(__entry->values, values, 4);),
	TP_printk("values=%s", __print_array(__entry->values, 4, 4)))

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

#endif /* KTRACE_LINT_BAD_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrace_lint_bad
#include <trace/define_trace.h>

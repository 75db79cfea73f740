/* SPDX-License-Identifier: GPL-2.0 */
/* The events of ktrace_lint_bad.h without their defects. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrace_lint_clean

#if !defined(KTRACE_LINT_CLEAN_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACE_LINT_CLEAN_H

#include "ktrace_lint.h"

TRACE_DEFINE_ENUM(LINT_RED);
TRACE_DEFINE_ENUM(LINT_GREEN);

/* An event with a text, which is stored with its full length. */
#define LINT_STRING(name, field)					\
	TRACE_EVENT(name, TP_PROTO(const char *text), TP_ARGS(text),	\
		    TP_STRUCT__entry(__string(field, text)),		\
		    TP_fast_assign(lint_assign_str(field, text);),	\
		    TP_printk(#field "=%s", __get_str(field)))

LINT_EVENT(format_damaged,
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_printk("a=%u b=%u", __entry->a, __entry->b))

LINT_EVENT(print_fmt_unparsed,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u", (__entry->a)))

LINT_EVENT(address_of_field,
	TP_STRUCT__entry(__array(u8, addr, 4)),
	TP_printk("addr=%pI4", __entry->addr))

LINT_EVENT(print_fmt_libtraceevent,
	TP_STRUCT__entry(__array(u32, a, 2)),
	TP_printk("a=%s", __print_array(__entry->a, 2, 4)))

LINT_EVENT(function_unknown,
	TP_STRUCT__entry(__field(u32, milliseconds)),
	TP_printk("milliseconds=%u", __entry->milliseconds))

LINT_EVENT(struct_member,
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_printk("a=%u b=%u", __entry->a, __entry->b))

LINT_EVENT(conversion_unsupported,
	TP_STRUCT__entry(__field(u8, a)),
	TP_printk("a=%u", __entry->a))

LINT_EVENT(argument_count,
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_printk("a=%u b=%u 100%%", __entry->a, __entry->b))

LINT_EVENT(pointer_dereference,
	TP_STRUCT__entry(__field(struct lint_request *, req) __field(u32, tag)),
	TP_printk("req=%p tag=%u", __entry->req, __entry->tag))

LINT_STRING(string_pointer, name);

LINT_EVENT(pointer_extension,
	TP_STRUCT__entry(__field(void *, function)),
	TP_printk("function=%pS", __entry->function))

LINT_EVENT(extension_unevaluated,
	TP_STRUCT__entry(__array(u8, mac, 6)),
	TP_printk("mac=%pM", __entry->mac))

LINT_EVENT(pointer_to_record,
	TP_STRUCT__entry(__array(u8, data, 4)),
	TP_printk("data=%s", __print_hex_str(__entry->data, 4)))

LINT_EVENT(unhashed_pointer,
	TP_STRUCT__entry(__field(void *, data)),
	TP_printk("data=%p", __entry->data))

LINT_STRING(field_missing, name);

LINT_STRING(wrong_accessor, name);

LINT_EVENT(field_not_printed,
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_printk("sum=%u", __entry->a + __entry->b))

LINT_EVENT(field_printed_twice,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u (0x%x)", __entry->a, __entry->a))

LINT_EVENT(conversion_type,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%s", __print_symbolic(__entry->a, { 0, "none" })))

LINT_EVENT(conversion_width,
	TP_STRUCT__entry(__field(u64, a)),
	TP_printk("a=%llx low=%x", __entry->a, (u32)__entry->a))

LINT_EVENT(conversion_sign,
	TP_STRUCT__entry(__field(s64, b) __field(s32, c) __field(s16, a)),
	TP_printk("a=%d b=%lld c=%d", __entry->a, __entry->b, __entry->c))

LINT_EVENT(char_as_number,
	TP_STRUCT__entry(__field(s8, a)),
	TP_printk("a=%d", __entry->a))

LINT_EVENT(enum_unresolved,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%s", __print_symbolic(__entry->a, { LINT_RED, "red" }, { LINT_GREEN, "green" })))

LINT_EVENT(name_unreachable,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%s", __print_flags(__entry->a, "|", { 3, "rw" }, { 1, "r" })))

LINT_EVENT(string_unterminated,
	TP_STRUCT__entry(__array(char, name, 12) __array(char, comm, 16)),
	TP_printk("name=%.*s comm=%s", 12, __entry->name, __entry->comm))

LINT_EVENT(array_bounds,
	TP_STRUCT__entry(__array(u8, mac, 6)),
	TP_printk("mac=%s", __print_hex(__entry->mac, 6)))

LINT_EVENT(element_size,
	TP_STRUCT__entry(__array(u16, a, 6)),
	TP_printk("a=%s", __print_array(__entry->a, 6, 2)))

LINT_EVENT(trailing_newline,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u", __entry->a))

LINT_EVENT(print_fmt_empty,
	TP_STRUCT__entry(__field(bool, on)),
	TP_printk("%s", __entry->on ? "on" : "off"))

LINT_EVENT(fields_overlap,
	TP_STRUCT__entry(__field(u64, a) __field(u32, b)),
	TP_printk("a=%llu b=%u", __entry->a, __entry->b))

LINT_EVENT(field_outside_record,
	TP_STRUCT__entry(__array(u8, data, 16)),
	TP_printk("data=%s", __print_hex(__entry->data, 16)))

LINT_EVENT(field_duplicate,
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_printk("a=%u b=%u", __entry->a, __entry->b))

LINT_EVENT(type_size,
	TP_STRUCT__entry(__field(u64, a)),
	TP_printk("a=%llu", __entry->a))

LINT_EVENT(field_unaligned,
	TP_STRUCT__entry(__field(u32, b) __field(u8, a)),
	TP_printk("a=%u b=%u", __entry->a, __entry->b))

LINT_EVENT(hole,
	TP_STRUCT__entry(__field(u64, b) __field(u8, a) __field(u8, c)),
	TP_printk("a=%u b=%llu c=%u", __entry->a, __entry->b, __entry->c))

LINT_STRING(array_wasteful, path);

LINT_EVENT(event_in_lower_case,
	TP_STRUCT__entry(__field(u32, a)),
	TP_printk("a=%u", __entry->a))

LINT_EVENT(field_name,
	TP_STRUCT__entry(__field(u32, next_id)),
	TP_printk("next_id=%u", __entry->next_id))

LINT_EVENT(field_name_taken,
	TP_STRUCT__entry(__field(u32, from_addr)),
	TP_printk("from_addr=%u", __entry->from_addr))

LINT_EVENT(layout_differs,
	TP_STRUCT__entry(__field(pid_t, pid) __array(char, comm, 16)),
	TP_printk("comm=%s pid=%d", __entry->comm, __entry->pid))

TRACE_EVENT(va_list_argument,
	TP_PROTO(const struct va_format *vaf),
	TP_ARGS(vaf),
	TP_STRUCT__entry(__array(char, text, 32)),
	TP_fast_assign(snprintf(__entry->text, sizeof(__entry->text), "%pV", vaf);),
	TP_printk("%.32s", __entry->text))

LINT_EVENT(name_out_of_range,
	TP_STRUCT__entry(__field(u16, a) __field(s8, b) __field(u8, c)),
	TP_printk("a=%s b=%s c=%s", __print_symbolic(__entry->a, { 1, "one" }, { 256, "many" }),
		  __print_symbolic(__entry->b, { 0, "no" }, { -1, "any" }),
		  __print_symbolic(__entry->c, { 0, "no" }, { (u8)-1, "any" })))

LINT_EVENT(flag_zero,
	TP_STRUCT__entry(__field(u8, a)),
	TP_printk("a=%s", __entry->a ? __print_flags(__entry->a, "|", { 1, "r" }) : "none"))

LINT_EVENT(label_swapped,
	TP_STRUCT__entry(__field(u32, code) __field(u32, flags)),
	TP_printk("code=%u flags=0x%x", __entry->code, __entry->flags))

LINT_EVENT(label_unseparated,
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_printk("a=%uus b=%u", __entry->a, __entry->b))

LINT_EVENT(number_prefix,
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_printk("a=0x%x b=%#x", __entry->a, __entry->b))

TRACE_EVENT(field_not_assigned,
	TP_PROTO(const char *text, u32 a),
	TP_ARGS(text, a),
	TP_STRUCT__entry(__field(u32, a) __field(u32, b)),
	TP_fast_assign((void)text; __entry->a = a; __entry->b = a + 1;),
	TP_printk("a=%u b=%u", __entry->a, __entry->b))

TRACE_EVENT(string_source_differs,
	TP_PROTO(const char *text, const char *other),
	TP_ARGS(text, other),
	TP_STRUCT__entry(__string(text, text ? text : other)),
	TP_fast_assign(lint_assign_str(text, (text ? text : other));),
	TP_printk("text=%s", __get_str(text)))

TRACE_EVENT(assignment_sleeps,
	TP_PROTO(u32 a),
	TP_ARGS(a),
	TP_STRUCT__entry(__field(u32, a)),
	TP_fast_assign(__entry->a = a;),
	TP_printk("a=%u", __entry->a))

TRACE_EVENT(string_copy,
	TP_PROTO(const char *text),
	TP_ARGS(text),
	TP_STRUCT__entry(__array(char, name, 12)),
	TP_fast_assign(snprintf(__entry->name, sizeof(__entry->name), "%s", text);),
	TP_printk("name=%.12s", __entry->name))

TRACE_EVENT(copy_count,
	TP_PROTO(const u32 *values),
	TP_ARGS(values),
	TP_STRUCT__entry(__array(u32, values, 4)),
	TP_fast_assign(memcpy(__entry->values, values, sizeof(__entry->values));),
	TP_printk("values=%s", __print_array(__entry->values, 4, 4)))

#endif /* KTRACE_LINT_CLEAN_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrace_lint_clean
#include <trace/define_trace.h>

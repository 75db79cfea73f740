// SPDX-License-Identifier: GPL-2.0
/*
 * ktrace_lint_bad: tracepoints with one planted defect each, which `ktrace check` must
 * find.  TRACE_EVENT() makes some defects impossible.  The events with these are made by
 * hand here, as code generators and out-of-tree code do.
 */
#include <linux/btf.h>
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "ktrace_lint_bad.h"

static int lint_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	return type == TRACE_REG_REGISTER ? -EOPNOTSUPP : 0;
}

static enum print_line_t lint_print(struct trace_iterator *iter, int flags,
				    struct trace_event *event)
{
	return TRACE_TYPE_UNHANDLED;
}

static struct trace_event_functions lint_functions = { .trace = lint_print };

#define FIELD(_type, _name, _size, _align, _signed) \
	{ .type = _type, .name = _name, .size = _size, .align = _align, .is_signed = _signed }

#define LINT_BY_HAND(_name, _print_fmt, ...)				\
	static struct trace_event_fields lint_fields_##_name[] = { __VA_ARGS__, {} }; \
	static struct trace_event_class lint_class_##_name = {		\
		.system = "ktrace_lint_bad",				\
		.reg = lint_reg,					\
		.fields_array = lint_fields_##_name,			\
		.fields = LIST_HEAD_INIT(lint_class_##_name.fields),	\
		.raw_init = trace_event_raw_init,			\
	};								\
	static struct trace_event_call __used lint_call_##_name = {	\
		.name = #_name,						\
		.class = &lint_class_##_name,				\
		.event.funcs = &lint_functions,				\
		.print_fmt = _print_fmt,				\
	};								\
	static struct trace_event_call __used __section("_ftrace_events") \
		*lint_event_##_name = &lint_call_##_name

LINT_BY_HAND(field_missing, "\"a=%u name=%s\", REC->a, __get_str(name)",
	     FIELD("u32", "a", 4, 4, 0));
LINT_BY_HAND(wrong_accessor, "\"name=%s\", __get_str(name)",
	     FIELD("char[16]", "name", 16, 1, 0));
LINT_BY_HAND(field_duplicate, "\"a=%u\", REC->a",
	     FIELD("u32", "a", 4, 4, 0), FIELD("u32", "a", 4, 4, 0));
LINT_BY_HAND(element_size, "\"a=%s\", __print_array(REC->a, 2, 3)",
	     FIELD("u8[6]", "a", 6, 1, 0));
LINT_BY_HAND(print_fmt_empty, "\"\"", FIELD("u32", "a", 4, 4, 0));
LINT_BY_HAND(type_size, "\"a=%u\", REC->a", FIELD("u64", "a", 4, 4, 0));
LINT_BY_HAND(field_unaligned, "\"a=%u b=%u\", REC->a, REC->b",
	     FIELD("u8", "a", 1, 1, 0), FIELD("u32", "b", 4, 1, 0));

/* The kernel's own trace_event_raw_sched_kthread_stop begins with comm. */
LINT_BY_HAND(sched_kthread_stop, "\"comm=%s pid=%d\", REC->comm, REC->pid",
	     FIELD("pid_t", "pid", 4, 4, 1), FIELD("char[16]", "comm", 16, 1, 0));

/*
 * The structure of the event, which is in this module's BTF, has its members in another
 * order.
 */
struct trace_event_raw_layout_differs {
	struct trace_entry ent;
	u32 second;
	u32 first;
};

LINT_BY_HAND(layout_differs, "\"first=%u second=%u\", REC->first, REC->second",
	     FIELD("u32", "first", 4, 4, 0), FIELD("u32", "second", 4, 4, 0));

static int lint_define_overlap(struct trace_event_call *call)
{
	int err = trace_define_field(call, "u64", "a", 8, 8, 0, FILTER_OTHER);

	return err ? err : trace_define_field(call, "u32", "b", 12, 4, 0, FILTER_OTHER);
}

LINT_BY_HAND(fields_overlap, "\"a=%llu b=%u\", REC->a, REC->b",
	     { .type = TRACE_FUNCTION_TYPE, { .define_fields = lint_define_overlap } });

static int __init lint_init(void)
{
	BTF_TYPE_EMIT(struct trace_event_raw_layout_differs);
	return 0;
}

static void __exit lint_exit(void)
{
}

module_init(lint_init);
module_exit(lint_exit);
MODULE_DESCRIPTION("Tracepoints with planted defects");
MODULE_LICENSE("GPL");

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Template probes.  For every event that a trace header declares, this header generates a function
 * with the prototype of the tracepoint, which runs the event's own TP_fast_assign() on a sample of
 * ktrace's.  So nothing about any event is written by hand, and a firing costs a fraction of its
 * cost in perf.
 *
 * A module for the events of a header of your own is one file with two lines:
 *
 *	#define KTRACE_TEMPLATES "my_trace.h"
 *	#include <ktrace/templates.h>
 *
 * The module is built against the same kernel and the same header as the module that fires the
 * events, and is loaded after ktrace.ko.  Documentation/templates.rst has the details.  If you have
 * several headers, compile each of them in a file of its own, with KTRACE_TEMPLATES_LIST defined as
 * the name of a function
 *
 *	void name(struct list_head *templates);
 *
 * This header then defines that function, which adds the templates of KTRACE_TEMPLATES to
 * the list.  Your module registers the list.
 */
#ifndef KTRACE_TEMPLATES_H
#define KTRACE_TEMPLATES_H

#include <generated/utsversion.h>
#include <linux/align.h>
#include <linux/kconfig.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

#include "probe.h"

/* The capture of one event. */
struct ktrace_template {
	struct list_head node;
	const char *system, *name;
	void *probe;			/* its `data` is a struct ktrace_probe_tap */
	/* The fields that the header declares.  An empty one ends the array. */
	const struct trace_event_fields *fields;
	const char *prototype;		/* the text of TP_PROTO() */
	/* Set by ktrace.ko: the event of the running kernel has the same arguments. */
	bool is_checked;
};

/* The templates of one module. */
struct ktrace_template_set {
	struct list_head node;
	struct list_head templates;
	struct module *owner;
	const char *kernel;		/* the UTS_VERSION that it was built for */
	u32 version;			/* the KTRACE_PROBE_VERSION that it was built with */
	bool is_kernels;		/* the kernel was built with the same headers */
};

/*
 * From now on, the templates of @set capture events.  Returns -ENOEXEC, and prints a message, if
 * the set was built for another kernel, whose tracepoints may have other prototypes, or with the
 * header of another version of ktrace.
 */
int ktrace_template_register(struct ktrace_template_set *set);
/* To be called when the owner is unloaded, which is impossible while a template is in use. */
void ktrace_template_unregister(struct ktrace_template_set *set);

/* The size of raw data of @size bytes with its padding, which is perf's. */
#define KTRACE_RECORD_SIZE(size) (ALIGN((u32)(size) + sizeof(u32), sizeof(u64)) - sizeof(u32))

/*
 * The kernel's __assign_str() for a string that may have changed since it was measured:
 * writes at most @size bytes.
 */
static __always_inline void ktrace_template_copy_string(char *to, const char *from, u32 size)
{
	strscpy(to, from ? from : "(null)", size);
}

#define ktrace_template_init(set, kernel_version) do {			\
	INIT_LIST_HEAD(&(set)->templates);				\
	(set)->owner = THIS_MODULE;					\
	(set)->kernel = (kernel_version);				\
	(set)->version = KTRACE_PROBE_VERSION;				\
} while (0)

#endif /* KTRACE_TEMPLATES_H */

#ifdef KTRACE_TEMPLATES

/*
 * The tracepoints, and the helpers that the header has only for the file that defines them.  The
 * include guard of readahead.h of Linux 7 has another header's name, so it must not be included
 * twice.
 */
#ifndef KTRACE_TEMPLATES_DECLARED
#ifdef KTRACE_TEMPLATES_SHADOW
#define CREATE_TRACE_POINTS
#endif
#include KTRACE_TEMPLATES
#undef CREATE_TRACE_POINTS
#endif

#define TRACE_HEADER_MULTI_READ

/*
 * ktrace_left_out_CLASS is defined as 1 for the classes that are not to be compiled, because
 * they use something that modules cannot use.
 */
#undef __ktrace_class
#define __ktrace_class(call)							\
	CONCATENATE(__ktrace_class_, __is_defined(ktrace_left_out_##call))
#undef __ktrace_class_1
#define __ktrace_class_1(call, proto, args, tstruct, assign)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)		\
	__ktrace_class(call)(call, PARAMS(proto), PARAMS(args), PARAMS(tstruct), PARAMS(assign))

/* All kinds of events are reduced to classes, and to events that belong to a class. */
#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)			\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
			    PARAMS(assign), PARAMS(print))			\
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print)	\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),		\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg)	\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),		\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_FN_COND
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print,	\
			    reg, unreg)						\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),		\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_SYSCALL
#define TRACE_EVENT_SYSCALL(name, proto, args, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),		\
		    PARAMS(assign), PARAMS(print))

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)			\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT
#undef DECLARE_EVENT_SYSCALL_CLASS
#define DECLARE_EVENT_SYSCALL_CLASS DECLARE_EVENT_CLASS

/* These declare no event. */
#undef TRACE_EVENT_NOP
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)
#undef DEFINE_EVENT_NOP
#define DEFINE_EVENT_NOP(template, name, proto, args)
#undef DECLARE_TRACE
#define DECLARE_TRACE(name, proto, args)
#undef DECLARE_TRACE_CONDITION
#define DECLARE_TRACE_CONDITION(name, proto, args, cond)
#undef TRACE_EVENT_FLAGS
#define TRACE_EVENT_FLAGS(event, flag)
#undef TRACE_EVENT_PERF_PERM
#define TRACE_EVENT_PERF_PERM(event, expr...)
#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(a)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(a)

/* ---- the raw data ----------------------------------------------------------- */

#include <trace/stages/stage1_struct_define.h>

/* The packed structure is smaller if the other one has bytes that belong to no field. */
#undef __ktrace_class_0
#define __ktrace_class_0(call, proto, args, tstruct, assign)			\
	struct trace_event_raw_##call {						\
		struct trace_entry ent;						\
		tstruct								\
		char __data[];							\
	};									\
	struct ktrace_packed_##call {						\
		struct trace_entry ent;						\
		tstruct								\
		char __data[];							\
	} __packed;
#define DEFINE_EVENT(template, name, proto, args)

#include KTRACE_TEMPLATES

/* ---- the offsets of the dynamic arrays -------------------------------------- */

#include <trace/stages/stage2_data_offsets.h>

#undef __ktrace_class_0
#define __ktrace_class_0(call, proto, args, tstruct, assign)			\
	struct trace_event_data_offsets_##call {				\
		tstruct								\
	};

#include KTRACE_TEMPLATES

/* ---- the fields ------------------------------------------------------------- */

#include <trace/stages/stage4_event_fields.h>

#undef __ktrace_class_0
#define __ktrace_class_0(call, proto, args, tstruct, assign)			\
	static const struct trace_event_fields ktrace_fields_##call[] = {	\
		tstruct								\
		{}								\
	};

#include KTRACE_TEMPLATES

/* ---- the size of the dynamic arrays ----------------------------------------- */

#include <trace/stages/stage5_get_offsets.h>

#undef __ktrace_class_0
#define __ktrace_class_0(call, proto, args, tstruct, assign)			\
	static inline notrace int ktrace_get_offsets_##call(			\
		struct trace_event_data_offsets_##call *__data_offsets, proto)	\
	{									\
		int __data_size = 0;						\
		int __maybe_unused __item_length;				\
		struct trace_event_raw_##call __maybe_unused *entry;		\
										\
		tstruct								\
		return __data_size;						\
	}

#include KTRACE_TEMPLATES

/* ---- the probe -------------------------------------------------------------- */

/* Some kernels' stage 6 does not define __get_str() and the like. */
#include <trace/stages/stage3_trace_output.h>
#include <trace/stages/stage6_event_callback.h>

/* Before Linux 6.10, the source is given a second time, and may have changed in between. */
#define __ktrace_assign_str_0(dst)						\
	do {									\
		u32 __len = __get_dynamic_array_len(dst) - 1;			\
										\
		memcpy(__get_str(dst), __data_offsets.dst##_ptr_ ? : "(null)", __len); \
		__get_str(dst)[__len] = '\0';					\
	} while (0)
#define __ktrace_assign_str_1(dst, src)						\
	ktrace_template_copy_string(__get_str(dst), (const char *)(src),	\
				    __get_dynamic_array_len(dst))
#undef __assign_str
#define __assign_str(dst, src...)						\
	CONCATENATE(__ktrace_assign_str_, COUNT_ARGS(src))(dst, ##src);

#define __ktrace_assign_rel_str_0(dst)						\
	do {									\
		u32 __len = __get_rel_dynamic_array_len(dst) - 1;		\
										\
		memcpy(__get_rel_str(dst), __data_offsets.dst##_ptr_ ? : "(null)", __len); \
		__get_rel_str(dst)[__len] = '\0';				\
	} while (0)
#define __ktrace_assign_rel_str_1(dst, src)					\
	ktrace_template_copy_string(__get_rel_str(dst), (const char *)(src),	\
				    __get_rel_dynamic_array_len(dst))
#undef __assign_rel_str
#define __assign_rel_str(dst, src...)						\
	CONCATENATE(__ktrace_assign_rel_str_, COUNT_ARGS(src))(dst, ##src);

#undef __assign_str_len
#define __assign_str_len(dst, src, len)						\
	do {									\
		u32 __len = min_t(u32, len, __get_dynamic_array_len(dst) - 1);	\
										\
		memcpy(__get_str(dst), (src), __len);				\
		__get_str(dst)[__len] = '\0';					\
	} while (0)

#undef __assign_rel_str_len
#define __assign_rel_str_len(dst, src, len)					\
	do {									\
		u32 __len = min_t(u32, len, __get_rel_dynamic_array_len(dst) - 1); \
										\
		memcpy(__get_rel_str(dst), (src), __len);			\
		__get_rel_str(dst)[__len] = '\0';				\
	} while (0)

#undef __assign_vstr
#define __assign_vstr(dst, fmt, va)						\
	do {									\
		va_list __copy;							\
										\
		va_copy(__copy, *(va));						\
		vsnprintf(__get_str(dst), __get_dynamic_array_len(dst), fmt, __copy); \
		va_end(__copy);							\
	} while (0)

/*
 * The event's task makes no difference: in the kernels that we know, perf does not pass the event
 * to a task that is not running either.
 */
#undef __perf_count
#define __perf_count(c) (__count = (c))
#undef __perf_task
#define __perf_task(t) (t)

#undef __ktrace_class_0
#define __ktrace_class_0(call, proto, args, tstruct, assign)			\
	static notrace void ktrace_class_probe_##call(void *__data, proto)		\
	{									\
		struct ktrace_probe_event *__event =				\
			READ_ONCE(((struct ktrace_probe_tap *)__data)->first);	\
		struct trace_event_data_offsets_##call __maybe_unused __data_offsets; \
		struct trace_event_raw_##call *entry;				\
		const u32 __end = offsetof(typeof(*entry), __data);		\
		u64 __count = 1;						\
		u32 __data_size, __size;					\
										\
		__data_size = ktrace_get_offsets_##call(&__data_offsets, args);	\
		__size = KTRACE_RECORD_SIZE(sizeof(*entry) + __data_size);	\
		do {								\
			if (!ktrace_probe_begin(__event, __size, __count, (void **)&entry)) { \
				__event = ktrace_probe_next(__event);		\
				continue;					\
			}							\
			if (sizeof(struct ktrace_packed_##call) != __end)	\
				memset((void *)entry + sizeof(entry->ent), 0,	\
				       __end - sizeof(entry->ent));		\
			if (sizeof(*entry) != __end)				\
				memset((void *)entry + __end + __data_size, 0,	\
				       sizeof(*entry) - __end);			\
			tstruct							\
			{ assign; }						\
			__event = ktrace_probe_end(__event, entry, __size, _RET_IP_, __count); \
		} while (ktrace_probe_goes_on(__event));					\
	}

#include KTRACE_TEMPLATES

/* ---- the list --------------------------------------------------------------- */

#undef __ktrace_list
#undef __ktrace_list_is
#ifdef KTRACE_TEMPLATES_LIST
#define __ktrace_list KTRACE_TEMPLATES_LIST
void __ktrace_list(struct list_head *templates);
#define __ktrace_list_is
#else
#define __ktrace_list ktrace_templates_list
#define __ktrace_list_is static
#endif

#undef __ktrace_class_0
#define __ktrace_class_0(call, proto, args, tstruct, assign)
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args)				\
	CONCATENATE(__ktrace_event_, __is_defined(ktrace_left_out_##template))(	\
		template, call, PARAMS(proto))
#define __ktrace_event_1(template, call, proto)
#define __ktrace_event_0(template, call, proto)					\
	{									\
		static struct ktrace_template __template = {			\
			.system = __stringify(TRACE_SYSTEM),			\
			.name = #call,						\
			.probe = ktrace_class_probe_##template,			\
			.fields = ktrace_fields_##template,			\
			.prototype = __stringify(proto),			\
		};								\
										\
		check_trace_callback_type_##call(ktrace_class_probe_##template);	\
		list_add_tail(&__template.node, __templates);			\
	}

__ktrace_list_is void __ktrace_list(struct list_head *__templates)
{
#include KTRACE_TEMPLATES
}

#undef TRACE_HEADER_MULTI_READ

/* ---- a module that has nothing else ----------------------------------------- */

#ifndef KTRACE_TEMPLATES_LIST
static struct ktrace_template_set ktrace_templates;

static int __init ktrace_templates_init(void)
{
	ktrace_template_init(&ktrace_templates, UTS_VERSION);
	ktrace_templates_list(&ktrace_templates.templates);
	return ktrace_template_register(&ktrace_templates);
}

static void __exit ktrace_templates_exit(void)
{
	ktrace_template_unregister(&ktrace_templates);
}

module_init(ktrace_templates_init);
module_exit(ktrace_templates_exit);
MODULE_DESCRIPTION("ktrace's probes for the events of " __FILE__);
MODULE_LICENSE("GPL");
#endif

#endif /* KTRACE_TEMPLATES */

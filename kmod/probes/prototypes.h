/* SPDX-License-Identifier: GPL-2.0 */
/*
 * With this before trace headers, an event becomes only an empty function with its prototype.  So
 * the types that it needs are found in little time.  For each use of an unknown type, the compiler
 * searches similar names among all that it knows, which takes 30 ms.  The kernel's own definition
 * of an event uses each type ten times.
 */
#ifndef KTRACE_PROBES_PROTOTYPES_H
#define KTRACE_PROBES_PROTOTYPES_H

#include <linux/tracepoint.h>

#define ktrace_prototype(name, proto) static inline void ktrace_prototype_##name(proto) { }

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, ...) ktrace_prototype(name, PARAMS(proto))
#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION TRACE_EVENT
#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN TRACE_EVENT
#undef TRACE_EVENT_FN_COND
#define TRACE_EVENT_FN_COND TRACE_EVENT
#undef TRACE_EVENT_SYSCALL
#define TRACE_EVENT_SYSCALL TRACE_EVENT
#undef DEFINE_EVENT
#define DEFINE_EVENT(class, name, proto, ...) ktrace_prototype(name, PARAMS(proto))
#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN DEFINE_EVENT
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT DEFINE_EVENT
#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION DEFINE_EVENT

#endif

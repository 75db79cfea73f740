// SPDX-License-Identifier: GPL-2.0
/*
 * a46023d5616e ("tracing: Guard __DECLARE_TRACE() use of __DO_TRACE_CALL() with SRCU-fast"),
 * v7.0
 */
#include <linux/tracepoint.h>

/* Any other guard of a tracepoint's probes does not compile here. */
#undef preempt_disable_notrace
#define preempt_disable_notrace() another_kernel()
#undef guard
#define guard(name) guard_##name
#define guard_srcu_fast_notrace(srcu) (void)(srcu)

DECLARE_TRACE(ktrace_compat, TP_PROTO(int value), TP_ARGS(value));

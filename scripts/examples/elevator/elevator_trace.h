/* SPDX-License-Identifier: GPL-2.0 */
/* The events of the module, as in any kernel code. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM elevator

#if !defined(ELEVATOR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ELEVATOR_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(elevator_stop,
	TP_PROTO(int floor, unsigned int passengers),
	TP_ARGS(floor, passengers),
	TP_STRUCT__entry(
		__field(int, floor)
		__field(unsigned int, passengers)
	),
	TP_fast_assign(
		__entry->floor = floor;
		__entry->passengers = passengers;
	),
	TP_printk("floor=%d passengers=%u", __entry->floor, __entry->passengers)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE elevator_trace
#include <trace/define_trace.h>

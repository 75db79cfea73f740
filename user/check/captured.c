// SPDX-License-Identifier: GPL-2.0
#include "check/captured.h"

#include <stdlib.h>

#include "lib/array.h"

/* These are TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ and TRACE_FLAG_NMI. */
#define CONTEXT_FLAGS (0x08 | 0x10 | 0x40)

void captured_deinit(struct captured *captured)
{
	free(captured->items);
	strbuf_deinit(&captured->bytes);
	*captured = (struct captured){ 0 };
}

int32_t captured_tid(const struct event_format *format, const void *raw, size_t size)
{
	const struct field *field = event_format_field(format, "common_pid");

	return field ? (int32_t)field_u64(field, raw, size) : -1;
}

struct error *captured_add(struct captured *captured, const struct event_format *format,
			   const struct captured_record *like, const void *raw, size_t size)
{
	const struct field *flags = event_format_field(format, "common_flags");
	struct captured_record record = {
		.event = like->event,
		.cpu = like->cpu,
		.is_whole = like->is_whole,
		.tid = captured_tid(format, raw, size),
		.context = flags ? field_u64(flags, raw, size) & CONTEXT_FLAGS : 0,
		.time = like->time,
		.at = captured->bytes.len,
		.size = size,
		.index = captured->nr,
	};

	strbuf_add(&captured->bytes, raw, size);
	/* Align the records, because they are read in place. */
	strbuf_pad(&captured->bytes, (captured->bytes.len + 7) & ~7UL, 0);
	return !captured->bytes.failed && array_push(captured, record) ? NULL : &error_no_memory;
}

static int order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int captured_order(const struct captured_record *a, const struct captured_record *b)
{
	int by = order(a->event, b->event);

	if (!by)
		by = order(a->tid, b->tid);
	/* All idle tasks have the same tid. */
	if (!by && !a->tid)
		by = order(a->cpu, b->cpu);
	return by ? by : order(a->context, b->context);
}

DEFINE_COMPARISON(order_captured, struct captured_record, captured_order(x, y) ?:
		  order(x->time, y->time) ?: order(x->index, y->index))

void captured_sort(struct captured *captured)
{
	array_sort(captured, order_captured);
}

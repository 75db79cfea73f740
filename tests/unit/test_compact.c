// SPDX-License-Identifier: GPL-2.0
/* Compact records of the device: their values, and the events that files have for them. */
#include <linux/ktrace.h>
#include <stdlib.h>

#include "capture/task_events.h"
#include "columns/columns.h"
#include "record/common_number.h"
#include "record/device_lost.h"
#include "record/event.h"
#include "record/sample.h"
#include "tap.h"

/* One without an id: the shortest that there are. */
struct short_sample {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t time;
	uint32_t raw_size;
	uint8_t raw[12];
};

static struct event *add(struct event_list *list, uint64_t sample_type, uint32_t source)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .config = 7, .sample_period = 1,
		.sample_type = sample_type, .sample_id_all = 1, .size = sizeof(attr),
	};
	struct event *event;

	if (event_list_add(list, &attr, "test:event", &event) || event_add_id(event, 4711))
		abort();
	event->source = source;
	event_finish(event);
	return event;
}

static struct short_sample sample_of(unsigned int cpu, uint64_t time)
{
	return (struct short_sample){
		.header = {
			PERF_RECORD_SAMPLE,
			PERF_RECORD_MISC_KERNEL | cpu << KTRACE_MISC_CPU_SHIFT,
			sizeof(struct short_sample),
		},
		.pid = 5, .tid = 6, .time = time, .raw_size = 12, .raw = "hello world",
	};
}

TEST(test_samples)
{
	struct short_sample record = sample_of(KTRACE_MISC_CPUS - 1, 100);
	struct event_list list, other;
	struct event *event;
	struct sample s;

	event_list_init(&list);
	event_list_init(&other);
	event = add(&list, KTRACE_SAMPLE_TYPE_ALONE, EVENT_SOURCE_DEVICE);
	ok(event_sampled(event) & PERF_SAMPLE_CPU && !(event->attr.sample_type & PERF_SAMPLE_CPU),
	   "samples of the device tell their CPU without PERF_SAMPLE_CPU");
	ok(sample_decode(event, &record.header, &s), "a sample is decoded");
	is_u64(s.cpu, KTRACE_MISC_CPUS - 1, "its CPU is that of the header");
	is_u64(s.cpumode, PERF_RECORD_MISC_KERNEL, "the CPU does not disturb the mode");
	ok(s.pid == 5 && s.tid == 6 && s.time == 100 && s.period == 1, "a sample has its task, its time and its period");
	ok(s.raw_size == 12 && !memcmp(s.raw, "hello world", 12), "a sample has its raw data");
	ok(event_list_find_record(&list, &record.header) == event, "a sample is of the only event");

	event = add(&other, KTRACE_SAMPLE_TYPE_ALONE, 0);
	ok(sample_decode(event, &record.header, &s) && s.cpu == -1 &&
	   !(event_sampled(event) & PERF_SAMPLE_CPU),
	   "samples of perf have no CPU there");
	event->nr_ids = 0;
	ok(!event_add_id(event, KTRACE_ID_BASE + 1) && sample_decode(event, &record.header, &s) &&
	   s.cpu == KTRACE_MISC_CPUS - 1, "a recording that was cut off shows the device by its ids");
	event_list_deinit(&list);
	event_list_deinit(&other);
}

TEST(test_losses)
{
	static const uint64_t types[] = {
		KTRACE_SAMPLE_TYPE, KTRACE_SAMPLE_TYPE_COMPACT, KTRACE_SAMPLE_TYPE_ALONE,
	};

	for (size_t i = 0; i < 3; i++) {
		const struct body_device_lost *body;
		struct event_list list;
		struct device_lost lost;
		struct event *event;
		struct sample s;

		about("%u bytes", ktrace_lost_size(types[i]));
		event_list_init(&list);
		event = add(&list, types[i], EVENT_SOURCE_DEVICE);
		device_lost_make(event, 3, KTRACE_LOST_NESTED, 12, 100, 200, &lost);
		is_u64(lost.header.size, ktrace_lost_size(types[i]),
		       "a loss has the size of the device's");
		body = device_lost_body(event, &lost.header);
		ok(body && body->id == 4711 && body->lost == 12 &&
		   body->reason == KTRACE_LOST_NESTED && body->first == 100 && body->last == 200,
		   "a loss has its members");
		ok(sample_id_decode(event, &lost.header, &s) && s.time == 200 && s.cpu == 3 &&
		   s.pid == -1 && s.tid == -1, "a loss says when and where it was, and of no task");
		is_u64(event_record_time(event, &lost.header), 200, "the time is found by the layout");
		lost.header.size = 24 + sample_id_size(&event->attr);
		ok(!device_lost_body(event, &lost.header), "the kernel's own loss is none of the device");
		event_list_deinit(&list);
	}
	about_nothing();
}

/* The kernel's records of tasks have the CPU nowhere. */
TEST(test_other_records)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
		char comm[8];
		int32_t id_pid, id_tid;
		uint64_t time;
	} comm = {
		.header = { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(comm) },
		.pid = 5, .tid = 6, .comm = "x", .id_pid = 5, .id_tid = 6, .time = 50,
	};
	struct event_list list;
	struct event *event;
	struct sample s;

	event_list_init(&list);
	event = add(&list, KTRACE_SAMPLE_TYPE_ALONE, EVENT_SOURCE_DEVICE);
	ok(sample_id_decode(event, &comm.header, &s) && s.cpu == -1 && s.time == 50 && s.tid == 6,
	   "a COMM has a time and a task, and no CPU");
	event_list_deinit(&list);
}

TEST(test_columns)
{
	static const char *const names[] = { "_cpu", "_time" };
	struct short_sample a = sample_of(3, 200), b = sample_of(1, 100);
	const struct perf_event_header *headers[] = { &a.header, &b.header };
	struct columns *columns = NULL;
	struct event_list list;
	struct event *event;
	struct batch batch;

	event_list_init(&list);
	event = add(&list, KTRACE_SAMPLE_TYPE_ALONE, EVENT_SOURCE_DEVICE);
	if (columns_create(event, NULL, names, 2, &columns) || columns_add(columns, headers, 2) ||
	    columns_take(columns, &batch))
		abort();
	ok(((int32_t *)batch.columns[0].values)[0] == 3 &&
	   ((int32_t *)batch.columns[0].values)[1] == 1, "columns have the CPUs");
	ok(((int64_t *)batch.columns[1].values)[0] == 200, "columns have the times beside them");
	batch_deinit(&batch);
	columns_destroy(columns);
	event_list_deinit(&list);
}

static void add_dummy(struct event_list *list)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof(attr),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .sample_id_all = 1,
		.task = 1, .comm = 1, .mmap = 1, .mmap2 = 1,
	};
	struct event *event;

	if (event_list_add(list, &attr, "dummy:u", &event) || event_add_id(event, 12) ||
	    event_add_id(event, 13))
		abort();
}

TEST(test_carrying)
{
	struct event_list list, carrier;
	struct event *event;

	event_list_init(&list);
	event_list_init(&carrier);
	event = add(&list, KTRACE_SAMPLE_TYPE_ALONE, EVENT_SOURCE_DEVICE);
	ok(!task_events_carry(&list, &carrier) && !carrier.nr, "an event by itself needs no other list");
	event->filter = strdup("a == 1");
	if (common_layout_set(&event->common, 1 << COMMON_FIELD_COMM))
		abort();
	add_dummy(&list);
	ok(!task_events_carry(&list, &carrier) && carrier.nr == 1,
	   "with the one for records of tasks, files have one event");
	event = carrier.items[0];
	ok(event->attr.comm && event->attr.mmap2 && event->attr.type == PERF_TYPE_TRACEPOINT,
	   "the event of the file has the records of tasks as well");
	ok(event->nr_ids == 3 && event_list_find_id(&carrier, 13) == event, "the event of the file has all ids");
	ok(!strcmp(event->filter, "a == 1") && event->common.nr == 1 && event->is_compact &&
	   !list.items[0]->attr.comm, "the event of the file is otherwise a copy");
	event_list_deinit(&carrier);
	event_list_deinit(&list);

	add(&list, KTRACE_SAMPLE_TYPE_COMPACT, EVENT_SOURCE_DEVICE);
	add_dummy(&list);
	ok(!task_events_carry(&list, &carrier) && !carrier.nr, "where there are ids, both are in the file");
	event_list_deinit(&list);
}

TAP_MAIN

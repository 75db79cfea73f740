// SPDX-License-Identifier: GPL-2.0
/* Where ids and times lie in records, and whose a record is. */
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "record/record.h"
#include "tap.h"

static struct event *add(struct event_list *list, uint64_t sample_type, uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.sample_type = sample_type,
		.sample_id_all = 1,
	};
	struct event *event;

	if (event_list_add(list, &attr, "a:b", &event) || event_add_id(event, id))
		abort();
	return event;
}

TEST(test_layout)
{
	struct event_list list;
	struct event *e;

	event_list_init(&list);
	e = add(&list, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, 1);
	ok(e->id_offset == 8 && e->time_offset == 32, "a sample: IDENTIFIER, IP, TID, TIME");
	ok(e->id_back == 8 && e->time_back == 24, "a sample_id: ... TIME, CPU, IDENTIFIER");
	e = add(&list, PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_ADDR, 2);
	ok(e->time_offset == 8 && e->id_offset == 24, "ID comes behind ADDR");
	ok(e->id_back == 8 && e->time_back == 16, "a sample_id: TIME, ID");
	e = add(&list, PERF_SAMPLE_IP, 3);
	ok(e->id_offset == -1 && e->time_offset == -1 && e->id_back == -1 && e->time_back == -1,
	   "a field that was not requested is nowhere");
	e->attr.sample_type |= PERF_SAMPLE_TIME;
	e->attr.sample_id_all = 0;
	event_finish(e);
	ok(e->time_offset == 16 && e->time_back == -1, "without sample_id_all no record but a "
	   "sample has a time");
	event_list_deinit(&list);
}

/* Samples of one kind that is recorded several times tell the same several times. */
TEST(test_counts)
{
	struct event_list list;
	struct event *events[4];

	event_list_init(&list);
	for (int i = 0; i < 4; i++)
		events[i] = add(&list, PERF_SAMPLE_TIME, i + 1);
	ok(event_counts(&list, events[0]) && !event_counts(&list, events[1]),
	   "of two that are the same the first one counts");
	events[0]->filter = strdup("pid == 1");
	ok(!event_counts(&list, events[0]) && event_counts(&list, events[1]) &&
	   !event_counts(&list, events[2]), "one with a filter does not, where another one has none");
	events[1]->filter = strdup("pid == 1");
	events[2]->cgroup = strdup("a");
	events[3]->cgroup = strdup("b");
	ok(event_counts(&list, events[0]) && !event_counts(&list, events[1]) &&
	   event_counts(&list, events[2]) && event_counts(&list, events[3]),
	   "if all are limited, each one counts that is limited in another manner");
	events[3]->cgroup[0] = '\0';
	ok(!event_counts(&list, events[0]) && !event_counts(&list, events[2]) &&
	   event_counts(&list, events[3]), "an empty name is no cgroup");
	events[3]->attr.config++;
	ok(event_counts(&list, events[0]) && event_counts(&list, events[3]), "other kinds are others");
	event_list_deinit(&list);
}

struct sample_record {
	struct perf_event_header header;
	uint64_t id, time;
};

TEST(test_find)
{
	const uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME;
	struct sample_record r = { { PERF_RECORD_SAMPLE, 0, sizeof(r) }, 0, 77 };
	struct event_list list;
	struct event *events[300];
	bool all = true;

	event_list_init(&list);
	ok(!event_list_find_record(&list, &r.header), "no events: no record is known");
	for (int i = 0; i < 300; i++) {
		events[i] = add(&list, type, i * 0x10001ULL + 5);
		if (event_add_id(events[i], (1ULL << 62) + i))
			abort();
	}
	no_error(event_list_index(&list), "600 ids are indexed");
	for (int i = 0; i < 300; i++) {
		r.id = i & 1 ? (1ULL << 62) + i : i * 0x10001ULL + 5;
		all &= event_list_find_record(&list, &r.header) == events[i];
		all &= event_record_time(events[i], &r.header) == 77;
	}
	ok(all, "each is found, perf's and the device's, with its time");
	r.id = 4;
	ok(!event_list_find_record(&list, &r.header), "an unknown id is nobody's");
	r.id = 0;
	ok(event_list_find_record(&list, &r.header) == events[0],
	   "id 0, of synthesized records, is the first event's");
	r.header.size = 12;
	ok(!event_list_find_record(&list, &r.header), "a record too short for an id is nobody's");
	ok(event_record_time(events[0], &r.header) == 0, "a record too short for a time has none");
	r.header = (struct perf_event_header){ RECORD_FINISHED_ROUND, 0, sizeof(r) };
	ok(!event_list_find_record(&list, &r.header) && !event_record_time(events[0], &r.header),
	   "records of perf's user side have neither");
	add(&list, PERF_SAMPLE_TIME, 1234567);
	no_error(event_list_index(&list), "an event of another layout is added");
	r = (struct sample_record){ { PERF_RECORD_SAMPLE, 0, sizeof(r) }, 5, 77 };
	ok(!event_list_find_record(&list, &r.header),
	   "when layouts differ nobody guesses where the id is");
	event_list_deinit(&list);

	event_list_init(&list);
	events[0] = add(&list, PERF_SAMPLE_TIME, 1);
	r.id = 999;
	ok(event_list_find_record(&list, &r.header) == events[0], "a single event needs no ids");
	event_list_deinit(&list);
}

/* As events come through a pipe: each is found as soon as it is known. */
TEST(test_index_one_by_one)
{
	const uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME;
	struct event_list list;
	struct event *events[300];
	size_t tables = 0, mask = 0;
	bool all = true;

	event_list_init(&list);
	for (int i = 0; i < 300; i++) {
		events[i] = add(&list, type, i * 0x10001ULL + 5);
		if (event_list_index_last(&list))
			abort();
		tables += list.id_mask != mask;
		mask = list.id_mask;
		for (int j = 0; j <= i; j++)
			all &= event_list_find_id(&list, j * 0x10001ULL + 5) == events[j];
	}
	ok(all, "events that are indexed one by one are found");
	ok(tables < 10, "300 events need fewer than 10 tables (%zu)", tables);
	ok(list.one_layout && list.one_time, "they share their layout");
	add(&list, PERF_SAMPLE_TIME, 1234567);
	no_error(event_list_index_last(&list), "an event of another layout is appended");
	ok(!list.one_layout && !list.one_time, "then they do not share it any more");
	event_list_deinit(&list);
}

TAP_MAIN

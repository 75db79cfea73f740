// SPDX-License-Identifier: GPL-2.0
/* The bodies of records: how much of a record they may read, and how they are swapped. */
#include "lib/array.h"
#include "perfdata/swap.h"
#include "record/body.h"
#include "record/record.h"
#include "tap.h"

/* Bodies of numbers alone, in front of their texts or items. */
static const struct {
	uint32_t type;
	size_t size;
} bodies[] = {
	{ PERF_RECORD_MMAP, sizeof(struct body_mmap) },
	{ PERF_RECORD_MMAP2, sizeof(struct body_mmap2) },
	{ PERF_RECORD_COMM, sizeof(struct body_comm) },
	{ PERF_RECORD_FORK, sizeof(struct body_task) },
	{ PERF_RECORD_EXIT, sizeof(struct body_task) },
	{ PERF_RECORD_THROTTLE, sizeof(struct body_throttle) },
	{ PERF_RECORD_UNTHROTTLE, sizeof(struct body_throttle) },
	{ PERF_RECORD_AUX, sizeof(struct body_aux) },
	{ PERF_RECORD_LOST_SAMPLES, sizeof(struct body_lost_samples) },
	{ PERF_RECORD_SWITCH_CPU_WIDE, sizeof(struct body_switch) },
	{ PERF_RECORD_KSYMBOL, sizeof(struct body_ksymbol) },
	{ PERF_RECORD_BPF_EVENT, sizeof(struct body_bpf_event) },
	{ PERF_RECORD_CGROUP, sizeof(struct body_cgroup) },
	{ RECORD_TRACING_DATA, sizeof(struct body_tracing_data) },
	{ RECORD_FINISHED_ROUND, sizeof(struct body_finished_round) },
	{ RECORD_AUXTRACE, sizeof(struct body_auxtrace) },
	{ RECORD_AUXTRACE_ERROR, offsetof(struct body_auxtrace_error, msg) },
	{ RECORD_THREAD_MAP, sizeof(struct body_thread_map) },
	{ RECORD_STAT, sizeof(struct body_stat) },
	{ RECORD_STAT_ROUND, sizeof(struct body_stat_round) },
	{ RECORD_EVENT_UPDATE, sizeof(struct body_event_update) },
	{ RECORD_HEADER_FEATURE, sizeof(struct body_feature) },
	{ RECORD_COMPRESSED2, sizeof(struct body_compressed2) },
	{ RECORD_SCHEDSTAT_CPU, sizeof(struct body_schedstat_cpu) },
};

#define TEXT 16

static struct {
	struct perf_event_header header;
	uint8_t body[128 + TEXT];
} record;

/* No byte of a number stays in its place when the number is swapped, as all differ. */
TEST(test_swap)
{
	struct event_list none;

	event_list_init(&none);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		const char *name = record_type_name(bodies[i].type);
		size_t size = bodies[i].size, kept = 0, changed = 0;

		record.header.type = bodies[i].type;
		record.header.size = sizeof(record.header) + size + TEXT;
		for (size_t at = 0; at < sizeof(record.body); at++)
			record.body[at] = at;
		swap_record(&none, &record.header);
		for (size_t at = 0; at < size; at++)
			changed += record.body[at] != at;
		for (size_t at = size; at < size + TEXT; at++)
			kept += record.body[at] == at;
		ok(changed == size, "swapping %s changes each byte of its body", name);
		ok(kept == TEXT, "swapping %s changes nothing behind its body", name);
	}
	event_list_deinit(&none);
}

TEST(test_bounds)
{
	const struct body_comm *comm;

	record.header = (struct perf_event_header){ .type = PERF_RECORD_COMM, .size = 15 };
	ok(!body_of(&record.header, struct body_comm), "a record of 15 bytes has no body of COMM");
	record.header.size = 16;
	comm = body_of(&record.header, struct body_comm);
	ok((const void *)comm == record.body, "a record of 16 bytes has one, behind the header");
	is_u64(body_left(&record.header, comm->comm), 0, "it has no text");
	is_u64(body_text_length(&record.header, comm->comm), 0, "the length of no text is 0");
	memset(record.body, 'x', sizeof(record.body));
	record.header.size = 20;
	is_u64(body_text_length(&record.header, comm->comm), 4,
	       "a text without NUL ends with the record");
	record.body[9] = '\0';
	is_u64(body_text_length(&record.header, comm->comm), 1, "a text ends with its NUL");
}

TEST(test_items)
{
	const struct body_thread_map *map;

	record.header = (struct perf_event_header){ .type = RECORD_THREAD_MAP, .size = 16 + 50 };
	map = body_of(&record.header, struct body_thread_map);
	is_u64(body_items(&record.header, map->items, 1, sizeof(map->items[0])), 1,
	       "a record with room for more than its one item has one");
	is_u64(body_items(&record.header, map->items, UINT64_MAX, sizeof(map->items[0])), 2,
	       "items that do not fit into the record are not counted");
}

/* Linux also marks records that have the file's numbers, while another event requests build ids. */
TEST(test_build_ids)
{
	static const struct {
		const char *what;
		uint32_t major, minor;
		uint64_t inode, generation;
	} files[] = {
		{ "a virtual disk", 254, 1, 0x12345, 0xabcdef },
		{ "a partition", 8, 1, 0x12345, 0xabcdef },
		{ "a partition, of no generation", 8, 1, 0x12345, 0 },
		{ "a disk of another kind", 259, 3, 0x12345, 0 },
		{ "a file system without a disk", 0, 41, 0x12345, 7 },
	};
	static const uint8_t sizes[] = { 1, 8, 16, 20 };
	struct perf_event_header header = {
		.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_MMAP_BUILD_ID,
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct body_mmap2 body = {
			.major = files[i].major, .minor = files[i].minor,
			.inode = files[i].inode, .generation = files[i].generation,
		};

		ok(!body_mmap2_has_build_id(&header, &body), "the file's numbers: %s", files[i].what);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct body_mmap2 body = { .build_id_size = sizes[i] };

		for (unsigned int n = 0; n < sizes[i]; n++)
			body.build_id[n] = 0x11 * (n + 1);
		ok(body_mmap2_has_build_id(&header, &body) == (sizes[i] >= 8),
		   "a build id of %u bytes", sizes[i]);
		header.misc = 0;
		ok(!body_mmap2_has_build_id(&header, &body), "%u bytes without the mark", sizes[i]);
		header.misc = PERF_RECORD_MISC_MMAP_BUILD_ID;
	}
}

TAP_MAIN

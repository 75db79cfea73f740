// SPDX-License-Identifier: GPL-2.0
/* Samples taken apart, and the trailer of common fields. */
#include <stdlib.h>

#include "record/common_field.h"
#include "record/common_number.h"
#include "record/sample.h"
#include "tap.h"

/* A record under construction. */
static struct {
	struct perf_event_header header;
	uint64_t words[64];
} record;
static size_t nr_words;

static void begin(void)
{
	record.header = (struct perf_event_header){ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 };
	nr_words = 0;
}

static void put(uint64_t word)
{
	record.words[nr_words++] = word;
	record.header.size += 8;
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static struct event event_of(uint64_t type)
{
	struct event event = {
		.attr = { .sample_type = type, .sample_period = 4000, .sample_id_all = 1 },
	};

	event_finish(&event);
	return event;
}

TEST(test_everything)
{
	struct event e = event_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				  PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_STREAM_ID |
				  PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
				  PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
				  PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
				  PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
				  PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |
				  PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
				  PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE);
	struct sample s;
	size_t whole, cuts = 0;

	e.attr.sample_regs_user = 7;
	e.attr.sample_regs_intr = 1;
	begin();
	put(11);			/* id */
	put(12);			/* ip */
	put(pair(13, -1));		/* pid, tid */
	put(14);			/* time */
	put(15);			/* addr */
	put(16);			/* stream id */
	put(pair(17, 0));		/* cpu */
	put(18);			/* period */
	put(2), put(191), put(192);	/* call chain */
	put(pair(12, 0x20)), put(0x21);	/* raw: size 12 */
	put(1), put(1), put(2), put(3);	/* one branch */
	put(2), put(221), put(222), put(223);
	put(16), put(231), put(232), put(8); /* user stack, 8 of 16 bytes */
	put(pair(24, 25));		/* weight, latency */
	put(26), put(27);		/* data source, transaction */
	put(1), put(281);		/* regs at the interrupt */
	put(29), put(30), put(31), put(32);
	ok(sample_decode(&e, &record.header, &s), "a sample with everything");
	ok(s.id == 11 && s.ip == 12 && s.pid == 13 && s.tid == -1 && s.time == 14, "id to time");
	ok(s.addr == 15 && s.stream_id == 16 && s.cpu == 17 && s.period == 18, "addr to period");
	ok(s.nr_callchain == 2 && s.callchain[1] == 192, "the call chain");
	ok(s.raw_size == 12 && *(const uint32_t *)s.raw == 0x20, "raw bytes");
	ok(s.nr_branches == 1 && s.user_abi == 2 && s.user_regs[2] == 223, "branches, registers");
	ok(s.user_stack_size == 8 && *(const uint64_t *)s.user_stack == 231, "the user's stack");
	ok(s.weight == 24 && s.ins_lat == 25 && s.data_src == 26 && s.transaction == 27,
	   "weight to transaction");
	ok(s.intr_regs[0] == 281 && s.phys_addr == 29 && s.cgroup == 30 &&
	   s.data_page_size == 31 && s.code_page_size == 32, "the rest");
	ok(s.cpumode == PERF_RECORD_MISC_USER, "the mode");

	whole = record.header.size;
	for (size_t size = 8; size < whole; size++) {
		record.header.size = size;
		cuts += !sample_decode(&e, &record.header, &s);
	}
	is_u64(cuts, whole - 8, "cut anywhere, it is found too short");
}

TEST(test_hostile_lengths)
{
	struct event e = event_of(PERF_SAMPLE_CALLCHAIN);
	struct sample s;

	begin();
	put(UINT64_MAX / 8 + 2);
	put(1);
	ok(!sample_decode(&e, &record.header, &s), "a call chain of 2^61 entries");
	e = event_of(PERF_SAMPLE_RAW);
	begin();
	put(pair(UINT32_MAX, 0));
	ok(!sample_decode(&e, &record.header, &s), "4 GiB of raw data");
	e = event_of(PERF_SAMPLE_READ);
	e.attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	begin();
	put(UINT64_MAX / 16 + 1);
	put(1);
	ok(!sample_decode(&e, &record.header, &s), "a group of 2^60 values");
	e = event_of(PERF_SAMPLE_STACK_USER);
	begin();
	put(8), put(1), put(9);
	ok(!sample_decode(&e, &record.header, &s), "more stack copied than there is room for");
	e = event_of(PERF_SAMPLE_BRANCH_STACK);
	begin();
	put(UINT64_MAX / 24 + 2);
	ok(!sample_decode(&e, &record.header, &s), "2^59 branches");
}

TEST(test_values)
{
	struct event e = event_of(PERF_SAMPLE_READ);
	struct sample_value values[2];
	uint64_t enabled, running;
	struct sample s;

	e.attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	begin();
	put(3), put(100), put(90);
	put(1), put(11), put(0), put(2), put(12), put(5), put(3), put(13), put(0);
	ok(sample_decode(&e, &record.header, &s), "a group of three is read");
	is_u64(sample_values(&e, &s, values, 2, &enabled, &running), 2, "two of them asked for");
	ok(enabled == 100 && running == 90 && values[1].value == 2 && values[1].id == 12 &&
	   values[1].lost == 5, "times, values, ids, losses");
	e.attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED;
	begin();
	put(7), put(100), put(17);
	ok(sample_decode(&e, &record.header, &s) &&
	   sample_values(&e, &s, values, 2, &enabled, &running) == 1 && values[0].value == 7 &&
	   values[0].id == 17 && enabled == 100 && running == 0, "one value alone");
}

TEST(test_defaults)
{
	struct event e = event_of(PERF_SAMPLE_IP);
	struct sample s;

	begin();
	put(1);
	ok(sample_decode(&e, &record.header, &s) && s.pid == -1 && s.tid == -1 && s.cpu == -1,
	   "no task and no CPU sampled: -1");
	is_u64(s.period, 4000, "no period sampled: the attr's");
}

TEST(test_sample_id)
{
	struct event e = event_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				  PERF_SAMPLE_CPU | PERF_SAMPLE_IP);
	struct sample s;

	begin();
	record.header.type = PERF_RECORD_LOST;
	put(1), put(2), put(3), put(4), put(5);	/* as the device's: more than perf knows */
	put(pair(6, 7)), put(8), put(pair(9, 0)), put(10);
	ok(sample_id_decode(&e, &record.header, &s) && s.pid == 6 && s.tid == 7 && s.time == 8 &&
	   s.cpu == 9 && s.id == 10, "the sample_id is read from the record's end");
	record.header.size = 24;
	ok(!sample_id_decode(&e, &record.header, &s), "a record too short has none");
	e.attr.sample_id_all = 0;
	ok(!sample_id_decode(&e, &record.header, &s), "an event without sample_id_all has no sample_id");
}

static const void *slot_bytes(const struct event *e, const struct sample *s, const char *name)
{
	const struct common_slot *slot = common_layout_find(&e->common, name);

	return slot ? common_slot_bytes(e, s, slot) : NULL;
}

TEST(test_trailer)
{
	struct event e = event_of(PERF_SAMPLE_RAW);
	char raw[64];
	struct sample s = { .raw = raw, .raw_size = 60 };
	const struct common_field_info *info;
	uint64_t value;

	memset(raw, 0, sizeof(raw));
	ok(!common_layout_set(&e.common, 1 << COMMON_FIELD_TGID | 1 << COMMON_FIELD_COMM |
			      1 << COMMON_FIELD_SEQ), "known fields have a layout");
	is_u64(e.common.size, 32, "a trailer of two numbers and a comm has 32 bytes");
	is_u64(common_layout_mask(&e.common), 0x83, "a layout has its fields as a mask");
	is_u64(common_field_raw_size(&e, &s), 28, "the event's own bytes end before the trailer");
	value = 4711;
	memcpy(raw + 28, &value, 8);
	memcpy(raw + 36, "kworker/0:1", 12);
	value = 99;
	memcpy(raw + 52, &value, 8);
	ok(slot_bytes(&e, &s, "tgid") == raw + 28, "the first field begins the trailer");
	is_str(slot_bytes(&e, &s, "comm"), "kworker/0:1", "the comm is behind the tgid");
	ok(slot_bytes(&e, &s, "seq") == raw + 52, "the last field ends with the raw bytes");
	ok(!slot_bytes(&e, &s, "uid"), "a field that is not stored has no bytes");
	s.raw_size = 31;
	ok(!slot_bytes(&e, &s, "tgid") && !slot_bytes(&e, &s, "seq"),
	   "no field has bytes in a record too short for all of them");
	is_u64(common_field_raw_size(&e, &s), 31, "all of a record without its trailer is the event's");
	info = common_field_find("start_time");
	ok(info && info->number == COMMON_FIELD_START_TIME && info->stored,
	   "start_time is found by its name");
	info = common_field_find("cpu");
	ok(info && !info->stored && info->operand, "cpu is for filters alone");
	ok(!common_field_find("nosuch") && !common_field_info(63), "unknown fields are not found");
	common_layout_deinit(&e.common);
}

static struct error *add_slot(struct common_layout *layout, uint32_t offset, uint32_t size,
			      uint32_t type, const char *name)
{
	struct common_slot slot = { .number = 40, .offset = offset, .size = size, .type = type };

	snprintf(slot.name, sizeof(slot.name), "%s", name);
	return common_layout_add(layout, &slot);
}

/* Descriptions of trailers that a recording may have. */
TEST(test_layouts)
{
	struct common_layout layout = { 0 };
	struct error *err = common_layout_set(&layout, 1 << COMMON_FIELD_COMM | 1ULL << 31);

	ok(err && strstr(err->message, "number 31") && !layout.nr,
	   "a mask with a field of unknown size is refused by its number");
	error_free(err);
	ok(!add_slot(&layout, 0, 8, COMMON_SIGNED, "nice") &&
	   !add_slot(&layout, 16, 3, COMMON_TEXT, "abc") && layout.size == 19,
	   "a layout takes fields that this ktrace does not know, also with gaps between them");
	err = add_slot(&layout, 18, 8, COMMON_NUMBER, "over");
	ok(err, "a field that overlaps the one before it is refused");
	error_free(err);
	err = add_slot(&layout, 24, 4, COMMON_NUMBER, "half");
	ok(err, "a number of 4 bytes is refused");
	error_free(err);
	err = add_slot(&layout, 24, 8, 99, "type");
	ok(err, "an unknown type is refused");
	error_free(err);
	err = add_slot(&layout, 24, 8, COMMON_NUMBER, "a\033b");
	ok(err, "a name that could not be shown is refused");
	error_free(err);
	err = add_slot(&layout, 70000, 8, COMMON_NUMBER, "far");
	ok(err, "an offset no record reaches is refused");
	error_free(err);
	err = common_layout_end(&layout, 18);
	ok(err, "a trailer shorter than its fields is refused");
	error_free(err);
	ok(!common_layout_end(&layout, 24) && layout.size == 24, "a trailer may end behind its fields");
	common_layout_deinit(&layout);
}

TAP_MAIN

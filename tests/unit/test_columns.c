// SPDX-License-Identifier: GPL-2.0
/* Samples as columns: fixed layouts, decoded ones, damaged ones, texts and order. */
#include <stdlib.h>

#include "columns/columns.h"
#include "columns/dictionary.h"
#include "tap.h"

static const char format_text[] =
	"name: event\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned char small;\toffset:16;\tsize:1;\tsigned:0;\n"
	"\tfield:short medium;\toffset:18;\tsize:2;\tsigned:1;\n"
	"\tfield:unsigned long big;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int array[2];\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->small\n";

#define RAW 40

static struct formats *formats;
static const struct event_format *format;
static struct event_list events;
static struct event *event;

struct sample_record {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint32_t raw_size;
	char raw[RAW];
	char padding[4];
};

static struct sample_record make(uint64_t time, const char *comm, int small, int medium)
{
	struct sample_record r = {
		{ PERF_RECORD_SAMPLE, 0, sizeof(r) }, 1, 2, 10, 11, time, 3, 0, RAW + 4,
		{ 0 }, { 0 },
	};
	uint64_t big = ~0ull - small;

	strncpy(r.raw + 8, comm, 8);
	r.raw[16] = small;
	memcpy(r.raw + 18, &(int16_t){ medium }, 2);
	memcpy(r.raw + 24, &big, 8);
	memcpy(r.raw + 32, "12345678", 8);
	r.raw[39] = small;
	return r;
}

static void prepare(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .config = 7, .size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
	};

	event_list_init(&events);
	if (formats_create(&formats) ||
	    formats_add(formats, "test", format_text, sizeof(format_text) - 1) ||
	    event_list_add(&events, &attr, "test:event", &event))
		abort();
	event_finish(event);
	format = formats_find(formats, 7);
}

static void test_all(void)
{
	struct sample_record a = make(200, "one", 1, -1), b = make(100, "two", 255, 7);
	struct sample_record c = make(100, "one", 3, 8), cut = c;
	const struct perf_event_header *headers[] = {
		&a.header, &b.header, &cut.header, &c.header,
	};
	struct columns *columns = NULL;
	struct column *column;
	struct batch batch;

	cut.header.size = 24;
	ok(!columns_create(event, format, NULL, 0, &columns), "all columns");
	ok(columns_want_comm(columns), "the comm is one of them");
	ok(!columns_add(columns, headers, 4), "records are added");
	is_u64(columns_rows(columns), 3, "whole ones");
	is_u64(columns_damaged(columns), 1, "a cut one is counted");
	ok(!columns_take(columns, &batch), "a batch is returned");
	is_u64(columns_rows(columns), 0, "none are left");
	is_u64(batch.nr_rows, 3, "three rows");
	ok(!batch_sort(&batch), "sorted by time");
	column = batch_column(&batch, "_time");
	ok(column->type == COLUMN_TIME && ((int64_t *)column->values)[0] == 100 &&
	   ((int64_t *)column->values)[2] == 200, "times ascend");
	column = batch_column(&batch, "small");
	ok(column->size == 1 && !column->is_signed && ((uint8_t *)column->values)[0] == 255 &&
	   ((uint8_t *)column->values)[1] == 3, "equal times stay in their order");
	column = batch_column(&batch, "medium");
	ok(column->size == 2 && column->is_signed && ((int16_t *)column->values)[2] == -1,
	   "signed values");
	column = batch_column(&batch, "big");
	ok(((uint64_t *)column->values)[2] == ~0ull - 1, "unsigned 64-bit values");
	column = batch_column(&batch, "comm");
	is_u64(column->strings.nr, 2, "two texts");
	ok(((int32_t *)column->values)[0] == 1 && ((int32_t *)column->values)[1] == 0 &&
	   !memcmp(column->strings.bytes, "onetwo", 6), "by number");
	column = batch_column(&batch, "array");
	ok(column->type == COLUMN_BYTES && column->strings.offsets[3] == 24 &&
	   (unsigned char)column->strings.bytes[7] == 255, "bytes go along");
	ok(!batch_column(&batch, "common_type"), "fields of all events are left out");
	batch_deinit(&batch);
	columns_destroy(columns);
}

static void test_some(void)
{
	static const char *const names[] = { "big", "common_pid", "_cpu" };
	static const char *const wrong[] = { "nosuch" };
	struct sample_record a = make(1, "x", 1, 0), brief = a, cut = a;
	const struct perf_event_header *headers[] = {
		&a.header, &brief.header, &cut.header, &a.header,
	};
	struct columns *columns = NULL;
	struct error *err;
	struct batch batch;

	brief.raw_size = 16;	/* the record goes on, the event does not */
	ok(!columns_create(event, format, names, 3, &columns), "some columns");
	ok(!columns_want_comm(columns), "without the comm");
	cut.header.size = offsetof(struct sample_record, raw) + RAW / 2;
	ok(!columns_add(columns, headers, 4) && !columns_take(columns, &batch), "of fixed layout");
	is_u64(batch.nr_rows, 3, "a record that ends inside of the event has no row");
	is_u64(columns_damaged(columns), 1, "it is counted");
	ok(batch.nr_columns == 3 && ((uint32_t *)batch.columns[2].values)[1] == 3, "values");
	is_u64(((uint64_t *)batch.columns[0].values)[1], 0, "a field beyond the event is 0");
	is_u64(((uint64_t *)batch.columns[0].values)[2], ~0ull - 1, "a field inside of its event is not 0");
	batch_drop_last(&batch);
	is_u64(batch.nr_columns, 2, "the last one dropped");
	ok(!batch_sort(&batch), "without times nothing is sorted");
	batch_deinit(&batch);
	ok(!columns_take(columns, &batch) && !batch.nr_rows && batch.columns[0].values,
	   "nothing taken is no NULL");
	batch_deinit(&batch);
	columns_destroy(columns);
	columns = NULL;
	err = columns_create(event, format, wrong, 1, &columns);
	ok(err && strstr(err->hint, "medium"), "an unknown name lists those there are");
	error_free(err);
}

static void test_dictionary(void)
{
	struct dictionary *dictionary;
	struct byte_strings strings = { 0 };
	bool same = true;
	char text[16];

	if (dictionary_create(&dictionary))
		abort();
	is_u64(dictionary_number(dictionary, "", 0), 0, "the empty text is one");
	for (int i = 1; i < 5000; i++) {
		int len = snprintf(text, sizeof(text), "%d", i);

		same = same && dictionary_number(dictionary, text, len) == i;
	}
	for (int i = 4999; i > 0; i -= 7) {
		int len = snprintf(text, sizeof(text), "%d", i);

		same = same && dictionary_number(dictionary, text, len) == i;
	}
	ok(same, "numbers stay, however many there are");
	ok(!dictionary_copy(dictionary, &strings) && strings.nr == 5000 &&
	   !memcmp(strings.bytes + strings.offsets[4999], "4999", 4), "all of them");
	free(strings.offsets);
	free(strings.bytes);
	dictionary_destroy(dictionary);
}

int main(void)
{
	prepare();
	test_all();
	test_some();
	test_dictionary();
	event_list_deinit(&events);
	formats_destroy(formats);
	return tap_done();
}

// SPDX-License-Identifier: GPL-2.0
/* Columns by -F, and the lines they make. */
#include <stdlib.h>

#include "lib/log.h"
#include "lib/number.h"
#include "output/text/attr_text.h"
#include "output/text/record_text.h"
#include "output/text/text.h"
#include "record/common_field.h"
#include "record/common_number.h"
#include "session/callchain.h"
#include "tap.h"

static struct event_list events;

static struct event *add(uint32_t type, const char *name, uint64_t sample_type)
{
	struct perf_event_attr attr = {
		.type = type, .sample_type = sample_type, .sample_period = 7, .sample_id_all = 1,
	};
	struct event *event;

	if (event_list_add(&events, &attr, name, &event))
		abort();
	return event;
}

/* The lines of one sample of @event with the -F arguments of @fields ("" ends them). */
static void is_line(const struct event *event, const struct session_record *sample,
		    const char *fields, const char *want, const char *name)
{
	struct text_options options = { .max_stack = CALLCHAIN_DEPTH };
	struct session_record r = *sample;
	_cleanup_(text_output) struct text_output *output = NULL;
	struct session_consumer *consumer;
	struct error *err = NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	text_fields_init(&options.fields);
	for (; *fields && !err; fields += strlen(fields) + 1)
		err = text_fields_parse(&options.fields, fields);
	if (!err)
		err = text_output_create(out, &options, &events, &output);
	r.event = event;
	if (!err) {
		consumer = text_output_consumer(output);
		err = consumer->sample(consumer, &r);
	}
	fclose(out);
	is_str(err ? err->message : text, want, name);
	error_free(err);
	free(text);
}

static void test_lines(void)
{
	const uint64_t usual = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	const struct event *clock = add(PERF_TYPE_SOFTWARE, "cpu-clock", usual);
	const struct event *point = add(PERF_TYPE_TRACEPOINT, "sched:sched_switch",
					usual | PERF_SAMPLE_RAW);
	const struct event *breakpoint = add(PERF_TYPE_BREAKPOINT, "mem:0x10:w",
					     PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffff1, PERF_CONTEXT_USER, 0x2 };
	struct perf_event_header header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 };
	struct session_record r = {
		.record.header = &header,
		.comm = "a comm",
		.sample = { .pid = 12, .tid = 123456, .cpu = 3, .time = 1234567891011,
			    .ip = 0x401000, .period = 99 },
	};

	is_line(clock, &r, "", "          a comm 123456 [003]  1234.567891:         99 "
		"         cpu-clock:            401000 [unknown] ([unknown])\n",
		"a sample of a counter");
	is_line(point, &r, "", "          a comm 123456 [003]  1234.567891: sched:sched_switch: \n",
		"a tracepoint without format");
	is_line(breakpoint, &r, "", "          a comm 123456         99         mem:0x10:w: "
		"           401000 [unknown] ([unknown])\n", "what was not sampled has no column");
	is_line(clock, &r, "comm,pid,tid\0", "          a comm    12/123456 \n", "both ids");
	is_line(clock, &r, "pid,misc,event\0", "   12 U              cpu-clock: \n",
		"a process, the mode");
	is_line(clock, &r, "trace:time\0sw:event\0", "         cpu-clock: \n", "kinds apart");
	is_line(clock, &r, "-comm,-time\0-event\0", "123456 [003]         99            401000 "
		"[unknown] ([unknown])\n", "edits of edits");
	is_line(clock, &r, "sw:\0", "", "a kind without columns is not shown");
	is_line(breakpoint, &r, "time\0", "Samples for 'mem:0x10:w' event do not have TIME "
		"attribute set. Cannot print 'time' field",
		"a field that was not sampled");
	is_line(breakpoint, &r, "break:time,tid\0", "123456 \n",
		"asked of that kind alone, it is left out in silence");
	is_line(clock, &r, "raw:comm\0raw:\0", "The recording has no raw events", "no such events");
	r.sample.callchain = chain;
	r.sample.nr_callchain = 4;
	is_line(clock, &r, "comm,ip\0", "          a comm \n\t           ffff1\n\t               2\n\n",
		"a call chain, without its marks");
	r.sample.callchain = NULL;
	r.sample.time = 5;
	is_line(clock, &r, "sw:time\0", "    0.000000: \n", "a small time");
}

static void test_common(void)
{
	struct event *event = add(PERF_TYPE_TRACEPOINT, "a:b", PERF_SAMPLE_RAW);
	struct perf_event_header header = { PERF_RECORD_SAMPLE, 0, 8 };
	struct {
		uint64_t tgid;
		char comm[16];
		uint64_t context;
	} raw = { 77, "sixteen bytes ok", COMMON_CONTEXT_NMI | COMMON_CONTEXT_IRQS_OFF };
	struct session_record r = {
		.record.header = &header,
		.comm = "x",
		.sample = { .raw = &raw, .raw_size = sizeof(raw) },
	};

	error_free(common_layout_set(&event->common, 1 << COMMON_FIELD_TGID |
				     1 << COMMON_FIELD_COMM | 1 << COMMON_FIELD_CONTEXT));
	is_line(event, &r, "common\0", "tgid=77 comm=sixteen bytes ok context=0xc\n",
		"common fields");
	r.sample.raw_size = 20;
	is_line(event, &r, "common\0", "\n", "of a record too short for them");
}

static void test_records(void)
{
	struct {
		struct perf_event_header header;
		uint32_t words[12];
	} r = { { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 0 }, { 5, 6 } };
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

	memcpy(&r.words[2], "ls\0\0\0\0\0", 8);
	r.header.size = 24;
	record_text_add(&out, &r.header);
	r.header = (struct perf_event_header){ PERF_RECORD_LOST, 0, 24 };
	r.words[2] = 9;
	r.words[3] = 0;
	record_text_add(&out, &r.header);
	r.header.size = 16;
	record_text_add(&out, &r.header);
	r.header = (struct perf_event_header){ 4711, 0, 8 };
	record_text_add(&out, &r.header);
	is_str(strbuf_str(&out), "PERF_RECORD_COMM exec: ls:5/6\nPERF_RECORD_LOST lost 9\n"
	       "PERF_RECORD_LOST\nPERF_RECORD_UNKNOWN\n", "records that are no samples");
}

static void test_attr(void)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = 128, .config = 0x174, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW, .read_format = PERF_FORMAT_ID,
		.inherit = 1, .precise_ip = 2, .use_clockid = 1, .clockid = -3,
	};
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

	attr_text_add(&out, &attr, "<", "; ", "=");
	is_str(strbuf_str(&out), "<type=2; size=128; config=0x174; { sample_period, sample_freq }=1; "
	       "sample_type=IP|RAW; read_format=ID; inherit=1; precise_ip=2; use_clockid=1; "
	       "clockid=-3", "an attr");
}

/* They must print the same as printf(). */
static void test_numbers(void)
{
	static const uint64_t values[] = { 0, 9, 10, 99, 100, 12345, UINT32_MAX, INT64_MAX,
		1ULL << 63, UINT64_MAX, (uint64_t)-7 };
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	bool all = true;
	char want[64];

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		for (int width = 0; width < 25; width += 3) {
			unsigned long v = values[i];

#define SAME(add, ...) do {						\
	strbuf_reset(&out);						\
	add;								\
	snprintf(want, sizeof(want), __VA_ARGS__);			\
	all &= !strcmp(strbuf_str(&out), want);				\
} while (0)
			SAME(number_add_unsigned(&out, v, width, ' '), "%*lu", width, v);
			SAME(number_add_signed(&out, v, width, ' '), "%*ld", width, (long)v);
			SAME(number_add_signed(&out, v, width, '0'), "%0*ld", width, (long)v);
			SAME(number_add_hex(&out, v, width, '0'), "%0*lx", width, v);
			SAME(number_add_ms(&out, v, width), "%*.3f", width, v / 1e6);
#undef SAME
		}
	}
	/* Ties go where printf() rounds them. */
	for (uint64_t ns = 0; ns < 4000000; ns += 250) {
		strbuf_reset(&out);
		number_add_ms(&out, ns, 8);
		snprintf(want, sizeof(want), "%8.3f", ns / 1e6);
		all &= !strcmp(strbuf_str(&out), want);
	}
	ok(all, "numbers as printf() writes them");
}

int main(void)
{
	event_list_init(&events);
	log_quiet = true;
	test_lines();
	test_common();
	test_records();
	test_attr();
	test_numbers();
	event_list_deinit(&events);
	return tap_done();
}

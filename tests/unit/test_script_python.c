// SPDX-License-Identifier: GPL-2.0
/*
 * Values that no recording of this machine has: every width and sign, cut records, and the device's
 * fields and losses. The script writes down its values, and the lines are compared.
 */
#include <stdlib.h>
#include <unistd.h>

#include "lib/file.h"
#include "record/body.h"
#include "record/common_field.h"
#include "record/common_number.h"
#include "script/script.h"
#include "tap.h"

/* Python keeps memory until the process ends. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

#define EVENT_ID 900

static const char format_text[] =
	"name: values\n"
	"ID: 900\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:s8 a;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield:u8 b;\toffset:9;\tsize:1;\tsigned:0;\n"
	"\tfield:s16 c;\toffset:10;\tsize:2;\tsigned:1;\n"
	"\tfield:u16 d;\toffset:12;\tsize:2;\tsigned:0;\n"
	"\tfield:s32 e;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:u32 f;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:s64 g;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:u64 h;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:char text[8];\toffset:40;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned int numbers[2];\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] dyn;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc u16[] list;\toffset:60;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:64;\tsize:4;\tsigned:1;\n"
	"\tfield:u8 from;\toffset:9;\tsize:1;\tsigned:0;\n"
	"\n"
	"print fmt: \"%s %s\", __print_flags(REC->f, \"|\", { 1, \"one\" }, { 4, \"four\" }), "
	"__print_symbolic(REC->b, { 255, \"all\" }, { 0, \"none\" })\n";

struct raw {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	int8_t a;
	uint8_t b;
	int16_t c;
	uint16_t d, pad;
	int32_t e;
	uint32_t f;
	int64_t g;
	uint64_t h;
	char text[8];
	uint32_t numbers[2];
	uint32_t dyn, list, rel;
	char dyn_data[8];
	uint16_t list_data[2];
	char rel_data[8];
	uint32_t pad2;
	/* The trailer: tgid, comm, uid. */
	uint64_t tgid;
	char comm[16];
	uint64_t uid;
} __attribute__((packed));

#define LOC(member, len) ((len) << 16 | offsetof(struct raw, member))

static struct raw make_raw(bool extreme)
{
	struct raw raw = {
		.type = EVENT_ID, .flags = 0x19, .preempt_count = 3, .pid = 77,
		.dyn = LOC(dyn_data, 6), .list = LOC(list_data, 4),
		.rel = 8u << 16 | (offsetof(struct raw, rel_data) - offsetof(struct raw, dyn_data)),
		.dyn_data = "dyn\xff!", .list_data = { 1, 515 }, .rel_data = "related",
		.numbers = { 1, 0x04030201 },
		.tgid = 4711, .comm = "worker", .uid = 1000,
	};

	if (extreme) {
		raw.a = INT8_MIN;
		raw.b = UINT8_MAX;
		raw.c = INT16_MIN;
		raw.d = UINT16_MAX;
		raw.e = INT32_MIN;
		raw.f = UINT32_MAX;
		raw.g = INT64_MIN;
		raw.h = UINT64_MAX;
		memcpy(raw.text, "unended!", 8);	/* no NUL */
	} else {
		raw.a = raw.c = raw.e = raw.g = -1;
		raw.b = raw.d = raw.f = raw.h = 5;
	}
	return raw;
}

static const char script_text[] =
	"import os, sys\n"
	"sys.path.append(os.environ['PERF_EXEC_PATH'] +\n"
	"                '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')\n"
	"from perf_trace_context import *\n"
	"from Core import *\n"
	"out = open(sys.argv[1], 'a', errors='surrogateescape')\n"
	"def say(*values): print(*map(repr, values), file=out, flush=True)\n"
	"def test__values(event_name, context, cpu, secs, nsecs, pid, comm, callchain,\n"
	"                 a, b, c, d, e, f, g, h, text, numbers, dyn, list, rel, from_, sample):\n"
	"    say(cpu, secs, nsecs, pid, comm, callchain)\n"
	"    say(a, b, c, d, e, f, g, h)\n"
	"    say(text, numbers, dyn, list, rel, from_)\n"
	"    say(common_pc(context), common_flags(context), flag_str(event_name, 'f', f),\n"
	"        symbol_str(event_name, 'b', b))\n"
	"    say(sample.get('common'), common_field(context, 'comm'), common_field(context, 'uid'),\n"
	"        common_field(context, 'ppid', 'no'), len(sample['raw_buf']))\n"
	"    global test__values\n"
	"    def test__values(common_tgid, common_comm, rel, common_flags, a=9, b=8, *,\n"
	"                     missing=7, from_=6):\n"
	"        say(common_tgid, common_comm, rel, common_flags, a, b, missing, from_)\n"
	"def trace_lost(loss): say(loss)\n"
	"def throttle(*args): say(args)\n";

static struct session_consumer *consumer;
static char *out_path;

static void expect(const char *want, const char *name)
{
	_cleanup_free_ char *got = NULL;
	size_t len;

	about("%s", name);
	no_error(file_read(out_path, &got, &len), "the script's output can be read");
	is_str(got, want, "the script's output");
	about_nothing();
	if (truncate(out_path, 0))
		ok(false, "the file can be emptied");
}

static void give_sample(const char *what, const struct event *event,
			const struct event_format *format, const void *raw, uint32_t size)
{
	const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, 0xffffffff81000000, PERF_CONTEXT_USER, 0x42,
	};
	/* An allocation of exactly this size, so that the sanitizer sees a read beyond it. */
	_cleanup_free_ void *copy = malloc(size);
	struct perf_event_header header = { PERF_RECORD_SAMPLE, 0, sizeof(header) };
	struct session_record r = {
		.record = { .header = &header, .event = event, .time = 12000000345 },
		.sample = {
			.time = 12000000345, .pid = 70, .tid = 77, .cpu = 3, .raw = copy,
			.raw_size = size, .callchain = chain, .nr_callchain = 4,
		},
		.event = event, .format = format, .pid = 70, .tid = 77, .comm = "caf\xc3\xa9 \xe9",
	};

	memcpy(copy, raw, size);
	about("%s", what);
	no_error(consumer->sample(consumer, &r), "the handler runs");
	about_nothing();
}

static void check_samples(struct event *event, const struct event_format *format)
{
	struct raw raw = make_raw(true);

	error_free(common_layout_set(&event->common, 1 << COMMON_FIELD_TGID |
				     1 << COMMON_FIELD_COMM | 1 << COMMON_FIELD_UID));
	give_sample("all kinds of fields", event, format, &raw, sizeof(raw));
	expect("3 12 345 77 'caf\xc3\xa9 \\udce9' [{'ip': 18446744071578845184}, {'ip': 66}]\n"
	       "-128 255 -32768 65535 -2147483648 4294967295 -9223372036854775808 "
	       "18446744073709551615\n"
	       "'unended!' bytearray(b'\\x01\\x00\\x00\\x00\\x01\\x02\\x03\\x04') 'dyn\\udcff!' "
	       "bytearray(b'\\x01\\x00\\x03\\x02') 'related' 255\n"
	       "3 25 'one | four' 'all'\n"
	       "{'tgid': 4711, 'comm': 'worker', 'uid': 1000} 'worker' 1000 'no' 124\n",
	       "the least and the greatest values, texts, arrays and common fields");

	raw = make_raw(false);
	give_sample("a replaced handler", event, format, &raw, sizeof(raw));
	expect("4711 'caf\xc3\xa9 \\udce9' 'related' 25 -1 5 7 5\n",
	       "the replaced handler gets values by name, stored ones too");

	give_sample("a cut record", event, format, &raw, offsetof(struct raw, b));
	expect("None 'caf\xc3\xa9 \\udce9' '' 25 -1 0 7 0\n",
	       "what a cut record does not hold is 0, '' or None");
}

static void check_lost(const struct event *event)
{
	struct {
		struct perf_event_header header;
		struct body_device_lost body;
	} lost = {
		.header = { PERF_RECORD_LOST, 0, sizeof(lost) },
		.body = { .lost = 12, .reason = 1, .first = 100, .last = 200 },
	};
	struct session_record r = {
		.record = { .header = &lost.header, .event = event },
		.sample = { .time = 300, .pid = 1, .tid = 2, .cpu = 1 },
		.event = event, .comm = "x",
	};

	no_error(consumer->other(consumer, &r), "a loss is reported");
	expect("{'time': 300, 'cpu': 1, 'event': 'test:values', 'lost': 12, "
	       "'reason': 'contexts nested too deep', 'first': 100, 'last': 200}\n",
	       "of the device, with reason and times");
	lost.header.size = 24;
	no_error(consumer->other(consumer, &r), "a loss before the first sample is reported");
	expect("{'time': 300, 'cpu': 1, 'event': 'test:values', 'lost': 12, "
	       "'reason': None, 'first': None, 'last': None}\n", "of perf, without");
	lost.header.size = 16;
	no_error(consumer->other(consumer, &r), "a cut record of a loss is taken");
	expect("", "a cut record of a loss calls nothing");
	lost.header.type = PERF_RECORD_THROTTLE;
	no_error(consumer->other(consumer, &r), "another cut record is taken");
	expect("", "another cut record calls nothing");
	lost.header.size = 32;
	lost.body.id = 5;
	no_error(consumer->other(consumer, &r), "a throttle record");
	expect("(5, 12, 1, 1, 1, 2)\n", "gives its members");
}

int main(void)
{
	char folder[] = "/tmp/ktrace-script-XXXXXX";
	_cleanup_free_ char *path = NULL;
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = EVENT_ID };
	const struct event_format *format;
	struct formats *formats = NULL;
	struct event_list events;
	struct script *script = NULL;
	struct event *event;
	char *argv[3];
	int status = -1;
	FILE *file;

	if (!mkdtemp(folder) || asprintf(&path, "%s/script.py", folder) < 0 ||
	    asprintf(&out_path, "%s/out", folder) < 0)
		return 1;
	file = fopen(path, "w");
	if (!file)
		return 1;
	fputs(script_text, file);
	fclose(file);

	event_list_init(&events);
	no_error(event_list_add(&events, &attr, "test:values", &event), "an event");
	no_error(formats_create(&formats), "formats");
	no_error(formats_add(formats, "test", format_text, strlen(format_text)), "the format");
	format = formats_find(formats, EVENT_ID);
	if (!ok(format, "is found"))
		return tap_done();

	argv[0] = path;
	argv[1] = out_path;
	argv[2] = NULL;
	if (!no_error(script_open(path, 2, argv, &script), "the script is opened"))
		return tap_done();
	no_error(script_begin(script), "trace_begin() is optional");
	consumer = script_consumer(script);
	check_samples(event, format);
	check_lost(event);
	no_error(script_close(script, NULL, &status), "the script is closed");
	is_u64(status, 0, "with status 0");

	formats_destroy(formats);
	event_list_deinit(&events);
	unlink(path);
	unlink(out_path);
	rmdir(folder);
	free(out_path);
	return tap_done();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * all_formats [-d] OUTPUT COUNT [SEED [SYSTEM-GLOB [NAME-GLOB]]]: a recording with
 * COUNT samples of every tracepoint of this machine, their fields filled with made-up values:
 * zeros, then ones, then long texts, then anything (made_up.h).
 * With it, the output of perf and ktrace can be compared for every print fmt there is, also of
 * events that never fire here.
 *
 * -d: as the ktrace device writes them: common fields behind RAW, LOST records
 * with a reason and times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/event_format.h"
#include "format/tracefs.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/log.h"
#include "perfdata/write/writer.h"
#include "record/body.h"
#include "record/common_field.h"
#include "record/common_number.h"
#include "record/event.h"
#include "record/record.h"

#include "made_up.h"

#define RAW_MAX		(MADE_UP_MAX + 256)
#define SAMPLE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

static bool like_device;
static struct common_layout trailer;	/* of the device's records */

static struct made_up made_up;

static struct {
	uint64_t *items;
	size_t nr;
} functions;

/* Where the kernel's code begins and ends. */
static uint64_t text_start, text_end;

static void read_functions(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512];
	size_t alloc = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (functions.nr == alloc) {
			alloc = alloc ? 2 * alloc : 4096;
			functions.items = reallocarray(functions.items, alloc, 8);
			if (!functions.items)
				abort();
		}
		functions.items[functions.nr++] = strtoull(line, NULL, 16);
		if (strstr(line, " _text\n"))
			text_start = functions.items[functions.nr - 1];
		if (strstr(line, " _etext\n"))
			text_end = functions.items[functions.nr - 1];
	}
	if (file)
		fclose(file);
}

/* The trailer of all common fields at @to. */
static void make_trailer(char *to)
{
	static uint64_t sequence;

	for (size_t i = 0; i < trailer.nr; i++) {
		const struct common_slot *slot = &trailer.items[i];
		uint64_t value = slot->number == COMMON_FIELD_SEQ ? sequence++ :
								    1000 + slot->number;

		if (slot->type == COMMON_TEXT)
			strcpy(to + slot->offset, "trailing comm");
		else
			memcpy(to + slot->offset, &value, sizeof(value));
	}
}

/* A whole RAW payload; its size. */
static uint32_t make_raw(enum made_up_kind kind, const struct event_format *format, char *raw)
{
	uint32_t used = made_up_record(&made_up, kind, format, raw);

	if (!like_device)
		return used;
	make_trailer(raw + used);
	return used + trailer.size;
}

static struct error *put_sample(struct record_sink *sink, const struct event *event,
				enum made_up_kind kind, uint64_t time)
{
	static uint64_t words[RAW_MAX / 8 + 16];
	char *p = (char *)words;
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_KERNEL,
	};
	const struct {
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, zero;
		uint64_t period;
	} body = { event->ids[0], functions.nr ? functions.items[0] : 0, 1, 1, time, 0, 0, 1 };
	uint32_t raw_size;

	memcpy(p + sizeof(header), &body, sizeof(body));
	raw_size = make_raw(kind, event->format, p + sizeof(header) + sizeof(body) + 4);
	memcpy(p + sizeof(header) + sizeof(body), &raw_size, 4);
	header.size = sizeof(header) + sizeof(body) + 4 + raw_size;
	memcpy(p, &header, sizeof(header));
	return record_sink_write(sink, &(struct record_span){ p, header.size, 0 });
}

/* Of the device: perf knows id and lost, and finds the sample_id at the end. */
static struct error *put_lost(struct record_sink *sink, const struct event *event, uint64_t time)
{
	const struct {
		struct perf_event_header header;
		struct body_device_lost body;
		struct {
			int32_t pid, tid;
			uint64_t time;
			uint32_t cpu, reserved;
			uint64_t id;
		} sample_id;
	} record = {
		.header = { PERF_RECORD_LOST, 0, sizeof(record) },
		.body = { event->ids[0], 17, 1, time - 2, time - 1 },
		.sample_id = { 4, 5, time, 3, 0, event->ids[0] },
	};

	return record_sink_write(sink, &(struct record_span){ &record, sizeof(record), 0 });
}

/* The address range of the kernel: without it perf names no function. */
static struct error *put_kernel(struct record_sink *sink)
{
	const struct body_mmap body = { -1, 0, text_start, text_end - text_start, text_start };
	struct {
		struct perf_event_header header;
		char body[sizeof(body)];
		char name[24];
		uint64_t sample_id[5];
	} record = {
		.header = {
			.type = PERF_RECORD_MMAP,
			.misc = PERF_RECORD_MISC_KERNEL,
			.size = sizeof(record),
		},
		.name = "[kernel.kallsyms]_text",
	};

	memcpy(record.body, &body, sizeof(body));
	return record_sink_write(sink, &(struct record_span){ &record, sizeof(record), 0 });
}

static struct error *add_formats(struct formats *formats, struct event_list *events,
				 const char *system, const char *name_glob)
{
	_cleanup_(tracepoint_names) struct tracepoint_names names = { 0 };
	struct error *err;
	uint64_t next_id = 1;

	err = tracefs_find(system, name_glob, &names);
	for (size_t i = 0; i < names.nr && !err; i++) {
		const struct tracepoint_name *n = &names.items[i];
		struct perf_event_attr attr = {
			.type = PERF_TYPE_TRACEPOINT,
			.size = sizeof(attr),
			.sample_period = 1,
			.sample_type = SAMPLE_TYPE,
			.read_format = PERF_FORMAT_ID,
			.sample_id_all = 1,
		};
		const struct event_format *format;
		_cleanup_free_ char *text = NULL;
		_cleanup_free_ char *name = NULL;
		struct event *event;
		size_t len;

		if (tracefs_event_format(n->system, n->name, &text, &len) ||
		    formats_add(formats, n->system, text, len))
			continue;
		format = formats_find_name(formats, n->system, n->name);
		if (!format || !made_up_is_usable(format) ||
		    asprintf(&name, "%s:%s", n->system, n->name) < 0)
			continue;
		attr.config = format->id;
		err = event_list_add(events, &attr, name, &event);
		if (err)
			return err;
		event->format = format;
		if (like_device) {
			event->source = 1;
			event->in_order = true;
			err = common_layout_set(&event->common, common_field_mask());
			if (err)
				return err;
		}
		err = event_add_id(event, (like_device ? 1ULL << 62 : 0) + next_id++);
	}
	return err ? err : event_list_index(events);
}

static struct error *run(const char *path, unsigned long count, char **argv,
			 const char *system, const char *name)
{
	const struct writer_info info = {
		.version = "all_formats", .argc = 1, .argv = argv, .clockid = -1,
	};
	_cleanup_(formats) struct formats *formats = NULL;
	struct event_list events;
	struct writer *writer = NULL;
	uint64_t time = 1000000;
	struct error *err;

	event_list_init(&events);
	err = formats_create(&formats);
	if (!err)
		err = add_formats(formats, &events, system, name);
	if (!err)
		err = writer_create(path, &events, &info, &writer);
	if (!err && text_start)
		err = put_kernel(writer_sink(writer));
	for (unsigned long n = 0; n < count && !err; n++)
		for (size_t i = 0; i < events.nr && !err; i++) {
			time += 1000;
			if (like_device && i % 100 == 7)
				err = put_lost(writer_sink(writer), events.items[i], time);
			if (!err)
				err = put_sample(writer_sink(writer), events.items[i],
						 n < MADE_UP_RANDOM ? n : MADE_UP_RANDOM, time);
		}
	if (!err)
		err = writer_finish(writer, NULL);
	event_list_deinit(&events);
	return err;
}

int main(int argc, char **argv)
{
	struct error *err;

	if (argc > 1 && !strcmp(argv[1], "-d")) {
		like_device = true;
		err = common_layout_set(&trailer, common_field_mask());
		if (err) {
			error_report(err);
			return 1;
		}
		argc--;
		argv++;
	}
	if (argc < 3) {
		fprintf(stderr, "all_formats [-d] OUTPUT COUNT [SEED [SYSTEM-GLOB [NAME-GLOB]]]\n");
		return 2;
	}
	made_up_seed(&made_up, argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	read_functions();
	made_up.functions = functions.items;
	made_up.nr_functions = functions.nr;
	err = run(argv[1], strtoul(argv[2], NULL, 0), argv, argc > 4 ? argv[4] : "*",
		  argc > 5 ? argv[5] : "*");
	free(functions.items);
	common_layout_deinit(&trailer);
	if (!err)
		return 0;
	error_report(err);
	return 1;
}

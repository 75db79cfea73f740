// SPDX-License-Identifier: GPL-2.0
/* Written files are read back; damage is reported by a sentence. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/file.h"
#include "lib/log.h"
#include "perfdata/layout.h"
#include "perfdata/reader.h"
#include "perfdata/reader_state.h"
#include "perfdata/write/writer.h"
#include "record/common_number.h"
#include "record/record.h"
#include "tap.h"

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

struct sample_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, zero;
};

static char folder[] = "/tmp/test_perfdata.XXXXXX";
static int refused;		/* damaged files that reader_open() refused */
static int compression;		/* of the files of write_recording() */
static uint32_t claimed_trailer;	/* of common fields, in the next file; 0: the true size */
static uint64_t counted;	/* samples, by the last writer */
static char *const words[] = { "record", "-e", "cpu-clock", "it's" };

static const char *path(const char *name)
{
	static char text[4][256];
	static int turn;
	char *at = text[turn++ % 4];

	snprintf(at, sizeof(text[0]), "%s/%s", folder, name);
	return at;
}

static struct error *add_slot(struct common_layout *layout, uint32_t number, uint32_t size,
			      enum common_type type, const char *name)
{
	struct common_slot slot = {
		.number = number, .offset = layout->size, .size = size, .type = type,
	};

	strcpy(slot.name, name);
	return common_layout_add(layout, &slot);
}

static void fill_events(struct event_list *events)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000,
		.sample_type = SAMPLE_TYPE,
		.sample_id_all = 1,
	};
	struct event *e;

	event_list_init(events);
	if (event_list_add(events, &attr, "cpu-clock:u", &e) || event_add_id(e, 10) ||
	    event_add_id(e, 11))
		abort();
	e->group = 1;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	if (event_list_add(events, &attr, "faults", &e) || event_add_id(e, 1ULL << 62))
		abort();
	e->group = 1;
	e->source = 1;
	e->in_order = true;
	/* With a field that only a newer ktrace would know, before the sequence number. */
	if (common_layout_set(&e->common, 0x03) || add_slot(&e->common, 8, 8, COMMON_SIGNED, "nice") ||
	    add_slot(&e->common, COMMON_FIELD_SEQ, 8, COMMON_NUMBER, "seq"))
		abort();
	if (claimed_trailer)
		e->common.size = claimed_trailer;
	e->filter = strdup("pid > 5");
	e->cgroup = strdup("a/b");
	if (event_list_index(events))
		abort();
}

static struct sample_record make_sample(uint64_t id, uint64_t time)
{
	return (struct sample_record){
		{ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(struct sample_record) },
		id, 7, 8, time, 1, 0,
	};
}

static void fill_ledger(struct ledger *ledger, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		struct ledger_row row = {
			.event = i % 2, .cpu = i, .proof = LEDGER_BOUNDED, .recorded = 100 + i,
			.filtered = LEDGER_NOT_KNOWN, .out_of_scope = 3, .lost = { 1, 2, 0, i },
		};

		error_free(ledger_add(ledger, &row));
	}
}

/* A small recording; samples of both events, two rounds. */
static struct error *write_recording(const char *name, size_t ledger_rows)
{
	const struct writer_info info = {
		.version = "1.2", .argc = 4, .argv = words, .clockid = -1,
		.compression = compression,
	};
	const struct clock_pair clocks[] = { { 1, 2, 3, 4, 5 }, { 6, 7, 8, 9, 10 } };
	struct sample_record samples[] = {
		make_sample(10, 100), make_sample(1ULL << 62, 200), make_sample(11, 150),
	};
	struct ledger ledger = { 0 };
	struct event_list events;
	struct writer *writer;
	struct error *err;

	fill_events(&events);
	fill_ledger(&ledger, ledger_rows);
	err = writer_create(name, &events, &info, &writer);
	if (!err) {
		struct record_sink *sink = writer_sink(writer);

		error_free(record_sink_write(sink, &(struct record_span){
				samples, 2 * sizeof(samples[0]), 0 }));
		error_free(record_sink_round(sink, 0));
		error_free(record_sink_write(sink, &(struct record_span){
				&samples[2], sizeof(samples[0]), 1 }));
		error_free(record_sink_round(sink, 777));
		error_free(writer_add_clock(writer, &clocks[0]));
		error_free(writer_add_clock(writer, &clocks[1]));
		counted = writer_samples(writer);
		err = writer_finish(writer, &ledger);
	}
	ledger_deinit(&ledger);
	event_list_deinit(&events);
	return err;
}

/*
 * Records in random runs: samples of both events and of several sizes, and LOST records. Only the
 * samples of the device are in the order of their times.
 */
static void add_run(struct strbuf *span, uint64_t *time)
{
	const uint64_t ids[] = { 10, 11, 1ULL << 62, 1ULL << 62 };
	uint64_t id = ids[rand() % 4];
	size_t extra = rand() % 4 ? 0 : 8 * (rand() % 3), nr = 1 + rand() % 40;
	struct {
		struct perf_event_header header;
		uint64_t lost_id, lost;
		struct sample_record id;
	} lost = { { PERF_RECORD_LOST, 0, 56 }, 10, 1, make_sample(10, *time) };
	const char zeros[24] = { 0 };

	while (nr--) {
		uint64_t at = id == 1ULL << 62 ? *time += 1 + rand() % 9 : 1 + *time - rand() % 900;
		struct sample_record sample = make_sample(id, at);

		sample.header.misc = rand() % 20 ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
		sample.header.size += extra;
		strbuf_add(span, &sample, sizeof(sample));
		strbuf_add(span, zeros, extra);
	}
	if (rand() % 3)
		return;
	/* A sample_id: tid, time, cpu, id. */
	memmove(&lost.id, &lost.id.pid, 24);
	memcpy((char *)&lost.id + 24, &id, sizeof(id));
	strbuf_add(span, &lost, lost.header.size);
}

/* Whether an entry describes the samples in @bytes. */
static bool entry_is_right(const struct perfdata_index_entry *entry, const char *bytes)
{
	uint64_t samples = 0, first = UINT64_MAX, last = 0, events = 0, at = 0;

	while (at < entry->size) {
		const struct sample_record *sample = (const void *)(bytes + entry->offset + at);

		at += sample->header.size;
		if (sample->header.type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		first = sample->time < first ? sample->time : first;
		last = sample->time > last ? sample->time : last;
		events |= 1ULL << (sample->id > 11);
	}
	return at == entry->size && samples == entry->samples && first == entry->first_time &&
	       last == entry->last_time && events == entry->events && entry->cpus == 1ULL << 5;
}

static void test_index(void)
{
	const struct writer_info info = { .version = "1", .clockid = -1 };
	_cleanup_(reader) struct reader *reader = NULL;
	_cleanup_(index) struct index index = { 0 };
	_cleanup_free_ char *bytes = NULL, *stored = NULL;
	const struct perfdata_section *section;
	struct event_list events;
	struct writer *writer;
	uint64_t time = 1000, samples = 0, data, wrong = 0;
	size_t size;

	fill_events(&events);
	no_error(writer_create(path("indexed"), &events, &info, &writer), "many records");
	for (int i = 0; i < 100; i++) {
		_cleanup_(strbuf) struct strbuf span = STRBUF_INIT;

		for (int runs = rand() % 200; runs; runs--)
			add_run(&span, &time);
		error_free(record_sink_write(writer_sink(writer), &(struct record_span){
				strbuf_str(&span), span.len, 5 }));
		error_free(record_sink_round(writer_sink(writer), 0));
	}
	counted = writer_samples(writer);
	no_error(writer_finish(writer, NULL), "are written");
	event_list_deinit(&events);
	no_error(reader_open(path("indexed"), &reader), "an indexed file is opened");
	error_free(file_read(path("indexed"), &bytes, &size));
	section = &reader->sections[FEATURE_KTRACE_INDEX];
	data = reader->header.data_offset;
	stored = malloc(section->size);
	memcpy(stored, bytes + section->offset, section->size);
	if (!ok(index_parse(&index, &stored, 0, section->size, data,
			    data + reader->header.data_size), "with their index"))
		return;
	for (size_t i = 0; i < index.entries.nr; i++) {
		wrong += !entry_is_right(&index.entries.items[i], bytes);
		samples += index.entries.items[i].samples;
	}
	ok(index.entries.nr > 100, "an index has many entries");
	is_u64(wrong, 0, "each has its samples: number, times, events");
	is_u64(samples, counted, "all are in it");
}

/* "9:100 9:200 ...", and at its end the error, if there is one. */
static void read_all(struct reader *reader, char *out, size_t size)
{
	struct record record;
	struct error *err = NULL;
	size_t len = 0;

	*out = '\0';
	while (record_source_next(reader_source(reader), &record, &err) == RECORD_OK)
		if (len + 64 < size)
			len += snprintf(out + len, size - len, "%u:%llu%s ", record.header->type,
					(unsigned long long)record.time,
					record.event ? record.event->index ? "b" : "a" : "");
	if (err)
		snprintf(out + len, size - len, "%s", err->message);
	error_free(err);
}

static void check_layout(const struct common_layout *common)
{
	const struct common_slot *nice = common_layout_find(common, "nice");
	const struct common_slot *seq = common_layout_find(common, "seq");

	is_u64(common_layout_mask(common), 0x183, "the common fields of an event");
	is_u64(common->size, 40, "the size of its trailer");
	ok(nice && nice->number == 8 && nice->offset == 24 && nice->type == COMMON_SIGNED,
	   "the place and the type of a field that is not known here");
	ok(seq && seq->offset == 32, "a known field behind it is where the recording says");
}

static void check_recording(struct reader *reader, bool is_pipe, size_t ledger_rows)
{
	const struct ledger *ledger;
	struct event_list *events = reader_events(reader);
	const struct header *header = reader_header(reader);
	char text[256];

	read_all(reader, text, sizeof(text));
	is_str(text, "9:100a 9:200b 68:0 9:150a 68:0 ", "its records, with times and events");
	if (!ok(events->nr == 2, "both events"))
		return;
	is_str(events->items[0]->name, "cpu-clock:u", "the name of an event");
	ok(events->items[0]->nr_ids == 2 && events->items[0]->ids[1] == 11 &&
	   events->items[1]->ids[0] == 1ULL << 62, "their ids");
	ok(events->items[1]->attr.config == PERF_COUNT_SW_PAGE_FAULTS, "their attrs");
	ok(events->items[1]->source == 1, "who captured an event");
	check_layout(&events->items[1]->common);
	is_str(events->items[1]->filter, "pid > 5", "the filter");
	is_str(events->items[1]->cgroup, "a/b", "the cgroup");
	ok(header->is_pipe == is_pipe && header->nr_cpus_online && header->hostname &&
	   header->total_memory_kb, "the machine");
	is_str(header->version, "ktrace 1.2", "the tool");
	ok(header->cmdline && !strcmp(header->cmdline[0], "ktrace") &&
	   !strcmp(header->cmdline[4], "it's") && !header->cmdline[5], "the command line");
	if (!is_pipe) {
		ok(header->first_sample_time == 100 && header->last_sample_time == 200,
		   "the times of samples");
		ok(events->items[0]->group && events->items[0]->group == events->items[1]->group,
		   "the group");
	}
	ledger = reader_ledger(reader);
	is_u64(ledger ? ledger->nr : 0, ledger_rows, "the ledger");
	if (ledger && ledger->nr) {
		const struct ledger_row *row = &ledger->items[ledger->nr - 1];

		ok(row->recorded == 99 + ledger_rows && row->filtered == LEDGER_NOT_KNOWN &&
		   row->proof == LEDGER_BOUNDED && row->lost[LEDGER_LOST_OTHER] == ledger_rows - 1,
		   "its last row");
	}
}

static void test_file(void)
{
	_cleanup_(reader) struct reader *reader = NULL;

	no_error(write_recording(path("file"), 5), "a file is written");
	is_u64(counted, 3, "the writer counts samples");
	ok(access(path("file.old"), F_OK), "there was none before");
	no_error(reader_open(path("file"), &reader), "the file is opened");
	about("file");
	check_recording(reader, false, 5);
	about_nothing();
	no_error(write_recording(path("file"), 0), "another one");
	ok(!access(path("file.old"), F_OK), "the older is kept");
}

static void test_pipe(void)
{
	_cleanup_(reader) struct reader *reader = NULL;
	int saved = dup(STDOUT_FILENO), fd;
	struct error *err;

	/* More rows than one record can hold. */
	fflush(stdout);
	fd = open(path("pipe"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	err = write_recording("-", 1500);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	no_error(err, "a pipe is written");
	no_error(reader_open(path("pipe"), &reader), "it is opened");
	about("pipe");
	check_recording(reader, true, 1500);
	about_nothing();
}

static void test_packed(void)
{
	_cleanup_(reader) struct reader *reader = NULL;

	compression = 3;
	no_error(write_recording(path("packed"), 2), "a compressed file is written");
	compression = 0;
	no_error(reader_open(path("packed"), &reader), "the compressed file is opened");
	ok(header_has(reader_header(reader), FEATURE_COMPRESSED), "it says that it is");
	about("compressed");
	check_recording(reader, false, 2);
	about_nothing();
}

static void is_refused(const char *name, const char *message)
{
	struct reader *reader = NULL;

	is_error(reader_open(path(name), &reader), message, message);
	reader_close(reader);
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
	int fd = open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || fd_write_all(fd, bytes, size))
		abort();
	close(fd);
}

static void test_refusals(void)
{
	static const uint64_t swapped[13] = { PERFDATA_MAGIC_SWAPPED };
	static const uint64_t old[13] = { PERFDATA_MAGIC_OLD };
	char message[512];

#define IS_REFUSED(name, text) do {						\
	snprintf(message, sizeof(message), text, path(name));			\
	is_refused(name, message);						\
} while (0)
	write_bytes("empty", "", 0);
	IS_REFUSED("empty", "%s is empty");
	write_bytes("text", "#!/bin/sh\necho this is no recording\n", 36);
	IS_REFUSED("text", "%s is not a perf.data file");
	write_bytes("short", "PERFILE2", 8);
	IS_REFUSED("short", "%s is not a perf.data file");
	write_bytes("swapped", swapped, sizeof(swapped));
	IS_REFUSED("swapped", "%s is damaged: its header has an unknown size");
	write_bytes("old", old, sizeof(old));
	IS_REFUSED("old", "%s is damaged: its header has an unknown size");
	IS_REFUSED("none", "Cannot open %s: No such file or directory");
	mkdir(path("directory"), 0700);
	IS_REFUSED("directory", "%1$s is a folder, and %1$s/data cannot be read: No such file or directory");
#undef IS_REFUSED
	claimed_trailer = 39;
	no_error(write_recording(path("trailer"), 2), "a file with a wrong layout is written");
	claimed_trailer = 0;
	snprintf(message, sizeof(message), "%s: The recording's description of its common fields is "
		 "damaged: a trailer of 39 bytes", path("trailer"));
	is_refused("trailer", message);
}

/* Read a damaged file to its end: an error, a warning or records; ASan sees the rest. */
static void survive(const char *bytes, size_t size)
{
	struct reader *reader;
	struct error *err;
	char text[4096];

	write_bytes("damaged", bytes, size);
	err = reader_open(path("damaged"), &reader);
	if (!err) {
		read_all(reader, text, sizeof(text));
		reader_close(reader);
	}
	refused += !!err;
	error_free(err);
}

static void test_damage(const char *name, int flips)
{
	_cleanup_free_ char *bytes = NULL;
	size_t size;

	log_quiet = true;
	error_free(file_read(path(name), &bytes, &size));
	refused = 0;
	for (size_t cut = 0; cut < size; cut += 1 + cut / 512)
		survive(bytes, cut);
	ok(refused, "%s: cut anywhere; %d times it could not even be opened", name, refused);
	srandom(7);
	for (int i = 0; i < flips; i++) {
		/* Mostly in the headers, where it hurts. */
		size_t at = random() % (i & 1 ? size : size < 1024 ? size : 1024);
		unsigned char was = bytes[at];

		bytes[at] = i & 2 ? random() : was ^ 1 << random() % 8;
		survive(bytes, size);
		bytes[at] = was;
	}
	ok(true, "%s: bits flipped", name);
	for (size_t at = 0; at + 8 <= size; at += 8) {
		uint64_t was;
		static const uint64_t nasty[] = { 0, UINT64_MAX, 1ULL << 63, 0x7fffffff };

		memcpy(&was, bytes + at, 8);
		for (size_t n = 0; n < 4; n++) {
			memcpy(bytes + at, &nasty[n], 8);
			survive(bytes, size);
		}
		memcpy(bytes + at, &was, 8);
		if (at > 1024)
			at += size / 64 & ~(size_t)7;
	}
	ok(true, "%s: numbers 0, -1, 1 << 63 and 0x7fffffff", name);
	log_quiet = false;
}

/* A recorder that was killed: no size of the data, no features. */
static void test_incomplete(void)
{
	_cleanup_(reader) struct reader *reader = NULL;
	_cleanup_free_ char *bytes = NULL;
	struct perfdata_header *header;
	char text[256];
	size_t size;

	error_free(file_read(path("file"), &bytes, &size));
	header = (void *)bytes;
	size = header->data.offset + header->data.size;
	header->data.size = 0;
	memset(header->features, 0, sizeof(header->features));
	write_bytes("killed", bytes, size - 8);
	log_quiet = true;
	no_error(reader_open(path("killed"), &reader), "a file whose recorder was killed");
	read_all(reader, text, sizeof(text));
	log_quiet = false;
	is_str(text, "9:100a 9:200b 68:0 9:150a ", "is read up to where it was cut");
	ok(reader_header(reader)->is_truncated, "a file whose recorder was killed is marked as cut");
	is_str(reader_events(reader)->items[1]->name, "page-faults:HG",
	       "its events have the names perf derives");
}

/* Attrs of older and newer kernels than ours, behind the rest of the file. */
static void test_attr_sizes(void)
{
	static const uint32_t sizes[] = { PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER3,
		sizeof(struct perf_event_attr), sizeof(struct perf_event_attr) + 8, 512 };
	_cleanup_free_ char *bytes = NULL;
	size_t size;

	error_free(file_read(path("file"), &bytes, &size));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		_cleanup_(strbuf) struct strbuf file = STRBUF_INIT;
		_cleanup_(reader) struct reader *reader = NULL;
		struct perfdata_header header;
		char text[256];
		size_t entry;

		memcpy(&header, bytes, sizeof(header));
		/* The struct is larger where the tests are built with newer headers. */
		entry = header.attr_size - sizeof(struct perfdata_section);
		strbuf_add(&file, bytes, size);
		for (int e = 0; e < 2; e++) {
			const char *from = bytes + header.attrs.offset + e * header.attr_size;
			char attr[512] = "";

			memcpy(attr, from, sizes[i] < entry ? sizes[i] : entry);
			memcpy(attr + offsetof(struct perf_event_attr, size), &sizes[i], 4);
			strbuf_add(&file, attr, sizes[i]);
			strbuf_add(&file, from + entry, sizeof(struct perfdata_section));
		}
		header.attr_size = sizes[i] + sizeof(struct perfdata_section);
		header.attrs = (struct perfdata_section){ size, 2 * header.attr_size };
		memcpy(file.data, &header, sizeof(header));
		write_bytes("sizes", file.data, file.len);
		about("attrs of %u bytes", sizes[i]);
		if (!no_error(reader_open(path("sizes"), &reader), "the file is opened"))
			continue;
		read_all(reader, text, sizeof(text));
		ok(!strcmp(text, "9:100a 9:200b 68:0 9:150a 68:0 ") &&
		   reader_events(reader)->items[1]->attr.size == sizes[i],
		   "the records are read");
	}
	about_nothing();
}

/* Records in a zstd stream, cut where no record ends. */
static void test_compressed(void)
{
	_cleanup_(reader) struct reader *reader = NULL;
	_cleanup_(strbuf) struct strbuf plain = STRBUF_INIT, file = STRBUF_INIT;
	_cleanup_free_ char *bytes = NULL;
	struct perfdata_header *header;
	size_t size, packed_size;
	char packed[65536];
	struct record record;
	struct error *err = NULL;
	uint64_t last = 0, nr = 0;

	for (int i = 0; i < 3000; i++) {
		struct sample_record sample = make_sample(10, 1000 + i);

		strbuf_add(&plain, &sample, sizeof(sample));
	}
	packed_size = ZSTD_compress(packed, sizeof(packed), plain.data, plain.len, 1);
	error_free(file_read(path("file"), &bytes, &size));
	header = (void *)bytes;
	strbuf_add(&file, bytes, header->data.offset);
	for (size_t at = 0; at < packed_size; at += 1000) {
		size_t part = packed_size - at < 1000 ? packed_size - at : 1000;
		struct perf_event_header piece = { RECORD_COMPRESSED, 0, sizeof(piece) + part };

		strbuf_add(&file, &piece, sizeof(piece));
		strbuf_add(&file, packed + at, part);
	}
	header = (void *)file.data;
	header->data.size = file.len - header->data.offset;
	memset(header->features, 0, sizeof(header->features));
	write_bytes("compressed", file.data, file.len);
	no_error(reader_open(path("compressed"), &reader), "a compressed file");
	while (record_source_next(reader_source(reader), &record, &err) == RECORD_OK) {
		nr += record.time == last + 1 || !last;
		last = record.time;
	}
	no_error(err, "is read to its end");
	is_u64(nr, 3000, "all records come out, in order");
	test_damage("compressed", 200);
}

static void test_writer_errors(void)
{
	const struct writer_info info = { .version = "1", .clockid = -1 };
	_cleanup_free_ char *before = NULL, *after = NULL;
	struct sample_record sample = make_sample(10, 1);
	struct event_list events;
	struct writer *writer;
	char message[512];
	size_t size, size2;

	fill_events(&events);
	snprintf(message, sizeof(message), "Cannot create %s: No such file or directory",
		 path("no/where"));
	is_error(writer_create(path("no/where"), &events, &info, &writer), message,
		 "a folder that is not there");
	snprintf(message, sizeof(message), "Cannot write to %s: Is a directory", path("directory"));
	is_error(writer_create(path("directory"), &events, &info, &writer), message, "a directory");

	error_free(file_read(path("file"), &before, &size));
	no_error(writer_create(path("file"), &events, &info, &writer), "over an older file");
	error_free(record_sink_write(writer_sink(writer), &(struct record_span){
			&sample, sizeof(sample), 0 }));
	writer_abort(writer);
	error_free(file_read(path("file"), &after, &size2));
	ok(size == size2 && !memcmp(before, after, size), "given up, the older file is as it was");
	no_error(writer_create("/dev/null", &events, &info, &writer), "into /dev/null");
	no_error(writer_finish(writer, NULL), "to the end");
	ok(!access("/dev/null", F_OK), "/dev/null is still there");
	no_error(writer_create("/dev/full", &events, &info, &writer), "into a full disk");
	is_error(writer_finish(writer, NULL), "Cannot write to the output: No space left on device",
		 "is reported at the end");
	event_list_deinit(&events);
}

static void test_nothing_left(void)
{
	char command[600];

	snprintf(command, sizeof(command), "ls -A %s | grep -q '\\.......$'", folder);
	ok(system(command) != 0, "no temporary file is left behind");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ok(system(command) == 0, "the folder is removed");
}

int main(void)
{
	if (!mkdtemp(folder))
		abort();
	test_file();
	test_pipe();
	test_packed();
	test_index();
	test_refusals();
	test_damage("file", 4000);
	test_damage("pipe", 1000);
	test_incomplete();
	test_attr_sizes();
	test_compressed();
	test_writer_errors();
	test_nothing_left();
	return tap_done();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings, files and pipes: read in time order into text, by their index,
 * and dumped record by record.
 */
#include "fuzz.h"

#include "lib/log.h"
#include "output/text/dump.h"
#include "output/text/header_text.h"
#include "output/text/text.h"
#include "perfdata/reader.h"
#include "session/session.h"

static FILE *nowhere;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_quiet = true;
	nowhere = fopen("/dev/null", "we");
	return nowhere ? 0 : 1;
}

static struct error *print(struct reader *reader)
{
	_cleanup_(text_output) struct text_output *output = NULL;
	struct text_options options = {
		.show_task_events = true, .show_mmap_events = true, .show_lost_events = true,
		.show_switch_events = true, .show_namespace_events = true,
		.show_cgroup_events = true, .show_bpf_events = true,
	};
	struct session session = {
		.source = reader_source(reader),
		.events = reader_events(reader),
		.formats = reader_formats(reader),
	};
	struct error *err;

	text_fields_init(&options.fields);
	err = text_fields_parse(&options.fields, "+common,+misc,+period");
	if (!err)
		err = text_output_create(nowhere, &options, reader_events(reader), &output);
	return err ? err : session_run(&session, text_output_consumer(output));
}

static struct error *dump(struct reader *reader)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = NULL;
	struct record record;

	header_text_add(&text, reader_header(reader), reader_events(reader), true);
	while (record_source_next(reader_source(reader), &record, &err) == RECORD_OK) {
		strbuf_reset(&text);
		dump_text_add(&text, "fuzz", reader_events(reader), &record);
	}
	return err;
}

static struct error *narrow_and_print(struct reader *reader)
{
	const struct time_range middle = { 1000000, 1000000000 };
	const struct record_scope scope = { .times = &middle, .nr_times = 1, .events = ~0ULL };
	struct error *err = reader_narrow(reader, &scope);

	return err ? err : print(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct error *(*const uses[])(struct reader *reader) = {
		print, narrow_and_print, dump,
	};
	char path[INPUT_PATH_SIZE];
	int fd = input_file(data, size, path);

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		_cleanup_(reader) struct reader *reader = NULL;
		struct error *err = reader_open(path, &reader);

		if (!err)
			err = uses[i](reader);
		error_free(err);
	}
	close(fd);
	return 0;
}

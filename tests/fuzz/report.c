// SPDX-License-Identifier: GPL-2.0
/* Recordings made into tables: processes, maps, binaries, histograms, call graphs. */
#include "fuzz.h"

#include "lib/log.h"
#include "perfdata/reader.h"
#include "session/session.h"
#include "table/profile/histogram_text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_quiet = true;
	return 0;
}

static void add_event(const struct histograms *histograms, const struct event_list *events,
		      size_t nth, const struct report_options *report, struct strbuf *text)
{
	const struct histogram *histogram = histograms_get(histograms, nth);
	const char *name = events->items[nth]->name;
	const struct report_events one = {
		.items = &histogram, .names = &name, .nr = 1, .title = "",
	};

	if (histogram)
		error_free(histogram_text_add(&one, report, text));
}

static struct error *make_report(struct reader *reader)
{
	/* Nothing of this machine is looked at. */
	static const struct symbol_options symbols = { .symfs = "/nonexistent", .no_vmlinux = true };
	_cleanup_(histograms) struct histograms *histograms = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct report_options report = { .histogram = {
		.keys = { KEY_COMM, KEY_PID, KEY_DSO, KEY_SYMBOL, KEY_CPU }, .children = true,
	} };
	struct session session = {
		.source = reader_source(reader),
		.events = reader_events(reader),
		.formats = reader_formats(reader),
	};
	struct error *err = call_graph_options_parse(&report.histogram.graph, NULL);

	if (!err)
		err = machine_create(reader_header(reader), &symbols, &session.machine);
	if (!err)
		err = histograms_create(&report.histogram, &histograms);
	if (!err)
		err = session_run(&session, histograms_consumer(histograms));
	if (histograms) {
		histograms_sort(histograms);
		for (size_t i = 0; i < reader_events(reader)->nr; i++)
			add_event(histograms, reader_events(reader), i, &report, &text);
	}
	if (session.machine)
		machine_destroy(session.machine);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(reader) struct reader *reader = NULL;
	char path[INPUT_PATH_SIZE];
	int fd = input_file(data, size, path);
	struct error *err;

	err = reader_open(path, &reader);
	if (!err)
		err = make_report(reader);
	error_free(err);
	close(fd);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/pager.h"
#include "lib/progress.h"
#include "lib/strbuf.h"
#include "output/header_text.h"

struct error *recording_open(const char *path, struct reader **ret)
{
	if (path)
		return reader_open(path, ret);
	if (access(RECORDING_DEFAULT, F_OK) && errno == ENOENT)
		return error_hint(error_new(ENOENT, "There is no " RECORDING_DEFAULT " here"),
				  "'ktrace record' makes one; -i FILE reads another");
	return reader_open(RECORDING_DEFAULT, ret);
}

static const char *resolve(void *context, uint64_t address, uint64_t *start)
{
	return machine_kernel_symbol(context, address, start);
}

struct error *recording_machine(struct reader *reader, const struct symbol_options *options,
				struct machine **ret)
{
	struct error *err = machine_create(reader_header(reader), options, ret);

	if (!err)
		formats_set_resolver(reader_formats(reader), resolve, *ret);
	return err;
}

struct error *recording_print_header(struct reader *reader)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = reader_read_header(reader);

	if (err)
		return err;
	header_text_add(&text, reader_header(reader), reader_events(reader));
	if (text.failed)
		return &error_no_memory;
	pager_start();
	fwrite(strbuf_str(&text), 1, text.len, stdout);
	return NULL;
}

/* Warn if the recording has AUX data, a trace of the processor, which is not decoded. */
static void tell_aux(const struct session *session, const struct header *header)
{
	static const char *const types[] = {
		NULL, "Intel PT", "Intel BTS", "CoreSight", "Arm SPE", "s390 CPU-MF", "HiSilicon PTT",
	};
	const char *type = session->aux_type < ARRAY_SIZE(types) ? types[session->aux_type] : NULL;

	if (!session->aux_bytes && !session->aux_type && !header_has(header, FEATURE_AUXTRACE))
		return;
	log_warning("The recording holds a trace of the processor (%s, %" PRIu64 " bytes), which "
		    "ktrace does not decode: what it would give is missing here. 'perf script "
		    "--itrace' decodes it.", type ? type : "of an unknown kind",
		    session->aux_bytes);
}

/* Print warnings that concern the output. */
static void tell_of_recording(const struct session *session)
{
	if (session->inversions)
		log_warning("%" PRIu64 " records are not in the order of their times, because "
			    "they were written later than the recording says.",
			    session->inversions);
	if (session->corrupt)
		log_warning("%" PRIu64 " samples were left out, because they are damaged or of "
			    "an event that the recording does not describe.", session->corrupt);
	if (session->guests)
		log_warning("%" PRIu64 " samples in guests were left out: 'perf kvm' shows what ran "
			    "there.", session->guests);
	if (session->lost)
		log_warning("%" PRIu64 " events were lost while recording.", session->lost);
}

struct error *recording_run(struct reader *reader, struct machine *machine,
			    const struct selection *selection,
			    struct session_consumer *consumer, bool prints, volatile int *stop)
{
	bool everything = selection_is_everything(selection);
	struct session session = {
		.source = reader_source(reader),
		.events = reader_events(reader),
		.formats = reader_formats(reader),
		.machine = machine,
		.stop = stop,
	};
	struct record_scope scope;
	struct selector selector;
	struct error *err;

	if (!everything) {
		selector_init(&selector, selection, consumer);
		consumer = &selector.consumer;
	}
	selection_scope(selection, session.events, &scope);
	err = reader_narrow(reader, &scope);
	if (err)
		return err;
	progress_begin("Reading", reader_bytes_left(reader));
	if (prints && isatty(STDOUT_FILENO))
		progress_until_output();
	err = session_run(&session, consumer);
	progress_end();
	if (err && ferror(stdout)) {
		/* Either the disk is full, which main() reports, or the pipe's reader has ended. */
		error_free(err);
		return NULL;
	}
	fflush(stdout);
	tell_of_recording(&session);
	tell_aux(&session, reader_header(reader));
	machine_report(machine);
	if (err || session.samples || session.corrupt || !everything)
		return err;
	if (!session.counts)
		log_notice("The recording holds no samples.");
	else if (!prints)
		log_notice("The recording holds no samples, but counts of 'perf stat record': "
			   "'ktrace script' prints them.");
	return err;
}

static struct error *render_records(struct reader *reader, struct rendering *rendering)
{
	struct error *err = NULL;
	struct record record;

	reader_give_all(reader);
	while (!err && record_source_next(reader_source(reader), &record, &err) == RECORD_OK)
		err = rendering->record(rendering, &record);
	if (err && ferror(stdout)) {
		error_free(err);
		return NULL;
	}
	return err;
}

struct error *recording_render(struct reader *reader, struct machine *machine,
			       const struct selection *selection,
			       const struct output_format *format, struct rendering *rendering)
{
	struct error *err;

	if (format->takes & RECORDS)
		err = render_records(reader, rendering);
	else
		err = recording_run(reader, machine, selection, rendering->consumer,
				    format->takes & PRINTS_LINES, NULL);
	return err ? err : rendering_finish(rendering);
}

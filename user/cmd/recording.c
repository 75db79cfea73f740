// SPDX-License-Identifier: GPL-2.0
#include "cmd/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/socket_address.h"
#include "lib/strbuf.h"
#include "output/rendering.h"
#include "output/text/header_text.h"
#include "states/off_cpu.h"
#include "states/wall_time.h"
#include "symbol/debuginfod.h"
#include "table/samples/reader_machine.h"
#include "terminal/progress.h"

struct error *recording_open(const char *path, struct reader **ret)
{
	if (path)
		return reader_open(path, ret);
	if (access(RECORDING_DEFAULT, F_OK) && errno == ENOENT)
		return error_hint(error_new(ENOENT, "There is no " RECORDING_DEFAULT " here"),
				  "'ktrace record' makes one; -i FILE reads another");
	return reader_open(RECORDING_DEFAULT, ret);
}

struct error *recording_add_input(void *data, const char *path)
{
	struct recording_inputs *inputs = data;

	return array_push(inputs, path) ? NULL : &error_no_memory;
}

struct error *recording_add_match(void *data, const char *rule)
{
	struct recording_inputs *inputs = data;

	return traffic_rules_add(&inputs->traffic, rule);
}

static struct error *refuse_two_inputs(void)
{
	return error_hint(error_new(EINVAL, "--listen reads from a recorder, and -i reads a file"),
			  "Give only one of them");
}

/* Set by --listen; NULL: it is not given, or is one of several inputs. */
static const char *const *listening_input;

struct error *recording_listen(void *data, const char *address)
{
	const char **input = data;
	struct socket_address parsed;

	if (*input && strcmp(*input, "-"))
		return refuse_two_inputs();
	listening_input = input;
	listener_address = address;
	*input = "-";
	return socket_address_parse(address, &parsed);
}

struct error *recording_listen_too(void *data, const char *address)
{
	const char *input = NULL;
	struct error *err = recording_listen(&input, address);

	listening_input = NULL;
	return err ? err : recording_add_input(data, input);
}

struct error *recording_check_listening(void)
{
	if (listening_input && strcmp(*listening_input, "-"))
		return refuse_two_inputs();
	listening_input = NULL;
	if (listener_token_file && !listener_address)
		return error_hint(error_new(EINVAL, "--token is for --listen, which is missing"),
				  "As in --listen tcp:127.0.0.1:PORT");
	return NULL;
}

void recording_inputs_deinit(struct recording_inputs *inputs)
{
	free(inputs->items);
	traffic_rules_deinit(&inputs->traffic);
	*inputs = (struct recording_inputs){ 0 };
}

struct error *recording_take_words(struct recording_inputs *inputs, int argc, char **argv,
				   int *ret_nr)
{
	for (*ret_nr = 0; *ret_nr < argc && file_is_recording(argv[*ret_nr]); (*ret_nr)++) {
		struct error *err = recording_add_input(inputs, argv[*ret_nr]);

		if (err)
			return err;
	}
	return NULL;
}

struct error *recording_check_match(const struct recording_inputs *inputs)
{
	if (inputs->nr > 1 || !inputs->traffic.own)
		return NULL;
	return error_hint(error_new(EINVAL, "--match compares the clocks of several recordings, "
				    "and there is one"), "Name the other one, too, or leave it out");
}

struct error *recording_open_all(const struct recording_inputs *inputs, struct reader **ret)
{
	struct error *err = recording_check_match(inputs);

	if (err)
		return err;
	if (inputs->nr < 2)
		return recording_open(recording_given(inputs), ret);
	return reader_open_many(inputs->items, inputs->nr, recording_traffic(inputs), ret);
}

struct error *recording_check_single(const struct reader *reader, const char *what)
{
	if (!reader_joined(reader))
		return NULL;
	return error_hint(error_new(EINVAL, "%s takes one recording, not several", what),
			  "Name one file with -i FILE");
}

struct error *recording_ask_debuginfod(void *data, const char *urls)
{
	return debuginfod_begin_asking(urls, data);
}

/* A symbol file that the user names must exist. */
static struct error *check_symbol_file(const char *path)
{
	return path && access(path, R_OK) ? error_errno(errno, "Cannot open %s", path) : NULL;
}

struct error *recording_machine(struct reader *reader, const struct symbol_options *options,
				struct machine **ret)
{
	struct error *err = check_symbol_file(options->vmlinux);

	if (!err)
		err = check_symbol_file(options->kallsyms);
	return err ? err : reader_machine_create(reader, options, ret);
}

struct error *recording_print_header(struct reader *reader, bool full)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = reader_read_header(reader);

	if (err)
		return err;
	header_text_add(&text, reader_header(reader), reader_events(reader), full);
	return rendering_print(stdout, &text);
}

/* Warn if the recording has AUX data, a hardware trace, which is not decoded. */
static void tell_aux(const struct session *session, const struct header *header)
{
	static const char *const types[] = {
		NULL, "Intel PT", "Intel BTS", "CoreSight", "Arm SPE", "s390 CPU-MF", "HiSilicon PTT",
	};
	const char *type = session->aux_type < ARRAY_SIZE(types) ? types[session->aux_type] : NULL;

	if (!session->aux_bytes && !session->aux_type && !header_has(header, FEATURE_AUXTRACE))
		return;
	log_warning("The recording holds a hardware trace (%s, %" PRIu64 " bytes), which "
		    "ktrace does not decode, so its samples are missing here. 'perf script "
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
		log_warning("%" PRIu64 " samples in guests were left out: 'perf kvm' shows their "
			    "functions.", session->guests);
	if (session->lost)
		log_warning("%" PRIu64 " events were lost while recording.", session->lost);
}

static void tell_off_cpu(const struct off_cpu *off_cpu)
{
	struct off_cpu_rest rest;

	off_cpu_rest(off_cpu, &rest);
	if (rest.asleep_before)
		log_notice("%" PRIu64 " tasks were asleep when the recording began. They slept "
			   "%.3f ms more, but since when and where is unknown.",
			   rest.asleep_before, rest.before_ns / 1e6);
	if (rest.asleep_after)
		log_notice("%" PRIu64 " tasks were still asleep at the end; they slept at least as "
			   "long as is shown.", rest.asleep_after);
}

static void tell_wall_time(const struct wall_time *wall)
{
	struct wall_rest rest;
	char before[128] = "";
	uint64_t shown;

	wall_time_rest(wall, &rest);
	shown = rest.running + rest.runnable + rest.blocked;
	if (rest.before)
		snprintf(before, sizeof(before), " + %.6f that is not shown, off the CPU before the "
			 "first switch of a thread", rest.before / 1e6);
	log_notice("Wall time of all threads: %.6f ms = %.6f running + %.6f runnable + %.6f blocked%s.",
		   (shown + rest.before) / 1e6, rest.running / 1e6, rest.runnable / 1e6,
		   rest.blocked / 1e6, before);
	if (rest.lost)
		log_notice("For %.6f ms more the states of threads are unknown, because records "
			   "were lost.", rest.lost / 1e6);
}

/* Do the work of recording_run(), and leave the counts in @session. */
static struct error *run_recording(struct reader *reader, const struct selection *selection,
				   struct session *session, struct session_consumer *consumer,
				   bool prints)
{
	bool everything = selection_is_everything(selection);
	_cleanup_(off_cpu) struct off_cpu *off_cpu = NULL;
	_cleanup_(wall_time) struct wall_time *wall_time = NULL;
	struct record_scope scope = { .events = ~0ULL };
	struct selector selector;
	struct error *err;

	err = selection_check(selection, session->events);
	if (err)
		return err;
	if (!everything) {
		selector_init(&selector, selection, consumer);
		consumer = &selector.consumer;
	}
	if (selection->off_cpu) {
		/* Sleeps begin and end outside of the selection. */
		err = off_cpu_create(session->events, consumer, &off_cpu);
		if (err)
			return err;
		consumer = off_cpu_consumer(off_cpu);
	} else if (selection->wall_time) {
		err = wall_time_rename_event(session->events);
		if (!err)
			err = wall_time_create(session->events, consumer, &wall_time);
		if (err)
			return err;
		consumer = wall_time_consumer(wall_time);
	} else {
		selection_scope(selection, session->events, &scope);
	}
	err = session->in_file_order ? NULL : reader_narrow(reader, &scope);
	if (err)
		return err;
	progress_begin("Reading", reader_bytes_left(reader));
	if (prints && isatty(STDOUT_FILENO))
		progress_until_output();
	err = session_run(session, consumer);
	progress_end();
	if (err && ferror(stdout)) {
		/* Either the disk is full, which main() reports, or the pipe's reader has ended. */
		error_free(err);
		return NULL;
	}
	fflush(stdout);
	tell_of_recording(session);
	if (off_cpu)
		tell_off_cpu(off_cpu);
	if (wall_time)
		tell_wall_time(wall_time);
	tell_aux(session, reader_header(reader));
	if (session->machine)
		machine_report(session->machine);
	if (err || session->samples || session->corrupt || !everything ||
	    (session->stop && *session->stop))
		return err;
	if (!session->counts)
		log_notice("The recording holds no samples.");
	else if (!prints)
		log_notice("The recording holds no samples, but counts of 'perf stat record': "
			   "'ktrace stat report' shows them as a table, 'ktrace script' one by "
			   "one.");
	return err;
}

static struct session recording_session(struct reader *reader, struct machine *machine)
{
	return (struct session){
		.source = reader_source(reader),
		.events = reader_events(reader),
		.formats = reader_formats(reader),
		.machine = machine,
	};
}

struct error *recording_run(struct reader *reader, struct machine *machine,
			    const struct selection *selection,
			    struct session_consumer *consumer, bool prints, volatile int *stop)
{
	struct session session = recording_session(reader, machine);

	session.stop = stop;
	return run_recording(reader, selection, &session, consumer, prints);
}

struct error *recording_begin(struct recording *r, const char *input,
			      const struct selection_words *words,
			      const struct symbol_options *symbols)
{
	struct error *err = recording_open(input, &r->reader);

	if (!err)
		err = reader_read_header(r->reader);
	if (!err && r->check && !reader_header(r->reader)->is_pipe)
		err = r->check(r->data);
	if (!err)
		err = selection_words_parse(words, reader_header(r->reader), &r->cpus,
					    &r->selection);
	return err || !symbols ? err : recording_machine(r->reader, symbols, &r->machine);
}

struct error *recording_sum_up(struct recording *r, struct session_consumer *consumer,
			       struct table_output *ret)
{
	struct session session = recording_session(r->reader, r->machine);
	struct error *err = run_recording(r->reader, &r->selection, &session, consumer, false);

	ret->lost = session.lost;
	ret->damaged = session.corrupt || reader_header(r->reader)->is_truncated;
	return err || !r->check ? err : r->check(r->data);
}

void recording_end(struct recording *r)
{
	machine_destroy(r->machine);
	reader_close(r->reader);
	cpumap_deinit(&r->cpus);
	selection_deinit(&r->selection);
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
	struct session session = recording_session(reader, machine);
	struct error *err = NULL;

	session.in_file_order = rendering->in_file_order;
	if (format->takes & RECORDS)
		err = recording_check_single(reader, format->name);
	if (err)
		return err;
	if (format->takes & RECORDS)
		err = render_records(reader, rendering);
	else
		err = run_recording(reader, selection, &session, rendering->consumer,
				    format->takes & PRINTS_LINES);
	rendering->samples = session.samples;
	return err ? err : rendering_finish(rendering);
}

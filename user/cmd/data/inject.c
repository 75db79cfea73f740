// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/data/redaction_words.h"
#include "cmd/embedding.h"
#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/ending.h"
#include "lib/log.h"
#include "lib/socket_address.h"
#include "pairs/pair_maker.h"
#include "perfdata/binaries.h"
#include "perfdata/redact/redaction.h"
#include "perfdata/tracing_data.h"
#include "perfdata/write/duplicate.h"
#include "profile/hit_binaries.h"
#include "profile/jit_maps.h"
#include "session/merge.h"
#include "states/sleep_samples.h"
#include "terminal/options.h"
#include "terminal/progress.h"

/* How many records that are in order of time go between two marks. */
#define MARK_RECORDS	4096

struct inject_command {
	const char *input, *output;
	bool build_ids, all_build_ids, jit, sched_stat, strip, embed, force;
	ARRAY_OF(struct pair_spec) pairs;	/* of --synthetic */
	struct symbol_options symbols;
	struct redaction_words redaction;
};

/* One run of it. */
struct injection {
	struct duplicate copy;
	struct strbuf build_ids;	/* entries of the BUILD_ID feature */
	struct merge *merge;		/* NULL: records keep the order of the file */
	struct sleep_samples sleeps;
	bool has_sleeps;		/* they are wanted */
	struct jit_maps jit;
	struct pair_maker *pairs;	/* NULL: no events of pairs */
	struct redaction *redaction;	/* NULL: none is wanted */
	uint64_t records;		/* since the last mark */
};

static void injection_deinit(struct injection *injection)
{
	merge_destroy(injection->merge);
	redaction_destroy(injection->redaction);
	jit_maps_deinit(&injection->jit);
	pair_maker_destroy(injection->pairs);
	sleep_samples_deinit(&injection->sleeps);
	strbuf_deinit(&injection->build_ids);
	duplicate_deinit(&injection->copy);
}
DEFINE_CLEANUP(injection, struct injection, injection_deinit)

static bool header_tells(const struct header *header, const char *name)
{
	return array_any(&header->build_ids, it, !strcmp(it->name, name));
}

static void add_build_id(const struct dso *dso, const struct header *header, bool is_local,
			 struct strbuf *ret)
{
	bool of_kernel = dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE;
	struct build_id id;

	if (header_tells(header, hit_binary_name(dso)) || header_tells(header, dso->name) ||
	    !hit_binary_find_id(dso, header, is_local, &id))
		return;
	binaries_add_entry(hit_binary_name(dso), of_kernel ? PERF_RECORD_MISC_KERNEL :
			   PERF_RECORD_MISC_USER, &id, ret);
	log_debug("The build id of %s is added.", hit_binary_name(dso));
}

/* Read the recording once to find the binaries of its samples. */
static struct error *find_hits(const struct inject_command *c, struct injection *injection)
{
	struct selection everything = { .cpus = NULL };
	_cleanup_(reader) struct reader *reader = NULL;
	_cleanup_(machine) struct machine *machine = NULL;
	_cleanup_(hit_binaries) struct hit_binaries hits;
	const struct header *header;
	struct error *err;
	bool is_local;

	hit_binaries_init(&hits);
	err = reader_open(injection->copy.path, &reader);
	if (!err)
		err = reader_read_header(reader);
	if (!err)
		err = recording_machine(reader, &c->symbols, &machine);
	if (!err)
		err = recording_run(reader, machine, &everything, &hits.consumer, false, NULL);
	if (err)
		return err;
	header = reader_header(reader);
	is_local = header_is_local(header);
	for (size_t i = 0; i < hits.nr; i++)
		add_build_id(hits.items[i], header, is_local, &injection->build_ids);
	return NULL;
}

/* Read the recording once to find all binaries that it maps. */
static struct error *find_mapped(struct injection *injection)
{
	_cleanup_(reader) struct reader *reader = NULL;
	struct binaries mapped = { .nr = 0 };
	struct error *err = reader_open(injection->copy.path, &reader);
	struct record record;

	while (!err && record_source_next(reader_source(reader), &record, &err) == RECORD_OK)
		binaries_watch(&mapped, record.header);
	if (!err && mapped.failed)
		err = &error_no_memory;
	if (!err)
		binaries_add_build_ids(&mapped, &injection->build_ids);
	binaries_deinit(&mapped);
	return err;
}

/* Read the recording once to find the dumps of JIT compilers, and read these. */
static struct error *find_jit(struct injection *injection)
{
	_cleanup_(reader) struct reader *reader = NULL;
	const struct jit_maps *jit = &injection->jit;
	struct error *err = reader_open(injection->copy.path, &reader);
	struct record record;

	while (!err && record_source_next(reader_source(reader), &record, &err) == RECORD_OK)
		err = jit_maps_watch(&injection->jit, record.header);
	if (!err)
		err = jit_maps_make(&injection->jit, reader_events(reader));
	for (size_t i = 0; i < jit->maps.nr && !err; i++)
		if (jit->maps.items[i].id.size)
			binaries_add_entry(jit_maps_name(jit, &jit->maps.items[i]),
					   PERF_RECORD_MISC_USER, &jit->maps.items[i].id,
					   &injection->build_ids);
	return err;
}

static void tell_pairs(const struct pair_event *event)
{
	const struct pair_counts *n = &event->counts;
	const struct {
		uint64_t nr;
		const char *what;
	} rest[] = {
		{ n->shorter, "did not take longer than the limit" },
		{ n->unknown, "are unknown, because events were lost meanwhile" },
		{ n->no_result, "have a value without a result" },
		{ n->without_start, "ends had no start" },
		{ n->again, "starts came again before their end" },
		{ n->open, "starts had no end yet" },
	};
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(rest); i++)
		if (rest[i].nr)
			strbuf_addf(&text, "; %" PRIu64 " %s", rest[i].nr, rest[i].what);
	log_notice("%s: %" PRIu64 " were made%s.", event->name, n->made, strbuf_str(&text));
}

/* Add a derived event to the description of the copy. */
static struct error *describe_pairs(struct injection *injection, const struct pair_event *made)
{
	struct description *description = &injection->copy.description;
	struct event_list *events = reader_events(description->reader);
	struct event *event;
	struct error *err;

	err = event_list_add(events, &made->attr, made->name, &event);
	if (!err)
		err = event_add_id(event, made->id);
	if (err)
		return err;
	event_finish(event);
	err = event_list_index_last(events);
	if (!err)
		err = formats_add(reader_formats(description->reader), PAIR_SYSTEM, made->format,
				  strlen(made->format));
	return err ? err : tracing_data_add(&description->features[FEATURE_TRACING_DATA],
					    PAIR_SYSTEM, made->format);
}

/* Pairs of selected firings may differ from pairs of all firings. */
static void warn_of_selected(const struct pair_event *made)
{
	for (size_t i = 0; i < ARRAY_SIZE(made->ends); i++)
		if (made->ends[i]->filter || made->ends[i]->cgroup)
			log_warning("A filter or cgroup left out some firings of %s, so a pair of "
				    "%s may lack the event that really ended it.",
				    made->ends[i]->name, made->name);
}

/* Read the recording once to create events of pairs. */
static struct error *make_pairs(const struct inject_command *c, struct injection *injection)
{
	struct selection everything = { .cpus = NULL };
	_cleanup_(reader) struct reader *reader = NULL;
	const struct pair_event *made;
	struct error *err;

	err = pair_maker_create(&injection->pairs);
	if (!err)
		err = reader_open(injection->copy.path, &reader);
	if (!err)
		err = reader_read_header(reader);
	for (size_t i = 0; !err && i < c->pairs.nr; i++)
		err = pair_maker_add(injection->pairs, &c->pairs.items[i], reader_events(reader),
				     reader_formats(reader));
	if (err)
		return error_prefix(err, "--synthetic");
	err = recording_run(reader, NULL, &everything, pair_maker_consumer(injection->pairs), false,
			    NULL);
	for (size_t i = 0; !err && (made = pair_maker_event(injection->pairs, i)); i++) {
		warn_of_selected(made);
		tell_pairs(made);
		err = describe_pairs(injection, made);
	}
	return err;
}

static struct error *inject_write(struct injection *injection,
				  const struct perf_event_header *header)
{
	struct record_span span = { header, header->size, UINT32_MAX };

	if (injection->redaction) {
		struct error *err = redaction_take(injection->redaction, header, &header);

		if (err || !header)
			return err;
		span.data = header;
	}
	return record_sink_write(writer_sink(injection->copy.writer), &span);
}

static struct error *refuse_trace(void)
{
	return error_hint(error_new(ENOTSUP, "The recording holds a hardware trace, which ktrace "
				    "does not decode"),
			  "'perf inject' takes it");
}

/* Records that are put in order of time by the merge need marks of their own. */
static struct error *mark_order(struct injection *injection, uint64_t time)
{
	if (!injection->merge || !time || ++injection->records < MARK_RECORDS)
		return NULL;
	injection->records = 0;
	return record_sink_round(writer_sink(injection->copy.writer), time);
}

/* Write the code that was compiled up to @time. */
static struct error *inject_code(struct injection *injection, uint64_t time)
{
	const struct perf_event_header *map;
	struct error *err = NULL;

	while (!err && (map = jit_maps_next(&injection->jit, time)))
		err = inject_write(injection, map);
	return err;
}

/* Write the pairs that ended before @time. */
static struct error *inject_pairs(struct injection *injection, uint64_t time)
{
	const struct perf_event_header *sample;
	struct error *err = NULL;

	while (!err && injection->pairs && (sample = pair_maker_next(injection->pairs, time)))
		err = inject_write(injection, sample);
	return err;
}

static struct error *inject_record(struct injection *injection, const struct record *record)
{
	const struct perf_event_header *header = record->header;
	struct error *err = ending_error();

	if (err || !duplicate_takes(header))
		return err;
	if (header->type == RECORD_AUXTRACE || header->type == RECORD_AUXTRACE_INFO)
		return refuse_trace();
	if (injection->merge && header->type == RECORD_FINISHED_ROUND)
		return NULL;
	if (jit_maps_hides(&injection->jit, header))
		return NULL;
	err = inject_code(injection, record->time);
	/* A pair follows the event that ends it. */
	if (!err && record->time)
		err = inject_pairs(injection, record->time - 1);
	if (!err && injection->has_sleeps && header->type == PERF_RECORD_SAMPLE)
		err = sleep_samples_take(&injection->sleeps, record, &header);
	if (!err && header)
		err = inject_write(injection, header);
	return err ? err : mark_order(injection, record->time);
}

static struct error *inject_records(struct injection *injection)
{
	struct reader *reader = injection->copy.description.reader;
	struct record_source *source = injection->merge ? merge_source(injection->merge) :
							  reader_source(reader);
	struct error *err = NULL;
	struct record record;

	progress_begin("Copying", reader_bytes_left(reader));
	while (!err && record_source_next(source, &record, &err) == RECORD_OK)
		err = inject_record(injection, &record);
	progress_end();
	if (!err)
		err = inject_code(injection, UINT64_MAX);
	return err ? err : inject_pairs(injection, UINT64_MAX);
}

/* Texts that other options add are redacted, too. */
static struct error *begin_redaction(struct injection *injection)
{
	struct error *err = redaction_begin(injection->redaction, injection->copy.path,
					    &injection->copy.description);

	return err ? err : redaction_build_ids(injection->redaction, &injection->build_ids);
}

static struct error *inject_run(const struct inject_command *c)
{
	_cleanup_(injection) struct injection injection = { .copy = DUPLICATE_INIT };
	struct reader *reader;
	struct error *err;

	err = redaction_words_create(&c->redaction, &injection.redaction);
	if (!err)
		err = duplicate_open(c->input ? c->input : "-", &injection.copy);
	if (!err && c->all_build_ids)
		err = find_mapped(&injection);
	if (!err && (c->build_ids || c->all_build_ids))
		err = find_hits(c, &injection);
	if (!err && c->jit)
		err = find_jit(&injection);
	if (!err && c->pairs.nr)
		err = make_pairs(c, &injection);
	if (err)
		return err;
	reader = injection.copy.description.reader;
	injection.sleeps.formats = reader_formats(reader);
	injection.has_sleeps = c->sched_stat;
	if (c->sched_stat || c->jit || c->pairs.nr)
		err = merge_create(reader_source(reader), &injection.merge);
	if (!err && injection.redaction)
		err = begin_redaction(&injection);
	if (!err)
		err = duplicate_begin(&injection.copy, c->output ? c->output : "-",
				      &injection.build_ids);
	if (!err)
		err = inject_records(&injection);
	if (!err && injection.redaction)
		err = redaction_end(injection.redaction, &injection.copy.description);
	if (!err)
		err = duplicate_finish(&injection.copy);
	if (!err && injection.redaction)
		redaction_tell(injection.redaction);
	return !err && c->embed ? embedding_make(c->output, &c->symbols) : err;
}

static struct error *check_inject(const struct inject_command *c)
{
	bool to_stdout = !c->output || !strcmp(c->output, "-");

	if (c->strip)
		return error_hint(error_new(EINVAL, "--strip leaves out events that --itrace decodes, and "
					    "ktrace decodes no traces of processors"),
				  "'perf inject --itrace --strip' does");
	if (c->embed && c->redaction.rules.nr)
		return error_hint(error_new(EINVAL, "--embed keeps names and source, which "
					    "--redact removes"), "Give only one of them");
	if (c->embed && (to_stdout || socket_address_is_one(c->output)))
		return error_hint(error_new(EINVAL, "--embed writes files, not pipes"),
				  "With -o FILE; 'ktrace inject -i FILE' then gives it to a pipe");
	if (to_stdout && isatty(STDOUT_FILENO))
		return error_hint(error_new(EINVAL, "A recording cannot be printed on a terminal"),
				  "-o FILE writes a file, and '|' gives it to another program");
	return redaction_words_check(&c->redaction);
}

static struct error *inject_add_pair(void *data, const char *text)
{
	struct inject_command *c = data;
	struct pair_spec spec;
	struct error *err = pair_spec_parse(text, &spec);

	if (!err && !array_push(&c->pairs, spec))
		err = &error_no_memory;
	if (err)
		pair_spec_deinit(&spec);
	return err;
}

static void inject_command_deinit(struct inject_command *c)
{
	for (size_t i = 0; i < c->pairs.nr; i++)
		pair_spec_deinit(&c->pairs.items[i]);
	free(c->pairs.items);
	redaction_words_deinit(&c->redaction);
}

struct error *cmd_inject(int argc, char **argv, int *ret_status)
{
	struct inject_command c = { 0 };
	const struct option_spec options[] = {
		OPT_STRING("input", &c.input),
		RECORDING_LISTEN_OPTIONS(&c.input, recording_listen),
		OPT_STRING("output", &c.output),
		OPT_FLAG("build-ids", &c.build_ids),
		OPT_FLAG("buildid-all", &c.all_build_ids),
		OPT_FLAG("embed", &c.embed),
		OPT_FLAG("sched-stat", &c.sched_stat),
		OPT_FLAG("jit", &c.jit),
		OPT_CALL("synthetic", &c, inject_add_pair),
		OPT_FLAG("strip", &c.strip),
		REDACTION_WORDS_OPTIONS(c.redaction),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		OPT_COUNT("verbose", &log_verbosity),
		RECORDING_QUIET_OPTION,
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "inject",
		.synopsis = "[OPTIONS]",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0) {
		inject_command_deinit(&c);
		return err;
	}
	err = options_no_argument(&usage, argc, argv, index);
	if (!err)
		err = check_inject(&c);
	if (!err) {
		ending_begin();
		err = inject_run(&c);
		ending_finish();
	}
	inject_command_deinit(&c);
	return err;
}

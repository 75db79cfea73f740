// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check.h"

#include <stdint.h>
#include <stdlib.h>

#include "check/coverage.h"
#include "cmd/check/check_recording.h"
#include "lib/array.h"
#include "lib/ending.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "recorder/child.h"
#include "session/session.h"

struct coverage_consumer {
	struct session_consumer consumer;
	struct coverage *coverage;
	ARRAY_OF(size_t) indexes;	/* by event->index, 1 more */
};

static size_t index_of(struct coverage_consumer *c, const struct session_record *r)
{
	if (!array_at(&c->indexes, r->event->index, 0))
		return SIZE_MAX;
	if (!c->indexes.items[r->event->index])
		c->indexes.items[r->event->index] =
			coverage_find(c->coverage, r->format->system, r->format->name) + 1;
	return c->indexes.items[r->event->index] - 1;
}

static struct error *take_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct coverage_consumer *c = (struct coverage_consumer *)consumer;
	size_t index = r->event && r->format ? index_of(c, r) : SIZE_MAX;

	if (index != SIZE_MAX)
		coverage_add(c->coverage, index, r->sample.raw, r->sample.raw_size);
	return NULL;
}

static struct error *coverage_start(const char *events, char **command, struct recorder_child *ret)
{
	const struct recorder_event event = { .event = events };
	const struct recorder_child_options options = {
		.program = RECORDER_CHILD_SELF,
		.command = {
			.events = &event, .nr_events = 1, .all_cpus = true, .command = command,
		},
		.dies_with_us = true,
	};

	return recorder_child_start(&options, ret);
}

static struct error *coverage_read(const struct recorder_child *recorder, struct coverage *coverage)
{
	struct coverage_consumer c = { .consumer.sample = take_sample, .coverage = coverage };
	struct error *err;
	uint64_t lost;
	char path[32];

	recorder_child_path(recorder, path);
	err = check_recording_run(path, &c.consumer, &lost, NULL);
	if (!err && lost)
		log_warning("%llu records were lost, so more names and values may have been "
			    "exercised than are shown.",
			    (unsigned long long)lost);
	free(c.indexes.items);
	return err;
}

/* Record the events while @command runs, and add them to @coverage. */
static struct error *coverage_record(struct results *results, char **command,
				    struct coverage *coverage)
{
	_cleanup_(strbuf) struct strbuf events = STRBUF_INIT;
	struct recorder_child recorder = RECORDER_CHILD_INIT;
	struct error *err, *late;
	int status;

	err = check_event_words(results, &events);
	if (!err)
		err = coverage_start(strbuf_str(&events), command, &recorder);
	if (err)
		return err;
	ending_pass_to(recorder.pid);
	late = coverage_read(&recorder, coverage);
	ending_pass_to(0);
	status = recorder_child_finish(&recorder);
	if (ending_signal()) {
		error_free(late);
		return ending_error();
	}
	if (!late && !status)
		return NULL;
	error_free(late);
	return error_hint(error_new(0, "Recording while %s ran ended with status %d", command[0],
				    status),
			  "check reports nothing about a command that fails");
}

struct error *check_coverage_run(struct results *results, char **command,
				 struct coverage_file *file)
{
	_cleanup_(coverage) struct coverage *coverage = NULL;
	struct error *err;

	err = coverage_create(results, &coverage);
	if (!err && file)
		err = coverage_file_load(file, coverage);
	if (!err && command)
		err = coverage_record(results, command, coverage);
	if (!err && command && file)
		err = coverage_file_write(file, coverage);
	if (!err)
		coverage_report(coverage);
	return err;
}

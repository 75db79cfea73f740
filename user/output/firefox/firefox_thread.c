// SPDX-License-Identifier: GPL-2.0
/*
 * The format has all that happened in a thread together, and column by column.  Until then it is
 * kept as numbers of few bytes:
 *
 *	samples		time since the last one, or since the thread was first seen; stack; weight
 *	markers		time, likewise; name; how long it lasted + 1, or 0: it is an instant
 *	values		stack; the fields as firefox_schema has them; 0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/varint.h"
#include "output/firefox/firefox.h"

static void firefox_thread_deinit(struct firefox_thread *thread)
{
	strbuf_deinit(&thread->samples);
	strbuf_deinit(&thread->markers);
	strbuf_deinit(&thread->values);
}

void firefox_threads_deinit(struct firefox_threads *threads)
{
	for (size_t i = 0; i < threads->nr; i++)
		firefox_thread_deinit(&threads->items[i]);
	free(threads->items);
	task_names_deinit(&threads->names);
}

/* Find or add a thread; *ret is its position. */
static struct error *take_firefox_thread(struct firefox_threads *threads,
					 struct firefox_file *file, const struct task_name *name,
					 uint64_t time, size_t *ret)
{
	bool changed;
	struct error *err = task_names_take(&threads->names, name, ret, &changed);

	if (err)
		return err;
	if (*ret == threads->nr && !array_push(threads, ((struct firefox_thread){
				.pid = name->pid, .tid = name->tid, .leader = *ret, .first = time,
				.last_sample = time, .last_marker = time })))
		return &error_no_memory;
	return changed ? firefox_find_text(file, name->comm, strlen(name->comm),
					   &threads->items[*ret].name) : NULL;
}

struct error *firefox_threads_find(struct firefox_threads *threads, struct firefox_file *file,
				   const struct task_name *name, const struct session_record *r,
				   struct firefox_thread **ret)
{
	size_t before = threads->nr, number, leader;
	struct task_name first = { name->pid, name->pid, NULL };
	struct error *err = take_firefox_thread(threads, file, name, r->sample.time, &number);

	if (!err && number == before && name->pid != name->tid) {
		first.comm = processes_comm(r->processes, name->pid, name->pid);
		err = take_firefox_thread(threads, file, &first, r->sample.time, &leader);
		if (!err)
			threads->items[number].leader = leader;
	}
	if (!err)
		*ret = &threads->items[number];
	return err;
}

/* Times must not decrease; those of damaged recordings do. */
static uint64_t since_last(uint64_t *last, uint64_t time)
{
	uint64_t passed = time > *last ? time - *last : 0;

	*last += passed;
	return passed;
}

void firefox_thread_add_sample(struct firefox_thread *thread, uint64_t time, uint32_t stack,
			       uint64_t weight)
{
	varint_add(&thread->samples, since_last(&thread->last_sample, time));
	varint_add(&thread->samples, stack);
	varint_add(&thread->samples, weight);
	thread->nr_samples++;
}

void firefox_thread_add_marker(struct firefox_thread *thread, const struct firefox_marker *marker)
{
	varint_add(&thread->markers, since_last(&thread->last_marker, marker->time));
	varint_add(&thread->markers, marker->name);
	varint_add(&thread->markers, marker->lasts ? marker->time - marker->since + 1 : 0);
	varint_add(&thread->values, marker->stack);
	strbuf_add(&thread->values, strbuf_str(marker->values), marker->values->len);
	varint_add(&thread->values, 0);
	thread->nr_markers++;
}

/* The columns of samples; weights are in ns. */
struct firefox_sample {
	uint64_t time, stack, weight;
};

static struct firefox_sample take_firefox_sample(const char **at, uint64_t before)
{
	struct firefox_sample sample;

	sample.time = before + varint_take(at);
	sample.stack = varint_take(at);
	sample.weight = varint_take(at);
	return sample;
}

/* In the tables of the file, stacks count from 0. */
static void add_firefox_stack(struct json_writer *json, const char *name, uint64_t stack)
{
	if (stack == SAMPLE_STACK_NONE)
		json_add_null(json, name);
	else
		json_add_unsigned(json, name, stack - 1);
}

enum sample_column { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT, SAMPLE_RAN };

static struct error *write_sample_column(const struct firefox_thread *thread, const char *name,
					 enum sample_column column, struct firefox_file *file)
{
	const char *at = strbuf_str(&thread->samples);
	struct firefox_sample sample = { .time = thread->first };
	struct error *err = NULL;

	json_begin_array(&file->json, name);
	for (size_t i = 0; !err && i < thread->nr_samples; i++) {
		sample = take_firefox_sample(&at, sample.time);
		if (column == SAMPLE_STACK)
			add_firefox_stack(&file->json, NULL, sample.stack);
		else if (column == SAMPLE_TIME)
			firefox_add_time(file, NULL, sample.time - file->start);
		else if (column == SAMPLE_WEIGHT)
			firefox_add_time(file, NULL, sample.weight);
		else
			json_add_unsigned(&file->json, NULL, sample.weight);
		err = stream_write(&file->stream);
	}
	json_end_array(&file->json);
	return err;
}

static struct error *write_thread_samples(const struct firefox_thread *thread, bool weighs,
					  struct firefox_file *file)
{
	struct error *err;

	json_begin_row(&file->json, "samples");
	json_add_text(&file->json, "weightType", weighs ? "tracing-ms" : "samples");
	json_add_unsigned(&file->json, "length", thread->nr_samples);
	err = write_sample_column(thread, "stack", SAMPLE_STACK, file);
	if (!err)
		err = write_sample_column(thread, "time", SAMPLE_TIME, file);
	if (!weighs)
		json_add_null(&file->json, "weight");
	if (!err && weighs)
		err = write_sample_column(thread, "weight", SAMPLE_WEIGHT, file);
	/* A clock counts how long the thread ran since the last sample, in ns. */
	if (!err && weighs)
		err = write_sample_column(thread, "threadCPUDelta", SAMPLE_RAN, file);
	json_end_object(&file->json);
	return err;
}

static struct error *write_marker_data(const struct firefox_thread *thread,
				       struct firefox_file *file)
{
	const char *at = strbuf_str(&thread->values), *marker = strbuf_str(&thread->markers);
	struct json_writer *json = &file->json;
	struct error *err = NULL;

	json_begin_array(json, "data");
	for (size_t i = 0; !err && i < thread->nr_markers; i++) {
		uint64_t stack = varint_take(&at);

		varint_take(&marker);
		json_begin_row(json, NULL);
		firefox_add_string(file, "type", varint_take(&marker));
		varint_take(&marker);
		firefox_values_write(file, &at);
		if (stack != SAMPLE_STACK_NONE) {
			json_begin_row(json, "cause");
			add_firefox_stack(json, "stack", stack);
			json_end_object(json);
		}
		json_end_object(json);
		err = stream_write(&file->stream);
	}
	json_end_array(json);
	return err;
}

enum marker_column { MARKER_NAME, MARKER_START, MARKER_END, MARKER_PHASE, MARKER_CATEGORY };

static struct error *write_marker_column(const struct firefox_thread *thread, const char *name,
					 enum marker_column column, struct firefox_file *file)
{
	const char *at = strbuf_str(&thread->markers);
	struct error *err = NULL;
	uint64_t time = thread->first, text, lasted;

	json_begin_array(&file->json, name);
	for (size_t i = 0; !err && i < thread->nr_markers; i++) {
		time += varint_take(&at);
		text = varint_take(&at);
		lasted = varint_take(&at);
		if (column == MARKER_START)
			firefox_add_time(file, NULL,
					 time - file->start - (lasted ? lasted - 1 : 0));
		else if (column == MARKER_END && lasted)
			firefox_add_time(file, NULL, time - file->start);
		else if (column == MARKER_END)
			json_add_null(&file->json, NULL);
		else
			json_add_unsigned(&file->json, NULL, column == MARKER_NAME ? text :
					  column == MARKER_PHASE ? lasted != 0 : 0);
		err = stream_write(&file->stream);
	}
	json_end_array(&file->json);
	return err;
}

/* Phase 0 is an instant, and 1 an interval; all are of the category FIREFOX_OTHER. */
static struct error *write_thread_markers(const struct firefox_thread *thread,
					  struct firefox_file *file)
{
	struct error *err;

	json_begin_row(&file->json, "markers");
	json_add_unsigned(&file->json, "length", thread->nr_markers);
	err = write_marker_data(thread, file);
	if (!err)
		err = write_marker_column(thread, "name", MARKER_NAME, file);
	if (!err)
		err = write_marker_column(thread, "startTime", MARKER_START, file);
	if (!err)
		err = write_marker_column(thread, "endTime", MARKER_END, file);
	if (!err)
		err = write_marker_column(thread, "phase", MARKER_PHASE, file);
	if (!err)
		err = write_marker_column(thread, "category", MARKER_CATEGORY, file);
	json_end_object(&file->json);
	return err;
}

static void write_thread_head(const struct firefox_thread *thread,
			      const struct firefox_thread *leader, struct firefox_file *file)
{
	struct json_writer *json = &file->json;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", thread->pid);
	firefox_add_string(file, "name", thread->name);
	firefox_add_string(file, "processName", leader->name);
	json_add_bool(json, "isMainThread", thread->pid == thread->tid);
	json_add_text(json, "pid", pid);
	json_add_signed(json, "tid", thread->tid);
	json_add_text(json, "processType", "default");
	firefox_add_time(file, "processStartupTime", leader->first - file->start);
	json_add_null(json, "processShutdownTime");
	firefox_add_time(file, "registerTime", thread->first - file->start);
	json_add_null(json, "unregisterTime");
	json_begin_array(json, "pausedRanges");
	json_end_array(json);
	json_add_bool(json, "showMarkersInTimeline", true);
}

struct error *firefox_thread_write(const struct firefox_thread *thread,
				   const struct firefox_thread *leader, bool weighs,
				   struct firefox_file *file)
{
	struct error *err;

	if (thread->samples.failed || thread->markers.failed || thread->values.failed)
		return &error_no_memory;
	json_begin_object(&file->json, NULL);
	write_thread_head(thread, leader, file);
	err = write_thread_samples(thread, weighs, file);
	if (!err)
		err = write_thread_markers(thread, file);
	json_end_object(&file->json);
	return err;
}

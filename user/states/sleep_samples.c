// SPDX-License-Identifier: GPL-2.0
#include "states/sleep_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "record/sample.h"

#define SCHED_STAT	"sched:sched_stat_"

void sleep_samples_deinit(struct sleep_samples *sleeps)
{
	array_free_each(&sleeps->tasks, .record);
	hash_table_deinit(&sleeps->table);
}

/* The position of a task; tasks.nr: it has none. */
static size_t find_sleeping_task(const struct sleep_samples *sleeps, int32_t tid)
{
	hash_table_each(&sleeps->table, hash_key_number(tid), n)
		if (sleeps->tasks.items[n].tid == tid)
			return n;
	return sleeps->tasks.nr;
}

static void forget_switch(struct sleep_samples *sleeps, int32_t tid)
{
	size_t i = find_sleeping_task(sleeps, tid);

	if (i == sleeps->tasks.nr)
		return;
	free(sleeps->tasks.items[i].record);
	sleeps->tasks.items[i].record = NULL;
}

static struct error *keep_switch(struct sleep_samples *sleeps, const struct record *record,
				 int32_t tid)
{
	size_t i = find_sleeping_task(sleeps, tid), size = record->header->size;
	void *copy = malloc(size);

	if (copy)
		memcpy(copy, record->header, size);
	if (copy && i == sleeps->tasks.nr) {
		typeof(*sleeps->tasks.items) task = { .tid = tid };

		if (!array_push(&sleeps->tasks, task) ||
		    !hash_table_add(&sleeps->table, hash_key_number(tid), i)) {
			free(copy);
			return &error_no_memory;
		}
	}
	if (!copy)
		return &error_no_memory;
	free(sleeps->tasks.items[i].record);
	sleeps->tasks.items[i].record = copy;
	sleeps->tasks.items[i].event = record->event;
	return NULL;
}

/* The switch of a sched_stat event's task; NULL: none was recorded. */
static const struct perf_event_header *end_sleep(struct sleep_samples *sleeps,
						 const struct record *record,
						 const struct sample *sample)
{
	const struct perf_event_attr *attr = &record->event->attr;
	const struct event_format *format = formats_find(sleeps->formats, attr->config);
	const struct field *pid = format ? event_format_field(format, "pid") : NULL;
	uint64_t period = attr->sample_type & PERF_SAMPLE_PERIOD ? sample->period :
								   attr->sample_period;
	const struct event *event;
	char *found;
	size_t i;

	i = pid ? find_sleeping_task(sleeps, field_u64(pid, sample->raw, sample->raw_size)) :
		  sleeps->tasks.nr;
	if (i == sleeps->tasks.nr || !sleeps->tasks.items[i].record)
		return NULL;
	found = sleeps->tasks.items[i].record;
	event = sleeps->tasks.items[i].event;
	if (event->time_offset >= 0)
		memcpy(found + event->time_offset, &sample->time, sizeof(sample->time));
	/* It is the last of the fixed-size parts. */
	if (event->attr.sample_type & PERF_SAMPLE_PERIOD)
		memcpy(found + sizeof(struct perf_event_header) + event->fixed_size -
		       sizeof(period), &period, sizeof(period));
	return (const void *)found;
}

struct error *sleep_samples_take(struct sleep_samples *sleeps, const struct record *record,
				 const struct perf_event_header **ret)
{
	const char *name = record->event ? record->event->name : "";
	struct sample sample;

	*ret = record->header;
	if (strncmp(name, "sched:", strlen("sched:")) ||
	    !sample_decode(record->event, record->header, &sample))
		return NULL;
	if (!strcmp(name, "sched:sched_switch")) {
		*ret = NULL;
		if (!(record->event->attr.sample_type & PERF_SAMPLE_TID))
			return error_new(EINVAL, "The samples of sched:sched_switch have no task "
					 "ids");
		return keep_switch(sleeps, record, sample.tid);
	}
	if (!strcmp(name, "sched:sched_process_exit")) {
		*ret = NULL;
		forget_switch(sleeps, sample.tid);
	} else if (!strncmp(name, SCHED_STAT, strlen(SCHED_STAT))) {
		*ret = end_sleep(sleeps, record, &sample);
	}
	return NULL;
}

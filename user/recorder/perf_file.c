// SPDX-License-Identifier: GPL-2.0
#include "recorder/perf_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "lib/log.h"
#include "recorder/own_cost.h"

static struct error *perf_file_add_clock(struct loop_consumer *consumer, struct captures *captures)
{
	struct perf_file *file = container_of(consumer, struct perf_file, consumer);

	return captures_add_clock(captures, file->writer);
}

/* Records in the rings still follow, so the file becomes somewhat larger. */
static struct error *perf_file_look_at_size(struct loop_consumer *consumer, bool *ret_end)
{
	struct perf_file *file = container_of(consumer, struct perf_file, consumer);

	*ret_end = file->max_bytes && writer_bytes(file->writer) >= file->max_bytes;
	if (*ret_end)
		log_notice("The recording has reached its size limit (%llu KB) and ends.",
			   (unsigned long long)writer_bytes(file->writer) / 1024);
	return NULL;
}

static struct perf_file perf_file_named(const char *path)
{
	return (struct perf_file){
		.path = path,
		.consumer = { .clock = perf_file_add_clock, .turn = perf_file_look_at_size },
	};
}

struct error *perf_file_create(const char *path, const struct event_list *events,
			       const struct writer_info *info, struct perf_file *ret)
{
	struct error *err;

	*ret = perf_file_named(path);
	err = writer_create(path, events, info, &ret->writer);
	if (!err)
		ret->consumer.sink = writer_sink(ret->writer);
	return err;
}

struct error *perf_file_create_described(const char *path, const struct description *description,
					 struct perf_file *ret)
{
	struct error *err;

	*ret = perf_file_named(path);
	err = writer_create_described(path, description, &ret->writer);
	if (!err)
		ret->consumer.sink = writer_sink(ret->writer);
	return err;
}

struct error *perf_file_finish(struct perf_file *file, struct captures *captures,
			       const struct ledger *ledger)
{
	struct error *err = captures_note_chains(captures, file->writer);

	if (!err)
		err = own_cost_note(captures, file->writer);
	if (err)
		return perf_file_give_up(file, err);
	file->bytes = writer_bytes(file->writer);
	file->uncompressed_bytes = writer_uncompressed_bytes(file->writer);
	file->samples = writer_samples(file->writer);
	return writer_finish(take_ptr(file->writer), ledger);
}

struct error *perf_file_give_up(struct perf_file *file, struct error *err)
{
	return writer_give_up(take_ptr(file->writer), err);
}

void perf_file_deinit(struct perf_file *file)
{
	writer_abort(take_ptr(file->writer));
}

char *perf_file_timed_path(const char *output)
{
	const struct timeval next = { .tv_usec = 10000 };
	char when[32], *path = NULL;
	struct timeval now;
	struct tm tm;

	gettimeofday(&now, NULL);
	do {
		free(path);
		localtime_r(&now.tv_sec, &tm);
		strftime(when, sizeof(when), "%Y%m%d%H%M%S", &tm);
		if (asprintf(&path, "%s.%s%02u", output, when, (unsigned int)now.tv_usec / 10000) < 0)
			return NULL;
		timeradd(&now, &next, &now);
	} while (!faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW));
	return path;
}

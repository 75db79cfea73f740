// SPDX-License-Identifier: GPL-2.0
#include "recorder/perf_file.h"

static struct error *perf_file_add_clock(struct loop_consumer *consumer, struct captures *captures)
{
	struct perf_file *file = container_of(consumer, struct perf_file, consumer);

	return captures_add_clock(captures, file->writer);
}

struct error *perf_file_create(const char *path, const struct event_list *events,
			       const struct writer_info *info, struct perf_file *ret)
{
	struct error *err;

	*ret = (struct perf_file){ .path = path, .consumer.clock = perf_file_add_clock };
	err = writer_create(path, events, info, &ret->writer);
	if (!err)
		ret->consumer.sink = writer_sink(ret->writer);
	return err;
}

struct error *perf_file_finish(struct perf_file *file, const struct ledger *ledger)
{
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

// SPDX-License-Identifier: GPL-2.0
#include "cmd/recording.h"

#include <errno.h>
#include <unistd.h>

#define DEFAULT_FILE	"perf.data"

struct error *recording_open(const char *path, struct reader **ret)
{
	if (path)
		return reader_open(path, ret);
	if (access(DEFAULT_FILE, F_OK) && errno == ENOENT)
		return error_hint(error_new(ENOENT, "There is no " DEFAULT_FILE " here"),
				  "'ktrace record' makes one; -i FILE reads another");
	return reader_open(DEFAULT_FILE, ret);
}

struct error *recording_read_header(struct reader *reader)
{
	struct record_source *source = reader_source(reader);
	struct error *err = NULL;
	struct record record;

	if (!reader_header(reader)->is_pipe)
		return NULL;
	while (record_source_next(source, &record, &err) == RECORD_OK)
		if (record.header->type == PERF_RECORD_SAMPLE)
			return NULL;
	return err;
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

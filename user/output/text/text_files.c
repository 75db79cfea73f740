// SPDX-License-Identifier: GPL-2.0
#include "output/text/text_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/file.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "lib/strbuf.h"

/* Lines are gathered up to about this size before they are written. */
#define TEXT_FILE_BATCH		(64 * 1024)

struct text_file {
	size_t shared;		/* the position of the file that is used; its own: this one */
	struct new_file file;
	struct strbuf batch;
	uint64_t bytes, samples;
};

struct text_files {
	size_t nr;
	struct text_file items[];	/* by the positions of events */
};

static struct error *text_file_flush(struct text_file *file)
{
	int code;

	if (file->batch.failed)
		return &error_no_memory;
	code = fd_write_all(file->file.fd, file->batch.data, file->batch.len);
	if (code)
		return error_errno(-code, "Cannot write %s", file->file.path);
	file->bytes += file->batch.len;
	strbuf_reset(&file->batch);
	return NULL;
}

/* The position of the first event that has the name of this one. */
static size_t first_of_name(const struct event_list *events, size_t i)
{
	size_t first = 0;

	while (strcmp(events->items[first]->name, events->items[i]->name))
		first++;
	return first;
}

static struct error *text_file_create(struct text_file *file, const char *recording,
				      const char *event)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s.%s.dump", recording, event) < 0) {
		path = NULL;
		return &error_no_memory;
	}
	for (char *c = path + strlen(recording); *c; c++)
		if (*c == '/')
			*c = '_';
	return error_hint(new_file_create(&file->file, path),
			  "The files are written beside the recording: use a copy of it in another "
			  "folder");
}

struct error *text_files_create(const char *recording, const struct event_list *events,
				struct text_files **ret)
{
	_cleanup_(text_files) struct text_files *files = NULL;
	struct error *err = NULL;

	files = calloc(1, sizeof(*files) + events->nr * sizeof(files->items[0]));
	if (!files)
		return &error_no_memory;
	for (; files->nr < events->nr && !err; files->nr++) {
		struct text_file *file = &files->items[files->nr];

		file->file = (struct new_file)NEW_FILE_INIT;
		file->shared = first_of_name(events, files->nr);
		if (file->shared == files->nr)
			err = text_file_create(file, recording, events->items[files->nr]->name);
	}
	if (!err)
		*ret = take_ptr(files);
	return err;
}

struct error *text_files_add(struct text_files *files, const struct event *event,
			     const char *text, size_t len)
{
	struct error *err = event_check_known(event, files->nr);
	struct text_file *file;

	if (err)
		return err;
	file = &files->items[files->items[event->index].shared];
	strbuf_add(&file->batch, text, len);
	file->samples++;
	return file->batch.failed || file->batch.len >= TEXT_FILE_BATCH ? text_file_flush(file) :
									   NULL;
}

struct error *text_files_finish(struct text_files *files)
{
	struct error *err = NULL;

	for (size_t i = 0; i < files->nr && !err; i++)
		if (files->items[i].shared == i)
			err = text_file_flush(&files->items[i]);
	for (size_t i = 0; i < files->nr && !err; i++) {
		struct text_file *file = &files->items[i];

		if (file->shared != i)
			continue;
		err = new_file_commit(&file->file);
		if (!err && !log_quiet)
			fprintf(stderr, "[ ktrace script: Wrote %.3f MB %s (%" PRIu64 " samples) ]\n",
				file->bytes / 1024.0 / 1024.0, file->file.path, file->samples);
	}
	return err;
}

void text_files_destroy(struct text_files *files)
{
	for (size_t i = 0; files && i < files->nr; i++) {
		new_file_deinit(&files->items[i].file);
		strbuf_deinit(&files->items[i].batch);
	}
	free(files);
}

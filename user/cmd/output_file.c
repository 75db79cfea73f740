// SPDX-License-Identifier: GPL-2.0
#include "cmd/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cmd/recording.h"
#include "lib/color.h"
#include "lib/new_file.h"

/* Complete the text in @out, which is closed in any case. */
static struct error *close_text(FILE *out, const char *path)
{
	bool failed = fflush(out) || ferror(out);
	int code = errno;

	if (fclose(out) && !failed) {
		failed = true;
		code = errno;
	}
	return failed ? error_errno(code, "Cannot write %s", path) : NULL;
}

static struct error *output_file_render(struct output_file *output,
					const struct rendering_request *request)
{
	_cleanup_(rendering) struct rendering *rendering = NULL;
	struct error *err = output_format_open(output->format, request, &rendering);
	enum color_mode mode = color_mode;

	/* Files are for programs, which want no colours. */
	color_mode = COLOR_NEVER;
	if (!err)
		err = recording_render(output->reader, output->machine, output->selection,
				       output->format, rendering);
	if (rendering) {
		output->samples = rendering->samples;
		output->others = rendering->others;
	}
	color_mode = mode;
	return err;
}

/* Write @file, which will be @path. */
static struct error *fill_output_file(struct output_file *output,
				      struct rendering_request *request, struct new_file *file,
				      const char *path)
{
	struct error *err, *late;
	int fd;

	if (output->format->takes & NEEDS_FILE) {
		request->path = file->temporary;
		return output_file_render(output, request);
	}
	fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	request->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!request->out)
		return error_errno(errno, "Cannot write %s", path);
	err = output_file_render(output, request);
	late = close_text(request->out, path);
	if (!err)
		return late;
	error_free(late);
	return err;
}

static struct error *write_output_folder(struct output_file *output,
					 struct rendering_request *request, const char *path)
{
	_cleanup_(new_folder) struct new_folder folder = NEW_FOLDER_INIT;
	struct error *err = new_folder_create(&folder, path);

	if (err)
		return error_hint(err, "Name a folder in one where you may write");
	leftover_begin(folder.temporary);
	request->path = folder.temporary;
	err = output_file_render(output, request);
	if (!err)
		err = output->replace_folder ? new_folder_replace(&folder) :
					       new_folder_commit(&folder);
	leftover_end();
	return err;
}

struct error *output_file_write(struct output_file *output, const char *path)
{
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	struct rendering_request request = output->request;
	struct error *err;

	request.events = reader_events(output->reader);
	request.header = reader_header(output->reader);
	request.formats = reader_formats(output->reader);
	request.ledger = reader_ledger(output->reader);
	request.wanted = output->selection->events;
	request.name = path;
	if (!strcmp(path, "-")) {
		request.name = "standard output";
		request.out = stdout;
		return output_file_render(output, &request);
	}
	if (output->format->takes & NEEDS_FOLDER)
		return write_output_folder(output, &request, path);
	err = new_file_create(&file, path);
	if (err)
		return err;
	leftover_begin(file.temporary);
	err = new_file_share(&file);
	if (!err)
		err = fill_output_file(output, &request, &file, path);
	if (!err)
		err = new_file_commit(&file);
	leftover_end();
	return err;
}

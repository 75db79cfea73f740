// SPDX-License-Identifier: GPL-2.0
#include "cmd/script/schema_source.h"

#include <string.h>
#include <sys/stat.h>

#include "cmd/recording.h"
#include "lib/log.h"

static struct error *read_folder(const char *folder, struct schema *ret)
{
	static char *const all[] = { NULL };
	_cleanup_(format_files) struct format_files files = { 0 };
	struct error *err;
	size_t left_out;

	err = format_files_read(folder, all, &files);
	if (!err)
		err = schema_read_files(&files, ret, &left_out);
	if (!err && left_out)
		log_warning("%zu format%s in %s cannot be read and %s left out.", left_out,
			    left_out == 1 ? "" : "s", folder ? folder : "tracefs",
			    left_out == 1 ? "is" : "are");
	return err;
}

struct error *schema_source_open(const char *word, struct schema_source *ret)
{
	struct schema_source source = { 0 };
	struct error *err;
	struct stat st;

	if (!strcmp(word, "live")) {
		err = read_folder(NULL, &source.schema);
	} else if (!stat(word, &st) && S_ISDIR(st.st_mode)) {
		err = read_folder(word, &source.schema);
	} else {
		err = recording_open(word, &source.reader);
		if (!err)
			err = reader_read_header(source.reader);
		if (!err)
			err = reader_take_failure(source.reader);
		if (!err)
			err = schema_read_formats(reader_formats(source.reader), &source.schema);
	}
	if (err) {
		schema_source_close(&source);
		return err;
	}
	*ret = source;
	return NULL;
}

void schema_source_close(struct schema_source *source)
{
	schema_deinit(&source->schema);
	reader_close(source->reader);
	*source = (struct schema_source){ 0 };
}

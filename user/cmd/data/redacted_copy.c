// SPDX-License-Identifier: GPL-2.0
#include "cmd/data/redacted_copy.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/ending.h"
#include "perfdata/write/duplicate.h"
#include "terminal/progress.h"

#define PREFIX "ktrace-redacted"

/* Only copies lie there, also such as are incomplete, under their temporary names. */
static void remove_copies(const char *path)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strstr(entry->d_name, ".data"))
			unlinkat(dirfd(dir), entry->d_name, 0);
	rmdir(path);
}

struct error *redacted_copies_create(struct redacted_copies *copies)
{
	const char *base = getenv("TMPDIR");
	struct error *err;

	base = base && *base ? base : "/tmp";
	held_folder_sweep(base, PREFIX, remove_copies);
	err = held_folder_create(&copies->folder, base, PREFIX);
	return err ? error_hint(err, "TMPDIR names another folder for redacted copies") : NULL;
}

static struct error *copy_records(struct duplicate *copy, struct redaction *redaction)
{
	struct reader *reader = copy->description.reader;
	struct error *err = NULL;
	struct record record;

	progress_begin("Redacting", reader_bytes_left(reader));
	while (!err && record_source_next(reader_source(reader), &record, &err) == RECORD_OK) {
		const struct perf_event_header *header = record.header;

		err = ending_error();
		if (err || !duplicate_takes(header))
			continue;
		err = redaction_take(redaction, header, &header);
		if (!err && header)
			err = record_sink_write(writer_sink(copy->writer),
						&(struct record_span){ header, header->size,
								       UINT32_MAX });
	}
	progress_end();
	return err;
}

/* Formats say when something was recorded by the time of the file. */
static void keep_time(const struct duplicate *original, const char *name)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	struct stat st;

	if (stat(original->path, &st))
		return;
	times[1] = st.st_mtim;
	utimensat(AT_FDCWD, name, times, 0);
}

struct error *redacted_copies_add(struct redacted_copies *copies, struct redaction *redaction,
				  const char *path)
{
	_cleanup_(duplicate) struct duplicate copy = DUPLICATE_INIT;
	char *name;
	struct error *err;

	if (asprintf(&name, "%s/%zu.data", copies->folder.path, copies->nr + 1) < 0)
		return &error_no_memory;
	if (!array_push(copies, name)) {
		free(name);
		return &error_no_memory;
	}
	err = duplicate_open(path, &copy);
	if (!err)
		err = redaction_begin(redaction, copy.path, &copy.description);
	if (!err)
		err = duplicate_begin(&copy, name, NULL);
	if (!err)
		err = copy_records(&copy, redaction);
	if (!err)
		err = redaction_end(redaction, &copy.description);
	if (!err)
		err = duplicate_finish(&copy);
	if (!err)
		keep_time(&copy, name);
	return err;
}

struct error *redacted_copies_open(const struct redacted_copies *copies,
				   const struct traffic_rules *rules, struct reader **ret)
{
	return reader_open_many((const char *const *)copies->items, copies->nr, rules, ret);
}

void redacted_copies_deinit(struct redacted_copies *copies)
{
	if (copies->folder.path)
		remove_copies(copies->folder.path);
	held_folder_release(&copies->folder);
	for (size_t i = 0; i < copies->nr; i++)
		free(copies->items[i]);
	free(copies->items);
}

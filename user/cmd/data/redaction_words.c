// SPDX-License-Identifier: GPL-2.0
#include "cmd/data/redaction_words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/ending.h"
#include "lib/held_folder.h"
#include "perfdata/write/duplicate.h"
#include "terminal/progress.h"

struct redacted_copies {
	struct held_folder folder;
	char **items;		/* their paths; owned */
	size_t nr, alloc;
};

#define REDACTED_COPIES_INIT { .folder = HELD_FOLDER_INIT }

#define PREFIX "ktrace-redacted"

/* The folder holds only copies, including incomplete ones under their temporary names. */
static void remove_copies(const char *path)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strstr(entry->d_name, ".data"))
			unlinkat(dirfd(dir), entry->d_name, 0);
	rmdir(path);
}

/* Create the folder.  Folders that killed commands left behind are removed first. */
static struct error *redacted_copies_create(struct redacted_copies *copies)
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

/* Some formats take the time of the recording from the file. */
static void keep_time(const struct duplicate *original, const char *name)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	struct stat st;

	if (stat(original->path, &st))
		return;
	times[1] = st.st_mtim;
	utimensat(AT_FDCWD, name, times, 0);
}

/*
 * Copy the recording @path ("-": standard input).  EINTR: a signal asks the command to end.  ENOTSUP,
 * EINVAL: as redaction_begin(); EBADMSG: the recording breaks off.
 */
static struct error *redacted_copies_add(struct redacted_copies *copies,
					 struct redaction *redaction, const char *path)
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

/* Open all of them as one, as reader_open_many(). */
static struct error *redacted_copies_open(const struct redacted_copies *copies,
					  const struct traffic_rules *rules, struct reader **ret)
{
	return reader_open_many((const char *const *)copies->items, copies->nr, rules, ret);
}

/* Remove the folder with the copies.  A reader that is open keeps its files. */
static void redacted_copies_deinit(struct redacted_copies *copies)
{
	if (copies->folder.path)
		remove_copies(copies->folder.path);
	held_folder_release(&copies->folder);
	array_free_each(copies);
}

DEFINE_CLEANUP(redacted_copies, struct redacted_copies, redacted_copies_deinit)

struct error *redaction_words_add(void *data, const char *rule)
{
	struct redaction_words *words = data;

	return array_push(&words->rules, rule) ? NULL : &error_no_memory;
}

void redaction_words_deinit(struct redaction_words *words)
{
	free(words->rules.items);
}

struct error *redaction_words_check(const struct redaction_words *words)
{
	if (!words->key || words->rules.nr)
		return NULL;
	return error_hint(error_new(EINVAL, "--redact-key is the key of pseudonyms, and nothing is "
				    "replaced by one"), "--redact all replaces names by "
			  "pseudonyms");
}

struct error *redaction_words_create(const struct redaction_words *words, struct redaction **ret)
{
	struct error *err;

	*ret = NULL;
	if (!words->rules.nr)
		return NULL;
	err = redaction_create(words->key, ret);
	for (size_t i = 0; i < words->rules.nr && !err; i++)
		err = redaction_add_rule(*ret, words->rules.items[i]);
	return err;
}

static struct error *open_copies(const struct redaction_words *words,
				 const struct recording_inputs *inputs, struct reader **ret)
{
	_cleanup_(redaction) struct redaction *redaction = NULL;
	_cleanup_(redacted_copies) struct redacted_copies copies = REDACTED_COPIES_INIT;
	const char *only = recording_given(inputs);
	struct error *err = redaction_words_create(words, &redaction);

	if (!err)
		err = redacted_copies_create(&copies);
	if (!err && inputs->nr < 2)
		err = redacted_copies_add(&copies, redaction, only ? only : RECORDING_DEFAULT);
	for (size_t i = 0; i < inputs->nr && inputs->nr > 1 && !err; i++)
		err = redacted_copies_add(&copies, redaction, inputs->items[i]);
	if (!err)
		err = redacted_copies_open(&copies, recording_traffic(inputs), ret);
	if (!err)
		redaction_tell(redaction);
	return err;
}

struct error *redaction_words_open(const struct redaction_words *words,
				   const struct recording_inputs *inputs, struct reader **ret)
{
	struct error *err;

	/* A signal must not leave copies behind. */
	ending_begin();
	err = open_copies(words, inputs, ret);
	ending_finish();
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/data/conversion.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/output_file.h"
#include "lib/file.h"
#include "lib/new_file.h"
#include "lib/strbuf.h"

/* The first characters of the metadata of a CTF trace, whichever tool wrote it. */
#define TRACE_BEGINNING	"/* CTF "

void conversion_deinit(struct conversion *c)
{
	recording_inputs_deinit(&c->inputs);
	redaction_words_deinit(&c->redaction);
	machine_destroy(c->machine);
	reader_close(c->reader);
	selection_deinit(&c->selection);
	cpumap_deinit(&c->cpus);
}

static struct error *open_conversion(struct conversion *c)
{
	struct error *err;

	if (c->redaction.rules.nr)
		err = redaction_words_open(&c->redaction, &c->inputs, &c->reader);
	else
		err = recording_open_all(&c->inputs, &c->reader);
	if (!err)
		err = reader_read_header(c->reader);
	if (!err)
		err = selection_words_parse(&c->words, reader_header(c->reader), &c->cpus,
					    &c->selection);
	return err ? err : recording_machine(c->reader, &c->symbols, &c->machine);
}

static bool has_only_files(const char *path)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	const struct dirent *entry;
	struct stat st;

	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		     !S_ISREG(st.st_mode)))
			return false;
	return true;
}

/*
 * A folder is replaced only by a trace if it holds a trace, because another folder may hold
 * valuable files.  A link to a folder is refused, too: the files are elsewhere.
 */
static struct error *check_older_trace(const char *path)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	struct error *err = NULL;
	struct stat st;
	size_t len = 0;

	strbuf_addf(&name, "%s/metadata", path);
	if (name.failed)
		return &error_no_memory;
	if (!lstat(path, &st) && S_ISDIR(st.st_mode) && has_only_files(path))
		err = file_read_regular(name.data, &text, &len);
	error_free(err);
	if (text && len >= strlen(TRACE_BEGINNING) &&
	    !memcmp(text, TRACE_BEGINNING, strlen(TRACE_BEGINNING)))
		return NULL;
	return error_hint(error_new(EEXIST, "%s is not the folder of a trace, so no trace replaces "
				    "it",
				    path),
			  "Name another folder, or remove it first");
}

static struct error *check_conversion_target(const struct conversion *c,
					     const struct output_format *format, const char *path)
{
	bool is_folder = format->takes & NEEDS_FOLDER;
	struct stat st;

	if (!strcmp(path, "-")) {
		if (!(format->takes & (NEEDS_FILE | NEEDS_FOLDER)))
			return NULL;
		return error_hint(error_new(EINVAL, "'--to %s' cannot write to standard output",
					    format->name),
				  "Name a %s to write", is_folder ? "folder" : "file");
	}
	if (lstat(path, &st))
		return NULL;
	if (!c->replace)
		return error_hint(error_new(EEXIST, "%s exists already", path), "%s",
				  c->existing_hint);
	return is_folder ? check_older_trace(path) : new_file_check(path);
}

struct error *conversion_run(struct conversion *c, const struct output_format *format,
			     const char *path)
{
	struct output_file output = {
		.selection = &c->selection, .format = format, .replace_folder = c->replace,
		/* The name of the file may reveal the redacted texts. */
		.request.recording = c->redaction.rules.nr ? "redacted.data" :
				     recording_first(&c->inputs),
		.request.task_records = c->task_records,
		.request.no_source = c->redaction.rules.nr,
	};
	struct error *err = redaction_words_check(&c->redaction);

	if (!err)
		err = check_conversion_target(c, format, path);
	if (!err)
		err = open_conversion(c);
	if (err)
		return err;
	if (format->takes & RECORDS && !selection_is_everything(&c->selection))
		return error_hint(error_new(EINVAL, "'--to %s' always writes all records",
					    format->name),
				  "Leave out --event, --cpu, --pid, --tid and --time");
	if (c->wall_clock && !reader_header(c->reader)->clock_time)
		return error_hint(error_new(EINVAL, "The recording has no times of the wall clock"),
				  "'ktrace record -k CLOCK' makes recordings that have them");
	output.reader = c->reader;
	output.machine = c->machine;
	err = output_file_write(&output, path);
	c->samples = output.samples;
	c->others = output.others;
	return err;
}

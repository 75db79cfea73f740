// SPDX-License-Identifier: GPL-2.0
#include "sql/recordings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"

struct sql_recordings *sql_recordings_create(void)
{
	struct sql_recordings *recordings = calloc(1, sizeof(*recordings));

	if (recordings)
		recordings->refs = 1;
	return recordings;
}

struct sql_recordings *sql_recordings_get(struct sql_recordings *recordings)
{
	recordings->refs++;
	return recordings;
}

static void free_paths(char **paths, size_t nr)
{
	for (size_t i = 0; paths && i < nr; i++)
		free(paths[i]);
	free(paths);
}

void sql_recordings_put(void *data)
{
	struct sql_recordings *recordings = data;

	if (!recordings || --recordings->refs)
		return;
	for (size_t i = 0; i < recordings->nr; i++) {
		reader_close(recordings->items[i]->reader);
		free_paths(recordings->items[i]->paths, recordings->items[i]->nr_paths);
		free(recordings->items[i]);
	}
	free(recordings->items);
	free(recordings);
}

static struct error *open_header(const char *const *paths, size_t nr,
				 const struct traffic_rules *rules, struct reader **ret)
{
	_cleanup_(reader) struct reader *reader = NULL;
	struct error *err;

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(paths[i], "-"))
			return error_hint(error_new(EINVAL, "Queries cannot read a pipe, which comes "
						    "only once"), "Write it to a file first");
	err = reader_open_many(paths, nr, rules, &reader);
	if (!err)
		err = reader_read_header(reader);
	if (err)
		return err;
	if (reader_header(reader)->is_pipe)
		return error_hint(error_new(EINVAL, "%s is the copy of a pipe, whose events are "
					    "known only while it is read", paths[0]),
				  "'ktrace index' does not help here; record to a file with -o");
	*ret = take_ptr(reader);
	return NULL;
}

/*
 * The program may change its folder before a query.  But several recordings are identified by the
 * names that were given.  Only the tool opens several, and it does not change its folder.
 */
static char **copy_paths(const char *const *paths, size_t nr)
{
	char **copies = calloc(nr, sizeof(*copies));

	for (size_t i = 0; copies && i < nr; i++) {
		if (nr == 1)
			copies[i] = realpath(paths[i], NULL);
		if (!copies[i])
			copies[i] = strdup(paths[i]);
		if (!copies[i]) {
			free_paths(copies, nr);
			return NULL;
		}
	}
	return copies;
}

struct error *sql_recordings_open(struct sql_recordings *recordings, const char *const *paths,
				  size_t nr, size_t *ret_number, struct sample_tables **ret)
{
	_cleanup_(reader) struct reader *reader = NULL;
	struct sample_tables *tables;
	struct error *err = open_header(paths, nr, recordings->rules, &reader);

	if (err)
		return err;
	tables = calloc(1, sizeof(*tables));
	if (!tables)
		return &error_no_memory;
	tables->paths = copy_paths(paths, nr);
	tables->nr_paths = nr;
	tables->rules = recordings->rules;
	if (!tables->paths || !array_push(recordings, tables)) {
		free_paths(tables->paths, nr);
		free(tables);
		return &error_no_memory;
	}
	tables->reader = take_ptr(reader);
	tables->refs = 1;
	*ret_number = recordings->nr - 1;
	*ret = tables;
	return NULL;
}

struct error *sql_recordings_find(struct sql_recordings *recordings, const char *number,
				  struct sample_tables **ret)
{
	struct sample_tables *tables;
	struct error *err;
	char *end;
	unsigned long at = strtoul(number, &end, 10);

	if (end == number || *end || at >= recordings->nr)
		return error_hint(error_new(ENOENT, "This connection has no recording number %s",
					    number),
				  "ktrace_open() makes the tables of a recording");
	tables = recordings->items[at];
	if (!tables->reader) {
		err = open_header((const char *const *)tables->paths, tables->nr_paths,
				  tables->rules, &tables->reader);
		if (err)
			return err;
	}
	tables->refs++;
	*ret = tables;
	return NULL;
}

void sample_tables_put(struct sample_tables *tables)
{
	if (tables && !--tables->refs)
		reader_close(take_ptr(tables->reader));
}

struct error *sample_tables_open(const struct sample_tables *tables, struct reader **ret)
{
	bool quiet = log_quiet;
	struct error *err;

	/* The notes about the recordings were printed when the tables were created. */
	log_quiet = true;
	err = reader_open_many((const char *const *)tables->paths, tables->nr_paths,
			       tables->rules, ret);
	log_quiet = quiet;
	/* The tables' data about events would be wrong for another recording. */
	if (!err && reader_events(*ret)->nr != reader_events(tables->reader)->nr)
		err = error_new(ESTALE, "%s was replaced while it was read", tables->paths[0]);
	return err;
}

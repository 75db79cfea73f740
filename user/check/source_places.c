// SPDX-License-Identifier: GPL-2.0
#include "check/source_places.h"

#include <errno.h>
#include <sys/stat.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check/lint/lint.h"
#include "header/trace_header.h"
#include "lib/array.h"
#include "lib/file.h"

/* Larger headers are not searched. */
#define HEADER_BYTES (4 * 1024 * 1024)

/* Whether a header that has this text may declare events: parsing takes longer than searching. */
static bool may_have_events(const char *text)
{
	return strstr(text, "TRACE_EVENT") || strstr(text, "DEFINE_EVENT");
}

/* The line of the declaration of @field in TP_STRUCT__entry(), else that of the event. */
static size_t field_line(const struct trace_header *header, const struct header_event *event,
			 const char *field)
{
	const struct header_part *part = trace_header_part(header, event, PART_ENTRY);
	size_t at = part && field ? trace_header_find_word(header, part, part->place, field) : 0;

	return at ? trace_header_line(header, at) : event->line;
}

/* The line of TP_printk() that mentions @field, else its first one, else that of the event. */
static size_t print_line(const struct trace_header *header, const struct header_event *event,
			 const char *field)
{
	const struct header_part *part = trace_header_part(header, event, PART_PRINT);
	size_t at = part && field ? trace_header_find_word(header, part, part->place, field) : 0;

	if (!part)
		return event->line;
	return trace_header_line(header, at ? at : part->place);
}

/* Set where the findings of @result are in the header. */
static void set_lines(struct results *results, struct result *result,
		      const struct trace_header *header, const struct header_event *event)
{
	const char *print_fmt = strstr(result->text, "\nprint fmt: ");

	for (size_t i = 0; i < result->nr; i++) {
		struct finding *finding = &result->items[i];

		if (finding->line)
			continue;
		if (finding->place == NO_PLACE || !print_fmt)
			finding->line = event->line;
		else if (result->text + finding->place > print_fmt)
			finding->line = print_line(header, event, finding->field);
		else
			finding->line = field_line(header, event, finding->field);
	}
	for (size_t i = 0; i < result->nr; i++) {
		struct finding *finding = &result->items[i];

		if (!finding->excerpt)
			finding->excerpt = trace_header_excerpt(header, finding->line);
		results->failed |= !finding->excerpt;
	}
}

static struct error *tell_place(struct results *results, const struct trace_header *header,
				const struct header_event *event, const char *path)
{
	for (size_t i = 0; i < results->nr; i++) {
		struct result *result = results->items[i];
		struct error *err;

		if (result->source || strcmp(event->name, result->name) ||
		    strcmp(event->system, result->system))
			continue;
		result->source = strdup(path);
		if (!result->source)
			return &error_no_memory;
		result->line = event->line;
		/* A kept result has no format unless --format-dir has: nothing to compare with. */
		err = *result->text ? lint_source(results, result, header, event) : NULL;
		if (err)
			return err;
		set_lines(results, result, header, event);
		return NULL;
	}
	return NULL;
}

/* Search one header; @path is relative to the folder. */
static struct error *search_text(struct results *results, const char *text, const char *path)
{
	_cleanup_(trace_header) struct trace_header *header = NULL;
	struct error *err;

	if (!may_have_events(text))
		return NULL;
	err = trace_header_create(text, &header);
	for (size_t i = 0; !err && i < header->events.nr; i++)
		if (!header->events.items[i].is_class)
			err = tell_place(results, header, &header->events.items[i], path);
	return err;
}

static bool is_header(const FTSENT *entry)
{
	size_t len = entry->fts_namelen;

	return entry->fts_info == FTS_F && entry->fts_statp->st_size <= HEADER_BYTES && len > 2 &&
		!strcmp(entry->fts_name + len - 2, ".h");
}

static int compare_paths(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool found_any(const struct results *results)
{
	return array_any(results, it, (*it)->source);
}

struct error *source_places_find(const char *folder, struct results *results)
{
	char *roots[2] = { realpath(folder, NULL), NULL };
	struct error *fatal = NULL;
	FTSENT *entry;
	size_t len;
	FTS *tree;

	if (!roots[0])
		return error_errno(errno, "Cannot read %s", folder);
	results->source_root = roots[0];
	tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_paths);
	if (!tree)
		return error_errno(errno, "Cannot read %s", folder);
	len = strlen(roots[0]);
	while (!fatal && (entry = fts_read(tree))) {
		_cleanup_free_ char *text = NULL;
		struct error *err;

		if (!is_header(entry))
			continue;
		err = file_read_text(entry->fts_path, &text);
		if (!err)
			fatal = search_text(results, text, entry->fts_path + len + 1);
		/* A header that cannot be read is skipped. */
		error_free(err);
	}
	fts_close(tree);
	if (fatal)
		return fatal;
	if (found_any(results))
		return NULL;
	return error_hint(error_new(ENOENT, "The events are not defined below %s", folder),
			  "check searches that folder for headers with TRACE_EVENT() and "
			  "DEFINE_EVENT()");
}

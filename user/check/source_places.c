// SPDX-License-Identifier: GPL-2.0
#include "check/source_places.h"

#include <ctype.h>
#include <errno.h>
#include <sys/stat.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/file.h"

/* Larger headers are not searched. */
#define HEADER_BYTES (4 * 1024 * 1024)

/* A word of C source. */
struct word {
	const char *text;
	size_t len;
};

static bool is_word_of(const struct word *word, const char *text)
{
	return word->len == strlen(text) && !memcmp(word->text, text, word->len);
}

static bool begins_with(const struct word *word, const char *text)
{
	return word->len >= strlen(text) && !memcmp(word->text, text, strlen(text));
}

static const char *skip_white(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Take the identifier at *@at, and move *@at behind it; len 0: there is none. */
static struct word take_word(const char **at)
{
	struct word word = { *at, 0 };

	while (isalnum((unsigned char)word.text[word.len]) || word.text[word.len] == '_')
		word.len++;
	*at += word.len;
	return word;
}

static bool take_char(const char **at, char c)
{
	*at = skip_white(*at);
	if (**at != c)
		return false;
	*at = skip_white(*at + 1);
	return true;
}

/* Get the event that the line at @at defines; len 0: none. */
static struct word defined_at(const char *at)
{
	struct word macro = take_word(&at), name, none = { at, 0 };
	bool of_class = begins_with(&macro, "DEFINE_EVENT");

	if (!of_class && !begins_with(&macro, "TRACE_EVENT"))
		return none;
	if (is_word_of(&macro, "TRACE_EVENT_FLAGS") || is_word_of(&macro, "TRACE_EVENT_PERF_PERM"))
		return none;
	if (!take_char(&at, '('))
		return none;
	name = take_word(&at);
	if (!of_class)
		return name;
	return take_char(&at, ',') ? take_word(&at) : none;
}

/* If "#define TRACE_SYSTEM name" is at @at, set *@system. */
static void take_system(const char *at, struct word *system)
{
	struct word word;

	if (*at++ != '#')
		return;
	at = skip_white(at);
	word = take_word(&at);
	if (!is_word_of(&word, "define"))
		return;
	at = skip_white(at);
	word = take_word(&at);
	if (!is_word_of(&word, "TRACE_SYSTEM"))
		return;
	at = skip_white(at);
	*system = take_word(&at);
}

static void tell_place(struct results *results, const struct word *system, const struct word *name,
		       const char *path, size_t line)
{
	for (size_t i = 0; i < results->nr; i++) {
		struct result *result = results->items[i];

		if (result->source || !is_word_of(name, result->name) ||
		    !is_word_of(system, result->system))
			continue;
		result->source = strdup(path);
		result->line = line;
		results->failed |= !result->source;
		return;
	}
}

/* Search one header; @path is relative to the folder. */
static void search_text(struct results *results, const char *text, const char *path)
{
	struct word system = { text, 0 };
	size_t line = 1;

	for (const char *at = text; at; line++) {
		struct word name = defined_at(at);

		take_system(at, &system);
		if (name.len)
			tell_place(results, &system, &name, path, line);
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
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
	while ((entry = fts_read(tree))) {
		_cleanup_free_ char *text = NULL;
		struct error *err;

		if (!is_header(entry))
			continue;
		err = file_read_text(entry->fts_path, &text);
		if (!err)
			search_text(results, text, entry->fts_path + len + 1);
		/* A header that cannot be read is skipped. */
		error_free(err);
	}
	fts_close(tree);
	if (found_any(results))
		return NULL;
	return error_hint(error_new(ENOENT, "None of these events is defined below %s", folder),
			  "check searches that folder for headers with TRACE_EVENT() and "
			  "DEFINE_EVENT()");
}

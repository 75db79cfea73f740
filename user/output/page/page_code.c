// SPDX-License-Identifier: GPL-2.0
/*
 * The code of the functions with the most samples, for the page.
 */
#include "output/page/page.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/array.h"
#include "profile/annotation.h"
#include "symbol/dso.h"

/* Functions with a smaller share of all samples, and those behind these, are left out. */
#define CODE_SHARE	100
#define CODE_FUNCTIONS	20
#define CODE_LINES	4000

DEFINE_COMPARISON(compare_hot_functions, struct counted_function *,
		  array_descending((*x)->all.samples, (*y)->all.samples))

/* The functions that are shown, those with the most samples first; NULL: out of memory. */
static const struct counted_function **
find_hot_functions(const struct function_counts *counts, size_t *ret_nr)
{
	size_t nr = function_counts_nr(counts), shown = 0;
	const struct counted_function **hot = calloc(nr + 1, sizeof(*hot));
	uint64_t all = function_counts_unknown(counts);

	for (size_t i = 0; hot && i < nr; i++) {
		hot[i] = function_counts_at(counts, i);
		all += hot[i]->all.samples;
	}
	if (hot)
		qsort(hot, nr, sizeof(*hot), compare_hot_functions);
	while (hot && shown < nr && shown < CODE_FUNCTIONS &&
	       hot[shown]->all.samples >= (all + CODE_SHARE - 1) / CODE_SHARE)
		shown++;
	*ret_nr = shown;
	return hot;
}

static void add_code_line(struct json_writer *json, const struct annotation_line *line,
			  size_t nr_events)
{
	static const char *const kinds[] = {
		[ANNOTATION_INSTRUCTION] = "instruction", [ANNOTATION_SOURCE] = "source",
		[ANNOTATION_HEADING] = "heading",
	};

	json_begin_row(json, NULL);
	json_add_text(json, "kind", kinds[line->kind]);
	json_add_text(json, "text", line->text);
	if (line->kind == ANNOTATION_SOURCE)
		json_add_unsigned(json, "line", line->line);
	if (line->kind == ANNOTATION_INSTRUCTION) {
		json_add_unsigned(json, "address", line->address);
		json_begin_array(json, "samples");
		for (size_t i = 0; i < nr_events; i++)
			json_add_unsigned(json, NULL, line->counts[i].samples);
		json_end_array(json);
	}
	json_end_object(json);
}

/* A function whose code is not here is shown with the reason instead. */
static struct error *add_page_function(struct json_writer *json, struct machine *machine,
				       const struct counted_function *function,
				       const struct rendering_request *request,
				       const size_t *events, struct source_texts *texts)
{
	const struct annotation_options options = { .no_source = request->no_source };
	_cleanup_(annotation) struct annotation *annotation = NULL;
	struct error *err = annotation_create(machine, function, events, request->events->nr,
					      &options, texts, &annotation);

	if (err && err->code != ENOENT)
		return err;
	json_begin_object(json, NULL);
	json_add_text(json, "name", function->symbol->name);
	json_add_text(json, "binary", function->dso->short_name);
	json_add_unsigned(json, "samples", function->all.samples);
	json_add_text(json, "missing", err ? err->message : NULL);
	json_begin_array(json, "lines");
	for (size_t i = 0; annotation && i < annotation->lines.nr && i < CODE_LINES; i++)
		add_code_line(json, &annotation->lines.items[i], request->events->nr);
	json_end_array(json);
	json_end_object(json);
	error_free(err);
	return NULL;
}

struct error *page_code_add(struct json_writer *json, const struct page_code *code,
			    const struct rendering_request *request)
{
	_cleanup_(source_texts) struct source_texts *texts = NULL;
	_cleanup_free_ const struct counted_function **hot = NULL;
	_cleanup_free_ size_t *events = calloc(request->events->nr + 1, sizeof(*events));
	struct error *err = source_texts_create(NULL, 0, &texts);
	size_t nr = 0;

	if (!err)
		hot = find_hot_functions(code->counts, &nr);
	if (!err && (!hot || !events))
		err = &error_no_memory;
	for (size_t i = 0; !err && i < request->events->nr; i++)
		events[i] = i;
	json_begin_array(json, "code");
	for (size_t i = 0; !err && code->machine && i < nr; i++)
		err = add_page_function(json, code->machine, hot[i], request, events, texts);
	json_end_array(json);
	return err;
}

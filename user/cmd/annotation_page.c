// SPDX-License-Identifier: GPL-2.0
#include "cmd/annotation_page.h"

#include <errno.h>

#include "lib/color.h"
#include "profile/annotation.h"
#include "table/annotate/annotation_text.h"

struct error *annotation_page_add(struct machine *machine, const struct function_counts *functions,
				  struct source_texts **texts, const struct histogram *histogram,
				  const struct histogram_entry *entry, struct strbuf *ret)
{
	const size_t event = histogram->event->index;
	const struct sample_count total = function_counts_total(functions, event);
	const struct annotation_options options = { 0 };
	const struct annotation_text_options text = { .jumps = true };
	_cleanup_(annotation) struct annotation *annotation = NULL;
	const struct counted_function *function = NULL;
	enum color_mode mode = color_mode;
	struct error *err = NULL;

	if (entry->symbol)
		function = function_counts_find(functions, entry->dso, entry->symbol);
	if (!function)
		return error_new(ENOENT, "No sample is in %s itself", entry->symbol ?
				 entry->symbol->name : "a function that is known");
	if (!*texts)
		err = source_texts_create(NULL, 0, texts);
	if (!err)
		err = annotation_create(machine, function, &event, 1, &options, *texts,
					&annotation);
	if (err)
		return err;
	/* A page has no colours. */
	color_mode = COLOR_NEVER;
	annotation_text_add(annotation, histogram->event->name, &total, &text, ret);
	color_mode = mode;
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/keep_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/event_words.h"
#include "lib/array.h"
#include "spec/caret.h"

void keep_options_deinit(struct keep_options *options)
{
	for (size_t i = 0; i < options->pairs.nr; i++)
		pair_spec_deinit(&options->pairs.items[i]);
	free(options->pairs.items);
	*options = (struct keep_options){ .context = 0 };
}

static struct error *keep_options_check_spec(const struct pair_spec *spec)
{
	if (spec->values.nr)
		return error_hint(caret_error(spec->text, spec->values.items[0].pos, "--keep makes no "
					      "event that could have values"),
				  "Leave out 'fields ...'");
	if (!spec->longer)
		return error_hint(caret_error(spec->text, strlen(spec->text), "The limit is missing"),
				  "As in %s > 5ms", spec->text);
	return NULL;
}

struct error *keep_options_add(struct keep_options *options, const char *text)
{
	struct pair_spec spec;
	struct error *err = pair_spec_parse(text, &spec);

	if (!err)
		err = keep_options_check_spec(&spec);
	if (!err && !array_push(&options->pairs, spec))
		err = &error_no_memory;
	if (err)
		pair_spec_deinit(&spec);
	return err ? error_prefix(err, "--keep") : NULL;
}

static bool keep_options_mark(struct event_specs *specs, const char *word, size_t first)
{
	bool found = false;

	for (size_t i = first; i < specs->nr; i++) {
		struct event_spec *spec = &specs->items[i];

		if (spec->type != PERF_TYPE_TRACEPOINT || !spec->system ||
		    !pair_spec_names(word, spec->system, spec->name))
			continue;
		/* Each firing counts, with any -F and -c for recorded events. */
		spec->judged = true;
		spec->period = 1;
		spec->from_glob = false;
		found = true;
	}
	return found;
}

static struct error *keep_options_add_event(const struct pair_spec *pair, const char *word,
					    size_t pos, struct event_specs *specs)
{
	_cleanup_free_ char *glob = NULL;
	size_t first = specs->nr;
	struct error *err;

	if (keep_options_mark(specs, word, 0))
		return NULL;
	if (asprintf(&glob, "%s%s", strchr(word, ':') ? "" : "*:", word) < 0)
		return &error_no_memory;
	err = event_words_add_recorded(specs, glob);
	if (err && err->code == EINVAL) {
		error_free(err);
		return error_hint(caret_error(pair->text, pos, "There is no event '%s' in this kernel",
					      word), "'ktrace list' lists the events that exist");
	}
	if (!err && !keep_options_mark(specs, word, first))
		err = caret_error(pair->text, pos, "'%s' is no tracepoint", word);
	return err;
}

struct error *keep_options_add_events(const struct keep_options *options,
				      struct event_specs *specs)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < options->pairs.nr; i++) {
		const struct pair_spec *pair = &options->pairs.items[i];

		err = keep_options_add_event(pair, pair->start, pair->start_pos, specs);
		if (!err)
			err = keep_options_add_event(pair, pair->end, pair->end_pos, specs);
	}
	return err ? error_prefix(err, "--keep") : NULL;
}

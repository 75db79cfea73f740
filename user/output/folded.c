// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of functions joined by ';', outermost first and below the name of the thread, with the
 * number of samples with exactly these frames. flamegraph.pl and many viewers read them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "output/profile_rendering.h"

struct folded_line {
	const char *comm;
	uint32_t node;
	uint64_t samples;
};

DEFINE_COMPARISON(compare_folded, struct folded_line, strcmp(x->comm, y->comm) ?:
		  array_order(x->node, y->node))

/* Create the sorted lines of the profile; threads of the same name share lines. */
static struct folded_line *make_lines(const struct profile *profile)
{
	struct folded_line *lines = calloc(profile->cells.nr + 1, sizeof(*lines));
	size_t at = 0;

	for (size_t i = 0; lines && i < profile->lanes.nr; i++) {
		const struct profile_lane *lane = &profile->lanes.items[i];

		for (size_t k = 0; k < lane->cells; k++, at++)
			lines[at] = (struct folded_line){
				.comm = profile->tasks.items[lane->task].comm,
				.node = profile->cells.items[at].node,
				.samples = profile->cells.items[at].samples,
			};
	}
	if (lines)
		qsort(lines, at, sizeof(*lines), compare_folded);
	return lines;
}

static void add_folded_path(struct strbuf *text, const struct profile *profile,
			    const uint32_t *parents, uint32_t node)
{
	if (!node)
		return;
	add_folded_path(text, profile, parents, parents[node]);
	strbuf_addch(text, ';');
	profile_add_name(text, &profile->functions.items[profile->nodes.items[node].function],
			 ";");
}

static struct error *print_folded(const struct rendering_request *request,
				  const struct profile *profile)
{
	_cleanup_free_ struct folded_line *lines = make_lines(profile);
	_cleanup_free_ uint32_t *parents = profile_parents(profile);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t event;
	struct error *err = profile_only_event(profile, "folded", &event);

	if (err)
		return err;
	if (!lines || !parents)
		return &error_no_memory;
	for (size_t i = 0; i < profile->cells.nr; i++) {
		const struct profile_function comm = { .name = lines[i].comm };
		uint64_t samples = lines[i].samples;

		while (i + 1 < profile->cells.nr && !compare_folded(&lines[i], &lines[i + 1]))
			samples += lines[++i].samples;
		strbuf_reset(&text);
		profile_add_name(&text, &comm, ";");
		add_folded_path(&text, profile, parents, lines[i].node);
		strbuf_addf(&text, " %" PRIu64 "\n", samples);
		if (text.failed)
			return &error_no_memory;
		fwrite(strbuf_str(&text), 1, text.len, request->out);
	}
	return NULL;
}

struct error *output_folded_open(const struct rendering_request *request, struct rendering **ret)
{
	const struct profile_options options = { .limits = { .nodes = SIZE_MAX, .stretches = 1 } };

	return profile_rendering_open(request, &options, print_folded, ret);
}

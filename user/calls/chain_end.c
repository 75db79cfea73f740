// SPDX-License-Identifier: GPL-2.0
#include "calls/chain_end.h"

#include <string.h>

/* From this percentage on, chains that are cut off are reported. */
#define MANY	20

/* The dynamic linker has no caller: its chains are whole. */
static bool is_linker(const struct dso *dso)
{
	return !strncmp(dso->short_name, "ld-", 3) || !strncmp(dso->short_name, "ld.", 3);
}

static bool is_library(const struct dso *dso)
{
	return dso->kind == DSO_FILE && strstr(dso->short_name, ".so") && !is_linker(dso);
}

/* A single user frame is a whole chain if the kernel starts programs there. */
static bool begins_program(const struct call_place *place)
{
	return place->dso->kind != DSO_FILE || is_linker(place->dso) ||
	       (place->symbol && !strcmp(place->symbol->name, "_start"));
}

void chain_end_add_place(struct chain_ends *ends, struct chain_end *end,
			 const struct call_place *place)
{
	/* An inlined function is no frame of its own. */
	if (place->mode != PERF_RECORD_MISC_USER || !place->dso ||
	    (place->symbol && place->symbol->inlined))
		return;
	if (place->dso != ends->last) {
		ends->last = place->dso;
		ends->last_is_library = is_library(place->dso);
	}
	if (!ends->last_is_library)
		end->whole |= end->only || begins_program(place);
	else
		end->whole |= end->only && place->dso != end->only;
	end->only = place->dso;
}

/* Find or add the library that cuts a chain off. */
static uint32_t number_of_cut(struct chain_ends *ends, const struct dso *dso)
{
	size_t i = 0;

	while (i < ends->nr && ends->cut[i].dso != dso)
		i++;
	if (i == CHAIN_ENDS_MAX)
		return CHAIN_END_WHOLE;
	if (i == ends->nr)
		ends->cut[ends->nr++].dso = dso;
	return CHAIN_END_CUT + i;
}

uint32_t chain_ends_number(struct chain_ends *ends, const struct event *event,
			   const struct chain_end *end)
{
	/* Chains from copied stacks need no frame pointers. */
	if (event->attr.sample_type & PERF_SAMPLE_STACK_USER || !end->only)
		return CHAIN_END_NONE;
	return end->whole ? CHAIN_END_WHOLE : number_of_cut(ends, end->only);
}

void chain_ends_add(struct chain_ends *ends, uint32_t number, uint64_t period)
{
	if (number == CHAIN_END_NONE)
		return;
	ends->all += period;
	if (number >= CHAIN_END_CUT)
		ends->cut[number - CHAIN_END_CUT].period += period;
}

void chain_ends_forget_periods(struct chain_ends *ends)
{
	ends->all = 0;
	for (size_t i = 0; i < ends->nr; i++)
		ends->cut[i].period = 0;
}

static const struct dso *chain_ends_find(const struct chain_ends *ends, double *ret_percent)
{
	const struct dso *most = NULL;
	uint64_t period = 0;

	for (size_t i = 0; i < ends->nr; i++)
		if (ends->cut[i].period > period) {
			most = ends->cut[i].dso;
			period = ends->cut[i].period;
		}
	*ret_percent = ends->all ? 100.0 * period / ends->all : 0;
	return *ret_percent >= MANY ? most : NULL;
}

void chain_ends_add_words(const struct chain_ends *ends, struct strbuf *out)
{
	double percent;
	const struct dso *dso = chain_ends_find(ends, &percent);

	if (dso)
		strbuf_addf(out, "%.0f %% of the call chains end in %s, which seems to be built "
			    "without frame pointers, so their callers are missing: record with "
			    "--call-graph dwarf.", percent, dso->short_name);
}

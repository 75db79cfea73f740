// SPDX-License-Identifier: GPL-2.0
#include "calls/chain_end.h"

#include <string.h>

/* Chains that are cut off are worth a word if they are as many, in percent. */
#define MANY	20

/* The dynamic linker has no caller: its chains are whole. */
static bool is_library(const struct dso *dso)
{
	return dso->kind == DSO_FILE && strstr(dso->short_name, ".so") &&
	       strncmp(dso->short_name, "ld-", 3) && strncmp(dso->short_name, "ld.", 3);
}

void chain_end_add_place(struct chain_ends *ends, struct chain_end *end,
			 const struct call_place *place)
{
	if (place->mode != PERF_RECORD_MISC_USER || !place->dso)
		return;
	if (place->dso != ends->last) {
		ends->last = place->dso;
		ends->last_is_library = is_library(place->dso);
	}
	end->whole |= (end->only && place->dso != end->only) || !ends->last_is_library;
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
	/* Chains that are unwound from copied stacks need no frame pointers. */
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

const struct dso *chain_ends_find(const struct chain_ends *ends, double *ret_percent)
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

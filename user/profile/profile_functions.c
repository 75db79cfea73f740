// SPDX-License-Identifier: GPL-2.0
#include "profile/profiler.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "profile/own_code.h"
#include "symbol/dso.h"

/* No function yet. */
#define NOWHERE	UINT32_MAX

static enum profile_kind kind_of_place(const struct call_place *place)
{
	if (!place->symbol)
		return PROFILE_UNKNOWN;
	if (place->symbol->inlined)
		return PROFILE_INLINED;
	return place->mode == PERF_RECORD_MISC_KERNEL ? PROFILE_KERNEL : PROFILE_USER;
}

static const char *make_unknown_name(struct profiler *profiler, const char *binary)
{
	char *text;

	if (*binary == '[')
		return binary;
	if (asprintf(&text, "[%s]", binary) < 0)
		return NULL;
	if (array_push(&profiler->texts, text))
		return text;
	free(text);
	return NULL;
}

/* Find or add the function of a place; false: out of memory. */
static bool find_profile_function(struct profiler *profiler, struct hash_table *table,
				  const struct call_place *place, uint32_t *ret)
{
	struct profile *profile = &profiler->profile;
	struct profile_function function = {
		.name = place->symbol ? place->symbol->name : "",
		.binary = place->dso ? place->dso->short_name : "[unknown]",
		.kind = kind_of_place(place), .own = own_code_has(place),
	};
	uint64_t hash = hash_key_join(hash_key_text(function.name),
				      hash_text(function.binary) + function.kind);

	if (!place->symbol)
		function.name = make_unknown_name(profiler, function.binary);
	if (!function.name)
		return false;
	hash_table_each(table, hash, n) {
		const struct profile_function *known;

		*ret = n;
		known = &profile->functions.items[*ret];
		if (known->kind == function.kind && !strcmp(known->name, function.name) &&
		    !strcmp(known->binary, function.binary))
			return true;
	}
	*ret = profile->functions.nr;
	return hash_table_add(table, hash, *ret) && array_push(&profile->functions, function);
}

struct error *profiler_find_functions(struct profiler *profiler, uint32_t **ret)
{
	size_t nr = call_tree_nodes(profiler->tree);
	uint32_t *functions = malloc((nr + 1) * sizeof(*functions));
	ARRAY_OF(uint32_t) known = { 0 };
	struct hash_table table = { 0 };
	bool good = functions;

	for (size_t node = 1; node < nr && good; node++) {
		uint32_t place = call_tree_node_place(profiler->tree, node);

		functions[node] = NOWHERE;
		if (call_tree_is_root(profiler->tree, node))
			continue;
		while (known.nr <= place && good)
			good = array_push(&known, NOWHERE);
		if (good && known.items[place] == NOWHERE)
			good = find_profile_function(profiler, &table,
						     call_tree_place(profiler->tree, place),
						     &known.items[place]);
		if (good)
			functions[node] = known.items[place];
	}
	hash_table_deinit(&table);
	free(known.items);
	*ret = functions;
	return good ? NULL : &error_no_memory;
}

// SPDX-License-Identifier: GPL-2.0
#include "table/lock/lock_contention.h"

#include <stdlib.h>
#include <string.h>

#include "table/lock/lock_types.h"
#include "terminal/options.h"
#include "terminal/word_list.h"

/* The next part of a list, of @len bytes; false: there are no more.  Begin with *@at == @list. */
static bool lock_filter_next(const char **at, const char **ret, size_t *ret_len)
{
	while (**at == ',')
		(*at)++;
	*ret = *at;
	*ret_len = strcspn(*at, ",");
	*at += *ret_len;
	return *ret_len;
}

struct error *lock_filter_check(const struct lock_filter *filter)
{
	return filter->types ? word_list_each(filter->types, ",", lock_type_check, NULL) :
			       NULL;
}

static bool lock_filter_has_lock(const char *list, const struct session_record *r,
				 uint64_t address)
{
	struct place place = { 0 };
	const char *word;
	size_t len;

	if (r->machine)
		machine_find_data(r->machine, NULL, PERF_RECORD_MISC_KERNEL, address, &place);
	if (place.symbol && word_in_list(list, place.symbol->name))
		return true;
	while (lock_filter_next(&list, &word, &len)) {
		char *end;
		uint64_t value = strtoull(word, &end, 16);

		if (end == word + len && value == address)
			return true;
	}
	return false;
}

static bool lock_filter_has_part(const char *list, const char *name)
{
	const char *word;
	size_t len;

	while (lock_filter_next(&list, &word, &len))
		if (memmem(name, strlen(name), word, len))
			return true;
	return false;
}

static bool lock_filter_has_function(const char *list, const struct session_record *r,
				     const struct callchain *chain)
{
	for (size_t i = 0; r->machine && i < chain->nr; i++) {
		struct place place;

		if (chain->items[i].mode != PERF_RECORD_MISC_KERNEL)
			continue;
		machine_find(r->machine, r->maps, chain->items[i].mode, chain->items[i].ip,
			     &place);
		if (place.symbol && lock_filter_has_part(list, place.symbol->name))
			return true;
	}
	return false;
}

bool lock_filter_wants(const struct lock_filter *filter, const struct session_record *r,
		       uint64_t address, uint32_t flags, const struct callchain *chain)
{
	return (!filter->types || word_in_list(filter->types, lock_type(flags, false)) ||
		word_in_list(filter->types, lock_type(flags, true))) &&
	       (!filter->locks || lock_filter_has_lock(filter->locks, r, address)) &&
	       (!filter->functions || lock_filter_has_function(filter->functions, r, chain));
}

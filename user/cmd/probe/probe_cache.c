// SPDX-License-Identifier: GPL-2.0
#include "cmd/probe/probe_cache.h"

#include <errno.h>
#include <stdio.h>

#include "lib/cleanup.h"
#include "lib/log.h"
#include "probe/cache.h"
#include "symbol/binary_cache.h"
#include "terminal/pager.h"

static bool is_listed(const struct kept_probe *probe, const char *const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (kept_probe_is_named(probe, texts[i]))
			return true;
	return !nr;
}

struct error *probe_cache_list(const char *const *texts, size_t nr)
{
	_cleanup_(cached_binaries) struct cached_binaries all = { 0 };
	struct error *err = binary_cache_list(&all);

	if (err)
		return err;
	pager_start();
	for (size_t i = 0; i < all.nr; i++) {
		_cleanup_(probe_cache) struct probe_cache cache = { 0 };
		char id[BUILD_ID_TEXT];
		bool told = false;

		err = probe_cache_read(all.items[i].name, &all.items[i].id, &cache);
		if (err)
			return err;
		build_id_text(&cache.id, id);
		for (size_t n = 0; n < cache.probes.nr; n++) {
			if (!is_listed(&cache.probes.items[n], texts, nr))
				continue;
			if (!told)
				printf("%s (%s):\n", cache.name, id);
			told = true;
			printf("%s\n", cache.probes.items[n].definition);
		}
	}
	return NULL;
}

/* Delete the definitions that @text names in one cache; *found: there were some. */
static struct error *delete_in(struct probe_cache *cache, const char *text, bool dry_run,
			       bool *found)
{
	bool changed = false;

	for (size_t i = cache->probes.nr; i-- > 0;) {
		if (!kept_probe_is_named(&cache->probes.items[i], text))
			continue;
		if (!log_quiet)
			fprintf(stderr, "%s cached event: %s\n", dry_run ? "Would remove" : "Removed",
				cache->probes.items[i].definition);
		*found = true;
		if (dry_run)
			continue;
		probe_cache_remove(cache, i);
		changed = true;
	}
	return changed ? probe_cache_write(cache) : NULL;
}

static struct error *delete_anywhere(const char *text, bool dry_run, bool *found)
{
	_cleanup_(cached_binaries) struct cached_binaries all = { 0 };
	struct error *err = binary_cache_list(&all);

	for (size_t i = 0; !err && i < all.nr; i++) {
		_cleanup_(probe_cache) struct probe_cache cache = { 0 };

		err = probe_cache_read(all.items[i].name, &all.items[i].id, &cache);
		if (!err)
			err = delete_in(&cache, text, dry_run, found);
	}
	return err;
}

static struct error *delete_of(const struct probe_binary_options *options, const char *text,
			       bool dry_run, bool *found)
{
	_cleanup_(probe_binary) struct probe_binary binary = { 0 };
	_cleanup_(probe_cache) struct probe_cache cache = { 0 };
	struct error *err = probe_binary_open(options, &binary);

	if (!err)
		err = probe_cache_open(&binary, &cache);
	return err ? err : delete_in(&cache, text, dry_run, found);
}

struct error *probe_cache_delete(const struct probe_binary_options *options, const char *text,
				 bool dry_run)
{
	bool named = options->program || options->module || options->vmlinux, found = false;
	struct error *err;

	err = named ? delete_of(options, text, dry_run, &found) :
		      delete_anywhere(text, dry_run, &found);
	if (err || found)
		return err;
	return error_hint(error_new(ENOENT, "The cache has no probe named '%s'", text),
			  "'ktrace probe -l --cache' lists them");
}

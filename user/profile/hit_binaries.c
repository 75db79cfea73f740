// SPDX-License-Identifier: GPL-2.0
#include "profile/hit_binaries.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "record/header.h"
#include "symbol/binary_cache.h"
#include "symbol/elf/elf_file.h"
#include "symbol/vdso.h"

static uint64_t hash_binary(const struct dso *dso)
{
	return hash_key_bytes(&dso, sizeof(dso));
}

static bool hit_binaries_have(const struct hit_binaries *hits, const struct dso *dso)
{
	hash_table_each(&hits->table, hash_binary(dso), n)
		if (hits->items[n] == dso)
			return true;
	return false;
}

static struct error *add_hit(struct hit_binaries *hits, const struct session_record *r,
			     uint8_t mode, uint64_t ip)
{
	const struct maps *maps = machine_maps(r->machine, r->maps, mode);
	const struct map *map = maps ? maps_find(maps, ip) : NULL;

	if (!map || hit_binaries_have(hits, map->dso))
		return NULL;
	if (!array_push(hits, map->dso) ||
	    !hash_table_add(&hits->table, hash_binary(map->dso), hits->nr - 1))
		return &error_no_memory;
	return NULL;
}

static struct error *hit_binaries_sample(struct session_consumer *consumer,
					 const struct session_record *r)
{
	struct hit_binaries *hits = container_of(consumer, struct hit_binaries, consumer);
	struct error *err = NULL;

	if (!r->event)
		return NULL;
	if (r->event->attr.sample_type & PERF_SAMPLE_IP)
		err = add_hit(hits, r, r->record.header->misc & PERF_RECORD_MISC_CPUMODE_MASK,
			      r->sample.ip);
	if (!err)
		err = callchain_read(&hits->chain, r, CALLCHAIN_DEPTH);
	for (size_t i = 0; i < hits->chain.nr && !err; i++)
		err = add_hit(hits, r, hits->chain.items[i].mode, hits->chain.items[i].ip);
	return err;
}

void hit_binaries_init(struct hit_binaries *hits)
{
	*hits = (struct hit_binaries){ .consumer.sample = hit_binaries_sample };
}

void hit_binaries_deinit(struct hit_binaries *hits)
{
	free(hits->items);
	hash_table_deinit(&hits->table);
	callchain_deinit(&hits->chain);
	hit_binaries_init(hits);
}

const struct build_id *hit_binary_id(const struct dso *dso, const struct header *header)
{
	if (dso->kind == DSO_KERNEL && !dso->id.size)
		return header->kernel.size ? &header->kernel : NULL;
	return dso->id.size && !dso->assumed ? &dso->id : NULL;
}

static bool find_module_here(const struct dso *dso, struct build_id *ret)
{
	_cleanup_free_ char *name = strdup(dso->name);
	size_t len = name ? strlen(name) : 0;

	if (len < 3 || *name != '[' || name[len - 1] != ']')
		return false;
	name[len - 1] = '\0';
	return build_id_of_module(name + 1, ret);
}

bool hit_binary_find_id(const struct dso *dso, const struct header *header, bool is_local,
			struct build_id *ret)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	const struct build_id *told = hit_binary_id(dso, header);
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	int32_t pid;

	if (told) {
		*ret = *told;
		return true;
	}
	switch (dso->kind) {
	case DSO_FILE:
		if (!dso->path)
			return false;
		if (elf_file_open(&file, dso->path) && dso_owns(dso, &file, SYMBOL_FILE_ITSELF))
			return elf_file_build_id(&file, ret);
		elf_file_close(&file);
		return dso_find_live(dso, &path, &pid) && elf_file_open(&file, path.data) &&
		       elf_file_build_id(&file, ret);
	case DSO_KERNEL:
		return is_local && build_id_of_kernel(ret);
	case DSO_MODULE:
		return is_local && find_module_here(dso, ret);
	case DSO_VDSO:
		return is_local && vdso_build_id(ret);
	default:
		return false;
	}
}

const char *hit_binary_name(const struct dso *dso)
{
	if (dso->kind == DSO_KERNEL)
		return BINARY_CACHE_KERNEL;
	return dso->path ? dso->path : dso->name;
}

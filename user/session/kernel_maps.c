// SPDX-License-Identifier: GPL-2.0
#include "session/kernel_maps.h"

#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "record/body.h"

static const char kernel_name[] = "[kernel.kallsyms]";

struct error *kernel_maps_init(struct kernel_maps *kernel, struct dsos *dsos,
			       const struct symbol_options *options)
{
	const char *name = dsos->header->kernel_name;
	struct error *err;

	*kernel = (struct kernel_maps){ .dsos = dsos, .options = options };
	err = maps_create(&kernel->maps);
	return err ? err : dso_create(DSO_KERNEL, name ? name : kernel_name, NULL, &kernel->dso);
}

void kernel_maps_deinit(struct kernel_maps *kernel)
{
	dso_destroy(kernel->dso);
	maps_put(kernel->maps);
	kernel_deinit(&kernel->source);
	kernel_deinit(&kernel->fetched);
	free(kernel->landmark);
	hash_table_deinit(&kernel->names);
	*kernel = (struct kernel_maps){ .dsos = NULL };
}

static struct error *apply_kernel(struct kernel_maps *kernel, const struct map *range,
				  const char *landmark, const struct build_id *id)
{
	struct map map = *range;

	if (id)
		kernel->dso->id = *id;
	map.dso = kernel->dso;
	map.identity = true;
	/* The kernel hid its addresses. */
	if (!map.start && !map.end)
		map.end = UINT64_MAX;
	if (range->offset) {
		free(kernel->landmark);
		kernel->landmark = strdup(landmark);
		kernel->landmark_address = range->offset;
		if (!kernel->landmark)
			return &error_no_memory;
	}
	return maps_add(kernel->maps, &map);
}

/* The header has the file names of modules with samples, and perf shows these. */
static const char *find_header_name(const struct kernel_maps *kernel, const char *short_name)
{
	const struct header *header = kernel->dsos->header;
	const struct hash_table *names = &kernel->names;

	hash_table_each(names, hash_key_text(short_name), n) {
		const struct header_build_id *known = &header->build_ids.items[n];
		_cleanup_free_ char *module = dso_module_name(known->name);

		if (known->of_kernel && module && !strcmp(module, short_name))
			return known->name;
	}
	return NULL;
}

/* Index the new modules of the header by their short names. */
static struct error *index_header_names(struct kernel_maps *kernel)
{
	const struct header *header = kernel->dsos->header;

	for (; kernel->names_seen < header->build_ids.nr; kernel->names_seen++) {
		const char *name = header->build_ids.items[kernel->names_seen].name;
		_cleanup_free_ char *module = dso_module_name(name);

		if (!module)
			return &error_no_memory;
		/* If names are equal, the first counts. */
		if (!find_header_name(kernel, module) &&
		    !hash_table_add(&kernel->names, hash_key_text(module), kernel->names_seen))
			return &error_no_memory;
	}
	return NULL;
}

static struct error *apply_module(struct kernel_maps *kernel, const struct map *range,
				  const char *path, const struct build_id *id)
{
	_cleanup_free_ char *name = dso_module_name(path);
	struct dso_key key = { .id = id };
	struct map map = *range;
	struct error *err;

	if (!name)
		return &error_no_memory;
	err = index_header_names(kernel);
	if (err)
		return err;
	key.name = find_header_name(kernel, name);
	if (!key.name)
		key.name = name;
	err = dsos_find(kernel->dsos, DSO_MODULE, &key, *path == '/' ? path : NULL, &map.dso);
	if (err)
		return err;
	map.offset = 0;
	return maps_add(kernel->maps, &map);
}

struct error *kernel_maps_apply(struct kernel_maps *kernel, const struct map *range,
				const char *name, const struct build_id *id)
{
	size_t len = sizeof(kernel_name) - 2;	/* perf ignores the bracket */

	/* Maps from /proc/kcore are not replaced. */
	if (kernel->loaded && kernel->source.origin == KERNEL_KALLSYMS &&
	    kernel->source.ranges.nr)
		return NULL;
	if (!strncmp(name, kernel_name, len))
		return apply_kernel(kernel, range, strlen(name) > len ? name + len + 1 : "", id);
	if (*name == '/' || *name == '[')
		return apply_module(kernel, range, name, id);
	return NULL;
}

struct error *kernel_maps_apply_symbol(struct kernel_maps *kernel,
				       const struct perf_event_header *header)
{
	const struct body_ksymbol *told = body_of(header, struct body_ksymbol);
	struct symbol symbol = { .start = 0 };
	struct map map = { .start = 0 };
	struct dso_key key = { .id = NULL };
	_cleanup_free_ char *name = NULL;
	struct error *err;

	if (!told || !body_left(header, told->name) ||
	    told->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER ||
	    maps_find(kernel->maps, told->addr))
		return NULL;
	name = strndup(told->name, body_left(header, told->name));
	if (!name)
		return &error_no_memory;
	/* A name can be reused at another address, so the address is part of the key. */
	key.name = name;
	key.numbers.inode = told->addr;
	err = dsos_find(kernel->dsos, DSO_BPF, &key, NULL, &map.dso);
	if (err)
		return err;
	map.start = told->addr;
	map.end = told->addr + told->len;
	if (!map.dso->own.nr) {
		symbol.end = told->len;
		symbol.name = symbols_copy(&map.dso->own, name, strlen(name));
		err = symbol.name ? symbols_add(&map.dso->own, &symbol) : &error_no_memory;
		if (!err)
			err = symbols_sort(&map.dso->own);
	}
	return err ? err : maps_add(kernel->maps, &map);
}

static bool is_no_bpf(const struct map *map)
{
	return map->dso->kind != DSO_BPF;
}

/*
 * Find the binary of one section of vmlinux, like "[kernel.kallsyms].init.text"; .text is the
 * kernel itself.
 */
static struct error *find_section(struct kernel_maps *kernel, const char *part, struct dso **ret)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct dso_key key = { .id = NULL };
	struct error *err;

	*ret = kernel->dso;
	if (!part)
		return NULL;
	strbuf_addf(&name, "%s%s", kernel->dso->short_name, part);
	key.name = strbuf_str(&name);
	err = name.failed ? &error_no_memory :
			    dsos_find(kernel->dsos, DSO_KERNEL, &key, NULL, ret);
	if (err || (*ret)->shared)
		return err;
	(*ret)->shared = &kernel->source.symbols;
	(*ret)->of_vmlinux = kernel->source.origin == KERNEL_VMLINUX;
	(*ret)->of_recording = kernel->source.of_recording;
	(*ret)->part = strdup(part);
	return (*ret)->part ? NULL : &error_no_memory;
}

/* Replace the maps by those of /proc/kcore or vmlinux. */
static struct error *map_ranges(struct kernel_maps *kernel)
{
	const struct kernel *source = &kernel->source;
	bool kcore = source->origin == KERNEL_KALLSYMS;
	struct error *err = NULL;

	if (kcore)
		err = maps_filter(kernel->maps, is_no_bpf);
	for (size_t i = 0; i < source->ranges.nr && !err; i++) {
		const struct kernel_range *range = &source->ranges.items[i];
		struct map map = { .start = range->start, .end = range->end,
				   .offset = range->offset };

		err = find_section(kernel, range->part, &map.dso);
		if (!err)
			err = kcore ? maps_fill(kernel->maps, &map) :
				      maps_add(kernel->maps, &map);
	}
	kernel->dso->all_parts = kcore;
	return err;
}

static bool is_kernel_map(const struct map *map)
{
	return map->dso->kind == DSO_KERNEL;
}

/* Find the range of the kernel's own symbols, unless it is in the recording. */
static void measure_symbols(struct kernel *source)
{
	const struct symbols *symbols = &source->symbols;

	if (source->last)
		return;
	for (size_t i = 0; i < symbols->nr; i++) {
		const struct symbol *s = &symbols->items[i];

		if (s->part)
			continue;
		if (!source->last)
			source->first = s->start;
		source->last = s->end;
	}
}

/* Extend the kernel's own map over all its symbols, also those outside of the text. */
static struct error *map_symbols(struct kernel_maps *kernel)
{
	struct map map = { .identity = true, .dso = kernel->dso };
	struct error *err;

	measure_symbols(&kernel->source);
	map.start = kernel->source.first;
	map.end = kernel->source.last;
	err = maps_filter(kernel->maps, is_kernel_map);
	return err ? err : maps_fill(kernel->maps, &map);
}

static bool is_module(const struct map *map)
{
	return map->dso->kind == DSO_MODULE;
}

/* Give each module its symbols of kallsyms, until its own file is read. */
static struct error *share_symbols(struct kernel_maps *kernel)
{
	kernel->dso->shared = &kernel->source.symbols;
	kernel->dso->of_vmlinux = kernel->source.origin == KERNEL_VMLINUX;
	kernel->dso->of_recording = kernel->source.of_recording;
	for (size_t i = 0; i < kernel->dsos->nr; i++) {
		struct dso *dso = kernel->dsos->items[i].dso;
		size_t len = strlen(dso->short_name);

		if (dso->kind != DSO_MODULE || dso->shared || len < 2 || *dso->short_name != '[')
			continue;
		dso->part = strndup(dso->short_name + 1, len - 2);
		if (!dso->part)
			return &error_no_memory;
		dso->shared = &kernel->source.symbols;
		dso->of_recording = kernel->source.of_recording;
	}
	return NULL;
}

static struct kernel_identity recorded_kernel(struct kernel_maps *kernel)
{
	struct kernel_identity identity = {
		.header = kernel->dsos->header,
		.landmark = kernel->landmark,
		.address = kernel->landmark_address,
	};

	if (!kernel->dso->id.size)
		kernel->dso->id = identity.header->kernel;
	identity.id = kernel->dso->id;
	return identity;
}

static struct error *load_kernel(struct kernel_maps *kernel)
{
	struct kernel_identity identity = recorded_kernel(kernel);
	_cleanup_free_ struct kernel_module *modules = NULL;
	const struct map *map = maps_next(kernel->maps, 0);
	struct error *err;

	modules = calloc(maps_count(kernel->maps) + 1, sizeof(*modules));
	if (!modules)
		return &error_no_memory;
	for (; map; map = maps_next(kernel->maps, map->end))
		if (is_module(map))
			modules[identity.nr_modules++] =
				(struct kernel_module){ map->dso->short_name, map->start };
	identity.modules = modules;
	err = kernel_load(&kernel->source, kernel->options, &identity);
	if (err || !kernel->source.origin)
		return err;
	err = share_symbols(kernel);
	if (err)
		return err;
	return kernel->source.ranges.nr ? map_ranges(kernel) : map_symbols(kernel);
}

/* Printed at once, because a user who reads only the first lines of the output misses its end. */
static void tell_missing(const struct kernel_maps *kernel)
{
	const char *release = kernel->dsos->header->os_release;

	log_notice("Kernel addresses have no names: the symbols of the recorded kernel (%s) are "
		   "not here. Give a copy of its /proc/kallsyms with --kallsyms FILE, or its "
		   "vmlinux with -k FILE.", release ? release : "its release is unknown");
}

void kernel_maps_load(struct kernel_maps *kernel)
{
	struct error *err;

	if (kernel->loaded)
		return;
	kernel->loaded = true;
	err = load_kernel(kernel);
	if (!err && !kernel->source.origin)
		tell_missing(kernel);
	if (err)
		log_warning("Kernel addresses have no names: %s.%s%s%s", err->message,
			    err->hint ? " " : "", err->hint ? err->hint : "",
			    err->hint ? "." : "");
	error_free(err);
}

const struct kernel *kernel_maps_fetch(struct kernel_maps *kernel)
{
	struct kernel_identity identity = recorded_kernel(kernel);

	if (!kernel->fetched.tried)
		error_free(kernel_fetch(&kernel->fetched, kernel->options, &identity));
	return &kernel->fetched;
}

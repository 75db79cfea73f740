// SPDX-License-Identifier: GPL-2.0
#include "probe/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/new_file.h"
#include "lib/strbuf.h"
#include "symbol/binary_cache.h"
#include "symbol/elf/elf_file.h"

static void kept_probe_deinit(struct kept_probe *probe)
{
	probe_events_deinit(&probe->events);
	free(probe->definition);
}

void probe_cache_close(struct probe_cache *cache)
{
	for (size_t i = 0; i < cache->probes.nr; i++)
		kept_probe_deinit(&cache->probes.items[i]);
	free(cache->probes.items);
	free(cache->name);
	*cache = (struct probe_cache){ 0 };
}

/* The path of its file. */
static struct error *cache_path(const struct probe_cache *cache, struct strbuf *ret)
{
	binary_cache_add_folder(ret);
	strbuf_addch(ret, '/');
	if (!binary_cache_add_path(cache->name, &cache->id, ret))
		return error_new(EINVAL, "'%s' cannot be the name of a binary in the cache",
				 cache->name);
	strbuf_addstr(ret, "/probes");
	return ret->failed ? &error_no_memory : NULL;
}

static struct error *cache_add_event(struct probe_events *events, struct probe_event *event)
{
	if (array_push(events, *event))
		return NULL;
	probe_event_deinit(event);
	return &error_no_memory;
}

static struct error *cache_parse_line(struct probe_cache *cache, const char *line)
{
	struct kept_probe probe = { .is_marker = *line == '%' };
	struct probe_event event;

	if (*line != '#' && *line != '%') {
		if (!cache->probes.nr || !probe_event_parse(line, &event))
			return NULL;
		return cache_add_event(&cache->probes.items[cache->probes.nr - 1].events, &event);
	}
	probe.definition = strdup(line + 1);
	if (probe.definition && array_push(&cache->probes, probe))
		return NULL;
	kept_probe_deinit(&probe);
	return &error_no_memory;
}

struct error *probe_cache_read(const char *name, const struct build_id *id,
			       struct probe_cache *ret)
{
	_cleanup_(probe_cache) struct probe_cache cache = { .name = strdup(name), .id = *id };
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	struct error *err;
	size_t len;

	if (!cache.name)
		return &error_no_memory;
	err = cache_path(&cache, &path);
	if (!err && !access(path.data, F_OK))
		err = file_read_regular(path.data, &text, &len);
	for (char *line = text, *next; !err && line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		err = cache_parse_line(&cache, line);
	}
	if (err)
		return err;
	*ret = cache;
	cache = (struct probe_cache){ 0 };
	return NULL;
}

/* The cache knows a build id by one name: copies of a file share its saved definitions. */
static struct error *check_cached_name(const char *name, const struct build_id *id)
{
	_cleanup_(cached_binaries) struct cached_binaries all = { 0 };
	struct error *err = binary_cache_list(&all);

	for (size_t i = 0; !err && i < all.nr; i++) {
		const char *other = all.items[i].name;

		if (!build_id_equal(&all.items[i].id, id) || !strcmp(other, name))
			continue;
		err = error_new(EEXIST, "Probes of %s cannot be kept, as the cache has the same file as %s",
				name, other);
		err = error_hint(err, "Name that one, or remove it from the cache: ktrace buildid-cache "
				 "--purge %s", other);
	}
	return err;
}

struct error *probe_cache_open(const struct probe_binary *binary, struct probe_cache *ret)
{
	const char *name = binary->path;
	struct build_id id = { 0 };
	const unsigned char *bytes;
	struct error *err;
	GElf_Addr address;
	int size = 0;

	if (binary->kind == PROBE_KERNEL && !binary->offline) {
		name = BINARY_CACHE_KERNEL;
		build_id_of_kernel(&id);
	} else if (binary->file) {
		size = dwfl_module_build_id(binary->file, &bytes, &address);
		if (size > 0 && size <= BUILD_ID_BYTES) {
			memcpy(id.bytes, bytes, size);
			id.size = size;
		}
	}
	if (!name || !id.size)
		return error_hint(error_new(ENOENT, "Probes of %s cannot be kept, as it has no build id "
					    "or no file", probe_binary_title(binary)),
				  "Leave out --cache, or link the program with -Wl,--build-id");
	err = check_cached_name(name, &id);
	return err ? err : probe_cache_read(name, &id, ret);
}

bool kept_probe_is_named(const struct kept_probe *probe, const char *text)
{
	const char *definition = probe->definition, *equals = strchr(definition, '=');
	const char *space = strchr(definition, ' '), *colon = strchr(definition, ':');

	for (size_t i = 0; i < probe->events.nr; i++) {
		const struct probe_event *event = &probe->events.items[i];

		if (probe_name_matches(event->group, event->name, text))
			return true;
	}
	if (!probe->events.nr)
		return probe_name_matches("", definition, text);
	/* The event of a return is called "walk__return"; the definition has "walk=". */
	if (equals && (!space || equals < space)) {
		const char *start = colon && colon < equals ? colon + 1 : definition;
		_cleanup_free_ char *name = strndup(start, equals - start);

		return name && probe_name_matches(probe->events.items[0].group, name, text);
	}
	return false;
}

static struct error *cache_copy_event(const struct probe_event *event, struct probe_events *ret)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct probe_event copy;

	probe_event_add_text(event, &text);
	if (text.failed || !probe_event_parse(text.data, &copy))
		return &error_no_memory;
	return cache_add_event(ret, &copy);
}

struct error *probe_cache_take(const struct probe_cache *cache, const char *text,
			       struct probe_events *ret)
{
	struct error *err = NULL;

	for (size_t i = 0; i < cache->probes.nr; i++) {
		const struct kept_probe *probe = &cache->probes.items[i];

		if (strcmp(probe->definition, text) &&
		    (*text != '%' || !kept_probe_is_named(probe, text + 1)))
			continue;
		for (size_t n = 0; !err && n < probe->events.nr; n++)
			err = cache_copy_event(&probe->events.items[n], ret);
		return err;
	}
	return NULL;
}

/* Whether a binary of the cache is the file of this machine. */
static bool is_of_this_machine(const struct cached_binary *binary)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	struct build_id id;

	if (!strcmp(binary->name, BINARY_CACHE_KERNEL))
		return build_id_of_kernel(&id) && build_id_equal(&id, &binary->id);
	return *binary->name == '/' && elf_file_open(&file, binary->name) &&
	       elf_file_build_id(&file, &id) && build_id_equal(&id, &binary->id);
}

struct error *probe_cache_take_anywhere(const char *text, struct probe_events *ret)
{
	_cleanup_(cached_binaries) struct cached_binaries all = { 0 };
	struct error *err = binary_cache_list(&all);

	for (size_t i = 0; !err && i < all.nr; i++) {
		_cleanup_(probe_cache) struct probe_cache cache = { 0 };

		if (!is_of_this_machine(&all.items[i]))
			continue;
		err = probe_cache_read(all.items[i].name, &all.items[i].id, &cache);
		if (!err)
			err = probe_cache_take(&cache, text, ret);
	}
	return err;
}

void probe_cache_remove(struct probe_cache *cache, size_t index)
{
	kept_probe_deinit(&cache->probes.items[index]);
	memmove(cache->probes.items + index, cache->probes.items + index + 1,
		(--cache->probes.nr - index) * sizeof(*cache->probes.items));
}

struct error *probe_cache_put(struct probe_cache *cache, const char *definition,
			      const struct probe_event *events, size_t nr)
{
	struct kept_probe probe = { .is_marker = !strncmp(definition, "sdt_", 4) };
	struct error *err = NULL;

	if (strchr(definition, '\n'))
		return error_new(EINVAL, "A definition with line ends cannot be kept");
	for (size_t i = cache->probes.nr; i-- > 0;)
		if (!strcmp(cache->probes.items[i].definition, definition))
			probe_cache_remove(cache, i);
	for (size_t i = 0; !err && i < nr; i++)
		err = cache_copy_event(&events[i], &probe.events);
	probe.definition = strdup(definition);
	if (!err && (!probe.definition || !array_push(&cache->probes, probe)))
		err = &error_no_memory;
	if (err)
		kept_probe_deinit(&probe);
	return err;
}

struct error *probe_cache_write(const struct probe_cache *cache)
{
	bool is_kernel = !strcmp(cache->name, BINARY_CACHE_KERNEL);
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	struct error *err = cache_path(cache, &path);
	int failed;

	if (!err)
		err = binary_cache_store(cache->name, &cache->id, is_kernel ? "kallsyms" : "elf",
					 is_kernel ? "/proc/kallsyms" : cache->name);
	if (err)
		return err;
	for (size_t i = 0; i < cache->probes.nr; i++) {
		const struct kept_probe *probe = &cache->probes.items[i];

		strbuf_addf(&text, "%c%s\n", probe->is_marker ? '%' : '#', probe->definition);
		for (size_t n = 0; n < probe->events.nr; n++) {
			probe_event_add_text(&probe->events.items[n], &text);
			strbuf_addch(&text, '\n');
		}
	}
	if (text.failed)
		return &error_no_memory;
	if (!cache->probes.nr)
		return unlink(path.data) && errno != ENOENT ?
		       error_errno(errno, "%s cannot be removed", path.data) : NULL;
	err = new_file_create_unnamed(&file, path.data);
	if (err)
		return err;
	failed = fd_write_all(file.fd, text.data, text.len);
	if (failed)
		return error_errno(-failed, "%s cannot be written", path.data);
	return new_file_commit(&file);
}

// SPDX-License-Identifier: GPL-2.0
#include "symbol/binary_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/binary_cache.h"
#include "symbol/elf/elf_file.h"
#include "symbol/vdso.h"

void binary_files_deinit(struct binary_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		free(files->items[i].path);
	files->nr = 0;
}

static struct error *add_path(struct binary_files *ret, const char *name, const char *path)
{
	struct binary_file file = { .name = name, .path = strdup(path) };

	if (!file.path)
		return &error_no_memory;
	ret->items[ret->nr++] = file;
	return NULL;
}

static bool is_binary(const char *path, const struct build_id *id)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	struct build_id own;

	return elf_file_open(&file, path) && elf_file_build_id(&file, &own) &&
	       build_id_equal(&own, id);
}

/* Add the first file of some kinds that belongs to the binary. */
static struct error *add_first(struct binary_files *ret, const char *name,
			       const enum symbol_file *kinds, size_t nr,
			       const struct symbol_options *options, const char *binary,
			       const struct build_id *id)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		if (symbol_file_path(kinds[i], options, binary, id, &path) &&
		    is_binary(path.data, id))
			return add_path(ret, name, path.data);
	}
	return path.failed ? &error_no_memory : NULL;
}

static struct error *binary_files_find_elf(const char *name, const struct build_id *id,
			      const struct symbol_options *options, struct binary_files *ret)
{
	static const enum symbol_file own[] = { SYMBOL_FILE_ITSELF, SYMBOL_FILE_CACHE };
	static const enum symbol_file debug[] = {
		SYMBOL_FILE_DEBUG_LINK, SYMBOL_FILE_CACHE_DEBUG, SYMBOL_FILE_DEBUG_SUFFIX,
		SYMBOL_FILE_BUILD_ID, SYMBOL_FILE_DEBUG_PATH, SYMBOL_FILE_DEBUG_NO_USR,
	};
	struct error *err = add_first(ret, "elf", own, sizeof(own) / sizeof(*own), options,
				      name, id);

	return err ? err : add_first(ret, "debug", debug, sizeof(debug) / sizeof(*debug),
				     options, name, id);
}

/* The kernel shows zeros to processes that may not see its addresses. */
static bool shows_addresses(const char *kallsyms)
{
	_cleanup_fclose_ FILE *file = fopen(kallsyms, "re");
	unsigned long long address;

	while (file && fscanf(file, "%llx%*[^\n]", &address) == 1)
		if (address)
			return true;
	return false;
}

static struct error *binary_files_find_kallsyms(const struct build_id *id,
				   const struct symbol_options *options,
				   struct binary_files *ret)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct build_id running;

	if (options->kallsyms)
		return add_path(ret, "kallsyms", options->kallsyms);
	if (build_id_of_kernel(&running) && build_id_equal(&running, id) &&
	    shows_addresses("/proc/kallsyms"))
		return add_path(ret, "kallsyms", "/proc/kallsyms");
	if (symbol_file_cached(id, "kallsyms", &path) && !access(path.data, R_OK))
		return add_path(ret, "kallsyms", path.data);
	return NULL;
}

static bool is_own_vdso(const struct build_id *id, struct binary_file *ret)
{
	struct build_id own;

	ret->image = vdso_find(&ret->size);
	return ret->image && vdso_build_id(&own) && build_id_equal(&own, id);
}

static struct error *binary_files_find_vdso(const struct build_id *id, struct binary_files *ret)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct binary_file image = { .name = "vdso" };

	if (is_own_vdso(id, &image))
		ret->items[ret->nr++] = image;
	else if (symbol_file_cached(id, "vdso", &path) && is_binary(path.data, id))
		return add_path(ret, "vdso", path.data);
	return NULL;
}

struct error *binary_files_find(const char *name, const struct build_id *id,
				const struct symbol_options *options, struct binary_files *ret)
{
	struct error *err;

	ret->nr = 0;
	if (!strcmp(name, BINARY_CACHE_KERNEL))
		err = binary_files_find_kallsyms(id, options, ret);
	else if (!strcmp(name, BINARY_CACHE_VDSO))
		err = binary_files_find_vdso(id, ret);
	else
		err = binary_files_find_elf(name, id, options, ret);
	if (err)
		binary_files_deinit(ret);
	return err;
}

struct error *binary_files_find_live(const struct dso *dso, struct binary_files *ret)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	int32_t pid;

	if (dso_find_live(dso, &path, &pid))
		return add_path(ret, "elf", path.data);
	return path.failed ? &error_no_memory : NULL;
}

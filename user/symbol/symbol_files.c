// SPDX-License-Identifier: GPL-2.0
#include "symbol/symbol_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/binary_cache.h"
#include "symbol/elf/elf_file.h"

#define DEBUG_FOLDER	"/usr/lib/debug"

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

bool symbol_file_cached(const struct build_id *id, const char *name, struct strbuf *ret)
{
	if (!id->size)
		return false;
	binary_cache_add_folder(ret);
	strbuf_addch(ret, '/');
	binary_cache_add_link(id, ret);
	strbuf_addf(ret, "/%s", name);
	return !ret->failed;
}

/* Find the file that a debug link names, in the folders where it may be. */
static bool find_debug_link(const char *binary, struct strbuf *ret)
{
	static const char *const places[] = { "%.0s%s", "%s/%s", "%s/.debug/%s",
					      DEBUG_FOLDER "%s/%s" };
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	_cleanup_free_ char *folder = NULL;
	const char *link, *slash = strrchr(binary, '/');

	if (!elf_file_open(&file, binary))
		return false;
	link = elf_file_debug_link(&file);
	folder = strndup(binary, slash ? slash - binary : 0);
	for (size_t i = 0; link && folder && i < sizeof(places) / sizeof(*places); i++) {
		strbuf_reset(ret);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		strbuf_addf(ret, places[i], folder, link);
#pragma GCC diagnostic pop
		if (!ret->failed && is_file(ret->data))
			return true;
	}
	return false;
}

bool symbol_file_path(enum symbol_file kind, const struct symbol_options *options,
		      const char *path, const struct build_id *id, struct strbuf *ret)
{
	const char *root = options->symfs ? options->symfs : "", *slash = strrchr(path, '/');
	_cleanup_(strbuf) struct strbuf binary = STRBUF_INIT;
	char text[BUILD_ID_TEXT];

	strbuf_reset(ret);
	switch (kind) {
	case SYMBOL_FILE_DEBUG_LINK:
		strbuf_addf(&binary, "%s%s", root, path);
		return !binary.failed && find_debug_link(binary.data, ret);
	case SYMBOL_FILE_CACHE:
		return symbol_file_cached(id, strcmp(path, "[vdso]") ? "elf" : "vdso", ret);
	case SYMBOL_FILE_CACHE_DEBUG:
		return symbol_file_cached(id, "debug", ret);
	case SYMBOL_FILE_DEBUG_SUFFIX:
		strbuf_addf(ret, "%s" DEBUG_FOLDER "%s.debug", root, path);
		break;
	case SYMBOL_FILE_DEBUG_PATH:
		strbuf_addf(ret, "%s" DEBUG_FOLDER "%s", root, path);
		break;
	case SYMBOL_FILE_BUILD_ID:
		if (!id->size)
			return false;
		build_id_text(id, text);
		strbuf_addf(ret, "%s" DEBUG_FOLDER "/.build-id/%.2s/%s.debug", root, text,
			    text + 2);
		break;
	case SYMBOL_FILE_ITSELF:
		strbuf_addf(ret, "%s%s", root, path);
		break;
	case SYMBOL_FILE_DEBUG_FOLDER:
		if (!slash)
			return false;
		strbuf_addf(ret, "%s%.*s/.debug%s", root, (int)(slash - path), path, slash);
		break;
	case SYMBOL_FILE_DEBUG_NO_USR:
		if (strncmp(path, "/usr/lib/", 9))
			return false;
		strbuf_addf(ret, "%s" DEBUG_FOLDER "%s", root, path + 4);
		break;
	case SYMBOL_FILE_FETCHED_DEBUG:
	case SYMBOL_FILE_FETCHED:
	case SYMBOL_FILE_MINI:
	case SYMBOL_FILE_NR:
		return false;
	}
	return !ret->failed;
}

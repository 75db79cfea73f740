// SPDX-License-Identifier: GPL-2.0
#include "symbol/binary_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/new_file.h"
#include "lib/perf_config.h"

#define COPY_BYTES	(1 << 16)

void cached_binaries_deinit(struct cached_binaries *binaries)
{
	array_free_each(binaries, .name);
	*binaries = (struct cached_binaries){ NULL, 0, 0 };
}

void binary_cache_add_folder(struct strbuf *ret)
{
	static struct perf_config config;	/* read once */
	static bool is_read;
	const char *folder = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	/* A file that cannot be read has no settings here; other readers of settings report it. */
	if (!folder && !is_read)
		error_free(perf_config_read(&config));
	is_read |= !folder;
	if (!folder)
		folder = perf_config_get(&config, "buildid.dir");
	if (folder)
		strbuf_addstr(ret, folder);
	else
		strbuf_addf(ret, "%s/.debug", home ? home : "");
}

/* Whether one of the parts between slashes is "..". */
static bool leads_upwards(const char *name)
{
	for (const char *part = name; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return true;
	}
	return false;
}

bool binary_cache_add_path(const char *name, const struct build_id *id, struct strbuf *ret)
{
	char text[BUILD_ID_TEXT];

	name += strspn(name, "/");
	if (!id->size || !*name || leads_upwards(name))
		return false;
	build_id_text(id, text);
	strbuf_addf(ret, "%s/%s", name, text);
	return true;
}

void binary_cache_add_link(const struct build_id *id, struct strbuf *ret)
{
	char text[BUILD_ID_TEXT];

	build_id_text(id, text);
	strbuf_addf(ret, ".build-id/%.2s/%s", text, text + 2);
}

bool binary_cache_has(const struct build_id *id)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	binary_cache_add_folder(&path);
	strbuf_addch(&path, '/');
	binary_cache_add_link(id, &path);
	return id->size && !path.failed && !access(path.data, F_OK);
}

/* Create the folders above @path, which is modified meanwhile. */
static struct error *make_folders_above(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int failed;

		*slash = '\0';
		failed = mkdir(path, 0755) && errno != EEXIST ? errno : 0;
		if (failed) {
			struct error *err = error_errno(failed, "The folder %s cannot be created",
							path);

			*slash = '/';
			return err;
		}
		*slash = '/';
	}
	return NULL;
}

static struct error *binary_cache_copy_bytes(int from, int to, const char *path, const char *copy)
{
	_cleanup_free_ char *bytes = malloc(COPY_BYTES);
	ssize_t size;
	int failed;

	if (!bytes)
		return &error_no_memory;
	while ((size = fd_read_all(from, bytes, COPY_BYTES)) > 0) {
		failed = fd_write_all(to, bytes, size);
		if (failed)
			return error_errno(-failed, "%s cannot be written", copy);
	}
	return size < 0 ? error_errno(-size, "%s cannot be read", path) : NULL;
}

static struct error *binary_cache_copy(const char *path, const char *copy)
{
	_cleanup_close_ int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	struct error *err;

	if (from < 0)
		return error_errno(errno, "%s cannot be opened", path);
	err = new_file_create_unnamed(&file, copy);
	if (!err)
		err = binary_cache_copy_bytes(from, file.fd, path, copy);
	return err ? err : new_file_commit(&file);
}

/* Point the link of a build id to the folder @target, "NAME/ID". */
static struct error *set_link(const char *folder, const struct build_id *id, const char *target)
{
	_cleanup_(strbuf) struct strbuf link = STRBUF_INIT, to = STRBUF_INIT;
	struct error *err;

	strbuf_addf(&link, "%s/", folder);
	binary_cache_add_link(id, &link);
	strbuf_addf(&to, "../../%s", target);
	if (link.failed || to.failed)
		return &error_no_memory;
	err = make_folders_above(link.data);
	if (err)
		return err;
	if (!symlink(to.data, link.data) || errno == EEXIST)
		return NULL;
	return error_errno(errno, "The link %s cannot be created", link.data);
}

struct error *binary_cache_store(const char *name, const struct build_id *id, const char *file,
				 const char *path)
{
	_cleanup_(strbuf) struct strbuf folder = STRBUF_INIT, target = STRBUF_INIT,
					copy = STRBUF_INIT;
	struct error *err;

	binary_cache_add_folder(&folder);
	if (!binary_cache_add_path(name, id, &target))
		return error_new(EINVAL, "'%s' cannot be the name of a binary in the cache", name);
	strbuf_addf(&copy, "%s/%s/%s", strbuf_str(&folder), strbuf_str(&target), file);
	if (folder.failed || target.failed || copy.failed)
		return &error_no_memory;
	if (access(copy.data, F_OK)) {
		err = make_folders_above(copy.data);
		if (!err)
			err = binary_cache_copy(path, copy.data);
		if (err)
			return err;
	}
	return set_link(folder.data, id, target.data);
}

/* Remove the files in a folder, and then the folders above it that became empty. */
static struct error *binary_cache_remove_folder(const char *top, char *path)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && unlinkat(dirfd(dir), entry->d_name, 0))
			return error_errno(errno, "%s/%s cannot be removed", path, entry->d_name);
	while (strlen(path) > strlen(top) && !rmdir(path))
		*strrchr(path, '/') = '\0';
	return NULL;
}

struct error *binary_cache_remove(const char *name, const struct build_id *id)
{
	_cleanup_(strbuf) struct strbuf folder = STRBUF_INIT, path = STRBUF_INIT,
					link = STRBUF_INIT;

	binary_cache_add_folder(&folder);
	strbuf_addf(&path, "%s/", strbuf_str(&folder));
	if (!binary_cache_add_path(name, id, &path))
		return error_new(EINVAL, "'%s' cannot be the name of a binary in the cache", name);
	strbuf_addf(&link, "%s/", strbuf_str(&folder));
	binary_cache_add_link(id, &link);
	if (folder.failed || path.failed || link.failed)
		return &error_no_memory;
	if (access(path.data, F_OK))
		return error_errno(errno, "%s is not in the cache", name);
	if (unlink(link.data) && errno != ENOENT)
		return error_errno(errno, "%s cannot be removed", link.data);
	*strrchr(link.data, '/') = '\0';
	rmdir(link.data);
	return binary_cache_remove_folder(folder.data, path.data);
}

static bool parse_id(const char *first, const char *rest, struct build_id *ret)
{
	char text[BUILD_ID_TEXT];
	int used;

	if (snprintf(text, sizeof(text), "%s%s", first, rest) >= (int)sizeof(text))
		return false;
	ret->size = strlen(text) / 2;
	for (size_t i = 0; i < ret->size; i++) {
		if (sscanf(text + 2 * i, "%2hhx%n", &ret->bytes[i], &used) != 1 || used != 2)
			return false;
	}
	return ret->size && strlen(text) == 2 * ret->size;
}

/* Add the binary of the link @rest in .build-id/@first. */
static bool add_link(struct cached_binaries *ret, int dir, const char *first, const char *rest)
{
	struct cached_binary binary = { NULL, { .size = 0 } };
	char target[PATH_MAX], *name = target, *end;
	ssize_t len = readlinkat(dir, rest, target, sizeof(target) - 1);

	if (len < 0 || faccessat(dir, rest, F_OK, 0) || !parse_id(first, rest, &binary.id))
		return true;
	target[len] = '\0';
	while (!strncmp(name, "../", 3))
		name += 3;
	end = strrchr(name, '/');
	if (!end || end == name)
		return true;
	*end = '\0';
	/* Names in brackets are no paths. */
	if (*name != '[' && name > target)
		*--name = '/';
	binary.name = strdup(name);
	if (binary.name && array_push(ret, binary))
		return true;
	free(binary.name);
	return false;
}

static bool add_links(struct cached_binaries *ret, int folder, const char *first)
{
	int fd = openat(folder, first, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && !add_link(ret, dirfd(dir), first, entry->d_name))
			return false;
	return true;
}

DEFINE_COMPARISON(cached_binary_compare, struct cached_binary,
		  memcmp(x->id.bytes, y->id.bytes, sizeof(x->id.bytes)) ?: strcmp(x->name, y->name))

struct error *binary_cache_list(struct cached_binaries *ret)
{
	_cleanup_(cached_binaries) struct cached_binaries found = { NULL, 0, 0 };
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	_cleanup_closedir_ DIR *dir = NULL;
	const struct dirent *entry;

	binary_cache_add_folder(&path);
	strbuf_addstr(&path, "/.build-id");
	if (path.failed)
		return &error_no_memory;
	dir = opendir(path.data);
	if (!dir && errno != ENOENT)
		return error_errno(errno, "%s cannot be read", path.data);
	while (dir && (entry = readdir(dir)))
		if (strlen(entry->d_name) == 2 && *entry->d_name != '.' &&
		    !add_links(&found, dirfd(dir), entry->d_name))
			return &error_no_memory;
	array_sort(&found, cached_binary_compare);
	*ret = found;
	found = (struct cached_binaries){ NULL, 0, 0 };
	return NULL;
}

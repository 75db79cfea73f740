// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "output/text/build_id_text.h"
#include "symbol/binary_cache.h"
#include "symbol/binary_files.h"
#include "symbol/debuginfod.h"
#include "symbol/elf/elf_file.h"
#include "terminal/options.h"

/* Each is a list of files, "a,b"; NULL: not asked for. */
struct buildid_cache_command {
	const char *add, *remove, *purge, *update, *missing;
	bool list, purge_all, force;
	struct debuginfod *debuginfod;	/* NULL: nothing is fetched */
	size_t failed;		/* files that something was wrong with */
	struct cached_binaries cached;
};

/* A file on the command line. */
struct named_binary {
	char *path;		/* without symbolic links; owned */
	struct build_id id;	/* size 0: not a binary, or not on this machine */
};

static void print_binary(const struct build_id *id, const char *name)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;

	build_id_text_add(id, name, &line);
	if (!line.failed)
		fwrite(line.data, 1, line.len, stdout);
}

/* Report the error of one file, and go on. */
static void fail_file(struct buildid_cache_command *c, struct error *err)
{
	c->failed++;
	error_report(err);
}

/* Fetch one file of a binary into the cache.  A failure was already reported. */
static struct error *fetch_file(const struct buildid_cache_command *c, enum debuginfod_kind kind,
				const char *name, const struct build_id *id)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	if (!debuginfod_find(c->debuginfod, kind, id, name, &path))
		return NULL;
	return binary_cache_store(name, id, kind == DEBUGINFOD_DEBUG ? "debug" : "elf", path.data);
}

static struct error *add_binary(struct buildid_cache_command *c, const struct named_binary *binary)
{
	_cleanup_(binary_files) struct binary_files files = { .nr = 0 };
	struct symbol_options options = { .vmlinux = NULL };
	struct error *err;
	bool has_debug = false;

	if (!binary->id.size)
		return error_hint(error_new(ENOEXEC, "%s is not an ELF file with a build id",
					    binary->path),
				  "The linker adds one with -Wl,--build-id");
	if (binary_cache_has(&binary->id)) {
		log_debug("The cache has this build of %s already", binary->path);
		return NULL;
	}
	err = binary_cache_store(binary->path, &binary->id, "elf", binary->path);
	if (!err)
		err = binary_files_find(binary->path, &binary->id, &options, &files);
	for (size_t i = 0; i < files.nr && !err; i++)
		if (!strcmp(files.items[i].name, "debug")) {
			err = binary_cache_store(binary->path, &binary->id, "debug",
						 files.items[i].path);
			has_debug = true;
		}
	if (!err && !has_debug)
		err = fetch_file(c, DEBUGINFOD_DEBUG, binary->path, &binary->id);
	if (!err)
		log_debug("Added %s", binary->path);
	return err;
}

/* Remove this build of a file from the cache, or all builds. */
static struct error *remove_builds(struct buildid_cache_command *c,
				   const struct named_binary *binary, bool all)
{
	struct error *err = NULL;
	size_t removed = 0;

	for (size_t i = 0; i < c->cached.nr && !err; i++) {
		const struct cached_binary *cached = &c->cached.items[i];
		bool same = build_id_equal(&cached->id, &binary->id);

		if (all ? strcmp(cached->name, binary->path) : !same)
			continue;
		err = binary_cache_remove(cached->name, &cached->id);
		removed += !err;
		if (!err)
			log_debug("Removed %s", cached->name);
	}
	if (!err && !removed)
		err = error_hint(error_new(ENOENT, "%s is not in the cache", binary->path),
				 "'ktrace buildid-cache --list' shows the files there");
	return err;
}

static struct error *remove_binary(struct buildid_cache_command *c,
				   const struct named_binary *binary)
{
	return remove_builds(c, binary, false);
}

static struct error *purge_binary(struct buildid_cache_command *c,
				  const struct named_binary *binary)
{
	return remove_builds(c, binary, true);
}

static struct error *update_binary(struct buildid_cache_command *c,
				   const struct named_binary *binary)
{
	struct error *err = binary_cache_has(&binary->id) ?
		binary_cache_remove(binary->path, &binary->id) : NULL;

	return err ? err : add_binary(c, binary);
}

/* Find the file, or its last name: deleted files can still be purged. */
static struct error *name_binary(const char *path, struct named_binary *ret)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };

	ret->id.size = 0;
	ret->path = realpath(path, NULL);
	if (!ret->path && errno != ENOENT)
		return error_errno(errno, "%s cannot be found", path);
	if (!ret->path)
		ret->path = strdup(path);
	if (!ret->path)
		return &error_no_memory;
	if (elf_file_open(&file, ret->path) && !elf_file_build_id(&file, &ret->id))
		ret->id.size = 0;
	return NULL;
}

/* Do something with each file of "a,b". */
static struct error *for_each_file(struct buildid_cache_command *c, const char *list,
				   struct error *(*call)(struct buildid_cache_command *c,
							 const struct named_binary *binary))
{
	_cleanup_free_ char *files = list ? strdup(list) : NULL;
	char *rest = NULL;

	if (list && !files)
		return &error_no_memory;
	for (char *file = files ? strtok_r(files, ",", &rest) : NULL; file;
	     file = strtok_r(NULL, ",", &rest)) {
		struct named_binary binary;
		struct error *err = name_binary(file, &binary);

		if (!err) {
			err = access(binary.path, F_OK) && call != purge_binary ?
				error_errno(errno, "%s cannot be read", file) : call(c, &binary);
			free(binary.path);
		}
		if (err)
			fail_file(c, err);
	}
	return NULL;
}

/*
 * The kernel's debug information is its vmlinux.  Of all other names in brackets, only modules are
 * files.
 */
static struct error *fetch_binary(const struct buildid_cache_command *c, const char *name,
				  const struct build_id *id)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct error *err;

	if (!c->debuginfod || !strncmp(name, "[vdso", 5))
		return NULL;
	if (!strncmp(name, "[kernel", 7))
		return debuginfod_find(c->debuginfod, DEBUGINFOD_DEBUG, id, "vmlinux", &path) ?
			       binary_cache_store(name, id, "elf", path.data) : NULL;
	err = fetch_file(c, DEBUGINFOD_BINARY, name, id);
	return err ? err : fetch_file(c, DEBUGINFOD_DEBUG, name, id);
}

/* Print the binaries of a recording that are not in the cache, even after they were asked for. */
static struct error *print_missing(const struct buildid_cache_command *c, const char *recording)
{
	_cleanup_(reader) struct reader *reader = NULL;
	const struct header *header;
	struct error *err = recording_open(recording, &reader);

	if (!err)
		err = reader_read_header(reader);
	if (err)
		return err;
	header = reader_header(reader);
	for (size_t i = 0; i < header->build_ids.nr && !err; i++) {
		const struct header_build_id *binary = &header->build_ids.items[i];

		if (binary_cache_has(&binary->id))
			continue;
		err = fetch_binary(c, binary->name, &binary->id);
		if (!err && !binary_cache_has(&binary->id))
			print_binary(&binary->id, binary->name);
	}
	if (err)
		return err;
	return reader_take_failure(reader);
}

static struct error *purge_all(struct buildid_cache_command *c)
{
	struct error *err = NULL;

	for (size_t i = 0; i < c->cached.nr && !err; i++)
		err = binary_cache_remove(c->cached.items[i].name, &c->cached.items[i].id);
	if (!err)
		log_debug("Removed %zu binaries", c->cached.nr);
	return err;
}

static struct error *buildid_cache_run(struct buildid_cache_command *c)
{
	struct error *err = binary_cache_list(&c->cached);

	for (size_t i = 0; i < c->cached.nr && c->list && !err; i++)
		print_binary(&c->cached.items[i].id, c->cached.items[i].name);
	if (!err)
		err = for_each_file(c, c->add, add_binary);
	if (!err)
		err = for_each_file(c, c->remove, remove_binary);
	if (!err)
		err = for_each_file(c, c->purge, purge_binary);
	if (!err && c->purge_all)
		err = purge_all(c);
	if (!err && c->missing)
		err = print_missing(c, c->missing);
	if (!err)
		err = for_each_file(c, c->update, update_binary);
	return err;
}

struct error *cmd_buildid_cache(int argc, char **argv, int *ret_status)
{
	struct buildid_cache_command c = { 0 };
	const struct option_spec options[] = {
		OPT_STRING("add", &c.add),
		OPT_STRING("remove", &c.remove),
		OPT_STRING("purge", &c.purge),
		OPT_FLAG("purge-all", &c.purge_all),
		OPT_FLAG("list", &c.list),
		OPT_STRING("missing", &c.missing),
		OPT_STRING("update", &c.update),
		OPT_CALL("debuginfod", &c.debuginfod, recording_ask_debuginfod),
		RECORDING_FORCE_OPTION(c.force),
		OPT_COUNT("verbose", &log_verbosity),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "buildid-cache",
		.synopsis = "[OPTIONS]",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	err = options_no_argument(&usage, argc, argv, index);
	if (!err && !c.add && !c.remove && !c.purge && !c.update && !c.missing && !c.list &&
	    !c.purge_all)
		err = error_hint(error_new(EINVAL, "buildid-cache needs an option that names the "
					   "action"),
				 "--list shows the cache, --add FILE adds to it");
	if (!err)
		err = buildid_cache_run(&c);
	cached_binaries_deinit(&c.cached);
	*ret_status = c.failed ? 1 : 0;
	return err;
}

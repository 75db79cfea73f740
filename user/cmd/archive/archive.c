// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/archive/archive_file.h"
#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "profile/hit_binaries.h"
#include "symbol/binary_cache.h"
#include "terminal/options.h"

/* How many binaries that are not here are named. */
#define NAMED_MISSING	5

struct archive_command {
	const char *input, *output, *unpack;
	bool all, force;
	struct symbol_options symbols;
	size_t added;
	/* Binaries that are not on this machine, and those whose build id was not recorded. */
	struct lacking {
		size_t nr;
		struct strbuf names;	/* of the first ones */
	} missing, unknown;
};

static void lack_binary(struct lacking *lacking, const char *name)
{
	if (lacking->nr++ < NAMED_MISSING)
		strbuf_addf(&lacking->names, "%s%s", lacking->names.len ? ", " : "", name);
}

static void tell_lacking(const struct lacking *lacking, const char *why)
{
	if (lacking->nr)
		log_warning("%s: %s%s", why, strbuf_str(&lacking->names),
			    lacking->nr > NAMED_MISSING ? " and others" : "");
}

/* Whether an address in it may have a name at all. */
static bool is_nameable(const struct dso *dso)
{
	return dso->kind == DSO_FILE || dso->kind == DSO_VDSO || dso->kind == DSO_KERNEL ||
	       dso->kind == DSO_MODULE;
}

static struct error *archive_binary(struct archive_command *c, struct archive_file *file,
				const struct dso *dso, const struct header *header)
{
	_cleanup_(binary_files) struct binary_files files = { .nr = 0 };
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	const struct build_id *id = hit_binary_id(dso, header);
	const char *name = hit_binary_name(dso);
	struct error *err;

	if (!is_nameable(dso))
		return NULL;
	if (!id) {
		lack_binary(&c->unknown, dso->name);
		return NULL;
	}
	err = binary_files_find(name, id, &c->symbols, &files);
	if (!err && !files.nr && dso->kind == DSO_FILE)
		err = binary_files_find_live(dso, &files);
	if (err)
		return err;
	/* kallsyms has the symbols of modules, too. */
	if (!files.nr && dso->kind == DSO_MODULE)
		return NULL;
	/* A name that leads upwards cannot be unpacked. */
	if (!files.nr || !binary_cache_add_path(name, id, &path)) {
		lack_binary(&c->missing, dso->name);
		return NULL;
	}
	c->added++;
	return archive_file_add_binary(file, name, id, &files);
}

static struct error *archive_binaries(struct archive_command *c, struct archive_file *file,
				  struct reader *reader)
{
	struct selection everything = { .cpus = NULL };
	_cleanup_(machine) struct machine *machine = NULL;
	_cleanup_(hit_binaries) struct hit_binaries hits;
	struct error *err;

	hit_binaries_init(&hits);
	err = recording_machine(reader, &c->symbols, &machine);
	if (!err)
		err = recording_run(reader, machine, &everything, &hits.consumer, false, NULL);
	for (size_t i = 0; i < hits.nr && !err; i++)
		err = archive_binary(c, file, hits.items[i], reader_header(reader));
	return err;
}

static void tell_archive(const struct archive_command *c, const char *output)
{
	log_notice("%s has %zu %s%s. 'ktrace archive --unpack %s' puts them where ktrace and perf "
		   "find them, and so does 'tar xf %s -C ~/.debug'.", output, c->added,
		   c->added == 1 ? "binary" : "binaries", c->all ? " and the recording" : "",
		   output, output);
	tell_lacking(&c->missing, "The recorded builds of these binaries are not on this machine, "
		     "so the archive lacks them and their functions will have no names");
	tell_lacking(&c->unknown, "The recording has no build ids of these binaries, so they are "
		     "not in the archive");
}

static struct error *archive_recording(struct archive_command *c, const char *output)
{
	const char *input = c->input ? c->input : RECORDING_DEFAULT;
	_cleanup_(archive_file) struct archive_file *file = NULL;
	_cleanup_(reader) struct reader *reader = NULL;
	const char *slash = strrchr(input, '/');
	struct error *err;

	err = recording_open(c->input, &reader);
	if (!err)
		err = archive_file_create(output, &file);
	if (!err)
		err = archive_binaries(c, file, reader);
	if (!err && c->all)
		err = archive_file_add(file, slash ? slash + 1 : input, input);
	if (!err)
		err = archive_file_finish(file);
	if (!err)
		tell_archive(c, output);
	return err;
}

/* Create the folder of the cache, and resolve symbolic links in its path. */
static struct error *open_cache(char **ret)
{
	_cleanup_(strbuf) struct strbuf folder = STRBUF_INIT;

	binary_cache_add_folder(&folder);
	if (folder.failed)
		return &error_no_memory;
	if (mkdir(folder.data, 0755) && errno != EEXIST)
		return error_errno(errno, "The folder %s cannot be created", folder.data);
	*ret = realpath(folder.data, NULL);
	return *ret ? NULL : error_errno(errno, "The folder %s cannot be used", folder.data);
}

static struct error *unpack_archive(const char *path)
{
	_cleanup_free_ char *cache = NULL;
	struct archive_contents contents;
	struct error *err = open_cache(&cache);

	if (!err)
		err = archive_file_unpack(path, cache, &contents);
	if (!err)
		log_notice("%zu %s in %s now%s.", contents.binaries,
			   contents.binaries == 1 ? "binary is" : "binaries are", cache,
			   contents.recordings ? ", and the recording is here" : "");
	return err;
}

static struct error *archive_run(struct archive_command *c)
{
	const char *input = c->input ? c->input : RECORDING_DEFAULT;
	_cleanup_(strbuf) struct strbuf output = STRBUF_INIT;
	bool is_pipe = !strcmp(input, "-");

	if (c->unpack)
		return unpack_archive(c->unpack);
	if (is_pipe && (c->all || !c->output))
		return error_hint(error_new(EINVAL, "A recording from a pipe has no name"),
				  "-o FILE names the archive; without --all it has the binaries only");
	if (c->output)
		strbuf_addstr(&output, c->output);
	else
		strbuf_addf(&output, "%s.tar.bz2", input);
	return output.failed ? &error_no_memory : archive_recording(c, output.data);
}

struct error *cmd_archive(int argc, char **argv, int *ret_status)
{
	struct archive_command c = {
		.missing.names = STRBUF_INIT, .unknown.names = STRBUF_INIT,
	};
	const struct option_spec options[] = {
		RECORDING_INPUT_OPTION(c.input),
		OPT_STRING("output", &c.output),
		OPT_FLAG("all", &c.all),
		OPT_STRING("unpack", &c.unpack),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		RECORDING_QUIET_OPTION,
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "archive",
		.synopsis = "[OPTIONS] [RECORDING]",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (index < argc && !c.input)
		c.input = argv[index++];
	err = options_no_argument(&usage, argc, argv, index);
	if (!err && c.unpack && (c.input || c.output || c.all))
		err = error_new(EINVAL, "archive --unpack takes no recording, -o or --all");
	if (!err)
		err = archive_run(&c);
	strbuf_deinit(&c.missing.names);
	strbuf_deinit(&c.unknown.names);
	return err;
}

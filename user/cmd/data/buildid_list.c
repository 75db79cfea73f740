// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "output/text/build_id_text.h"
#include "profile/hit_binaries.h"
#include "symbol/elf/elf_file.h"
#include "terminal/options.h"

struct buildid_list_command {
	const char *input;
	bool force, hits, kernel;
};

static struct error *list_running_kernel(struct strbuf *text)
{
	struct build_id id;

	if (!build_id_of_kernel(&id))
		return error_hint(error_new(ENOENT, "This kernel does not publish its build id"),
				  "It is in /sys/kernel/notes of kernels that are linked with one");
	build_id_text_add(&id, NULL, text);
	return NULL;
}

/* A binary has a build id itself; false: @path is none. */
static bool list_binary(const char *path, struct strbuf *text)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	struct build_id id;

	if (!path || !elf_file_open(&file, path) || !elf_file_build_id(&file, &id))
		return false;
	build_id_text_add(&id, NULL, text);
	return true;
}

static struct error *list_hits(struct reader *reader, struct strbuf *text)
{
	_cleanup_(hit_binaries) struct hit_binaries hits;
	_cleanup_(machine) struct machine *machine = NULL;
	struct selection everything = { .cpus = NULL };
	struct symbol_options symbols = { .vmlinux = NULL };
	const struct build_id unknown = { .size = 0 };
	struct error *err;

	hit_binaries_init(&hits);
	err = recording_machine(reader, &symbols, &machine);
	if (!err)
		err = recording_run(reader, machine, &everything, &hits.consumer, false, NULL);
	for (size_t i = 0; i < hits.nr && !err; i++) {
		const struct build_id *id = hit_binary_id(hits.items[i], reader_header(reader));

		build_id_text_add(id ? id : &unknown, hits.items[i]->name, text);
	}
	return err;
}

static struct error *list_header(struct reader *reader, struct strbuf *text)
{
	const struct header *header = reader_header(reader);
	struct error *err = reader_read_header(reader);

	for (size_t i = 0; i < header->build_ids.nr && !err; i++)
		build_id_text_add(&header->build_ids.items[i].id,
				  header->build_ids.items[i].name, text);
	return err ? err : reader_take_failure(reader);
}

static struct error *buildid_list_run(const struct buildid_list_command *c, struct strbuf *text)
{
	_cleanup_(reader) struct reader *reader = NULL;
	struct error *err;

	if (c->kernel)
		return list_running_kernel(text);
	if (list_binary(c->input, text))
		return NULL;
	err = recording_open(c->input, &reader);
	if (err)
		return err;
	return c->hits ? list_hits(reader, text) : list_header(reader, text);
}

struct error *cmd_buildid_list(int argc, char **argv, int *ret_status)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct buildid_list_command c = { 0 };
	const struct option_spec options[] = {
		OPT_STRING("input", &c.input),
		OPT_FLAG("with-hits", &c.hits),
		OPT_FLAG("kernel", &c.kernel),
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "buildid-list",
		.synopsis = "[OPTIONS]",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	err = options_no_argument(&usage, argc, argv, index);
	if (!err)
		err = buildid_list_run(&c, &text);
	if (!err && text.failed)
		err = &error_no_memory;
	if (!err && text.len)
		fwrite(text.data, 1, text.len, stdout);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/selection_words.h"
#include "lib/cleanup.h"
#include "lib/color.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "lib/options.h"
#include "lib/strbuf.h"
#include "output/rendering.h"

struct export_command {
	const char *input, *to;
	struct selection_words words;
	struct symbol_options symbols;
	bool force;
	struct reader *reader;
	struct machine *machine;
	struct cpumap cpus;
	struct selection selection;
};

static void export_command_deinit(struct export_command *c)
{
	machine_destroy(c->machine);
	reader_close(c->reader);
	selection_deinit(&c->selection);
	cpumap_deinit(&c->cpus);
}
DEFINE_CLEANUP(export_command, struct export_command, export_command_deinit)

static struct error *open_recording(struct export_command *c)
{
	struct error *err = recording_open(c->input, &c->reader);

	if (!err)
		err = reader_read_header(c->reader);
	if (!err)
		err = selection_words_parse(&c->words, reader_header(c->reader), &c->cpus,
					    &c->selection);
	return err ? err : recording_machine(c->reader, &c->symbols, &c->machine);
}

static struct error *find_export_format(const struct export_command *c,
					const struct output_format **ret)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	if (c->to)
		return output_format_find(c->to, ret);
	output_formats_add_names(&names);
	return error_hint(error_new(EINVAL, "export needs to know what to write"),
			  "'--to sqlite' writes a database; the formats are %s", strbuf_str(&names));
}

/* Complete the text in @out, which is closed in any case. */
static struct error *close_text(FILE *out, const char *path)
{
	bool failed = fflush(out) || ferror(out);
	int code = errno;

	if (fclose(out) && !failed) {
		failed = true;
		code = errno;
	}
	return failed ? error_errno(code, "Cannot write %s", path) : NULL;
}

static struct error *export_render(struct export_command *c, const struct output_format *format,
				   const struct rendering_request *request)
{
	_cleanup_(rendering) struct rendering *rendering = NULL;
	struct error *err = output_format_open(format, request, &rendering);
	enum color_mode mode = color_mode;

	/* What is exported is for programs and files. */
	color_mode = COLOR_NEVER;
	if (!err)
		err = recording_render(c->reader, c->machine, &c->selection, format, rendering);
	color_mode = mode;
	return err;
}

static struct rendering_request export_request(const struct export_command *c, const char *name)
{
	return (struct rendering_request){
		.name = name, .recording = c->input ? c->input : RECORDING_DEFAULT,
		.events = reader_events(c->reader), .header = reader_header(c->reader),
	};
}

/* Whether it could be written is known when the command ends. */
static struct error *write_stdout(struct export_command *c, const struct output_format *format)
{
	struct rendering_request request = export_request(c, "standard output");

	request.out = stdout;
	return export_render(c, format, &request);
}

/* Write @file, which will be @path. */
static struct error *write_file(struct export_command *c, const struct output_format *format,
				struct new_file *file, const char *path)
{
	struct rendering_request request = export_request(c, path);
	struct error *err, *late;
	int fd;

	if (format->takes & NEEDS_FILE) {
		request.path = file->temporary;
		return export_render(c, format, &request);
	}
	fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	request.out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!request.out)
		return error_errno(errno, "Cannot write %s", path);
	err = export_render(c, format, &request);
	late = close_text(request.out, path);
	if (!err)
		return late;
	error_free(late);
	return err;
}

static struct error *run_export(struct export_command *c, const char *path)
{
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	bool to_stdout = !strcmp(path, "-");
	const struct output_format *format;
	struct error *err = find_export_format(c, &format);

	if (err)
		return err;
	if (to_stdout && format->takes & NEEDS_FILE)
		return error_hint(error_new(EINVAL, "'--to %s' cannot write to standard output",
					    format->name),
				  "Name a file to write");
	if (!to_stdout && !access(path, F_OK))
		return error_hint(error_new(EEXIST, "%s exists already", path),
				  "Name another file, or remove it first");
	err = open_recording(c);
	if (err)
		return err;
	if (format->takes & RECORDS && !selection_is_everything(&c->selection))
		return error_hint(error_new(EINVAL, "'--to %s' always writes all records",
					    format->name),
				  "Leave out --cpu, --pid, --tid and --time");
	if (to_stdout)
		return write_stdout(c, format);
	err = new_file_create(&file, path);
	if (err)
		return error_hint(err, "Name a file in a folder where you may write");
	err = write_file(c, format, &file, path);
	return err ? err : new_file_commit(&file);
}

static const char *make_formats_help(struct strbuf *out)
{
	strbuf_addstr(out, "what to write: ");
	output_formats_add_names(out);
	return strbuf_str(out);
}

struct error *cmd_export(int argc, char **argv, int *ret_status)
{
	static const struct option_values values[] = { { "to", NULL, output_formats_add_names }, { 0 } };
	_cleanup_(export_command) struct export_command c = { 0 };
	_cleanup_(strbuf) struct strbuf formats = STRBUF_INIT;
	const char *formats_help = make_formats_help(&formats);
	const struct option_spec options[] = {
		{ OPTION_STRING, 'i', "input", "FILE", "read FILE, or - for a pipe (perf.data)",
		  &c.input, NULL },
		{ OPTION_STRING, 0, "to", "FORMAT", formats_help, &c.to, NULL },
		SELECTION_WORDS_OPTIONS(c.words),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		{ OPTION_FLAG, 'q', "quiet", NULL, "print no messages but errors, and no progress",
		  &log_quiet, NULL },
		{ OPTION_FLAG, 'f', "force", NULL,
		  "accepted as in perf, without effect: owners do not matter",
		  &c.force, NULL },
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "export",
		.synopsis = "--to FORMAT [OPTIONS] OUTPUT",
		.options = options,
		.values = values,
	};
	struct error *err;
	int index;

	(void)ret_status;
	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (argc - index != 1)
		return error_hint(error_new(EINVAL, "export takes the name of one file to write, "
					    "not %d", argc - index),
				  "'ktrace export --to sqlite FILE.db' reads perf.data");
	return run_export(&c, argv[index]);
}

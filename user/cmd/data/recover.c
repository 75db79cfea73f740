// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "perfdata/write/description.h"
#include "perfdata/write/recover.h"
#include "terminal/options.h"
#include "terminal/progress.h"
#include "vmcore/dump.h"
#include "vmcore/memory.h"
#include "vmcore/rescue.h"
#include "vmcore/session_formats.h"
#include "vmcore/session_table.h"

#define PSTORE "/sys/fs/pstore"

struct recover_command {
	const char *output, *formats, *vmcore, *console, *pstore;
};

static void report(const char *input, const char *output, const struct recovery *recovery)
{
	if (recovery->was_whole) {
		log_notice("%s is whole; %s holds the same %" PRIu64 " records.", input, output,
			   recovery->records);
		return;
	}
	log_notice("%s holds the %" PRIu64 " records of %s up to offset %" PRIu64 "; %" PRIu64
		   " bytes behind it were dropped.", output, recovery->records, input,
		   recovery->end, recovery->dropped);
	if (!recovery->has_formats)
		log_warning("Its event formats are lost, its samples are without fields. --formats FILE takes them from another "
			    "recording of the same kernel.");
}

static void report_rescue(const struct vmcore_session *session, const char *release,
			  const char *output, const struct rescue *rescue)
{
	log_notice("%s has the %" PRIu64 " samples that the rings of %s (%d) held when Linux %s "
		   "died.", output, rescue->samples, session->comm, session->pid, release);
	if (rescue->taken)
		log_notice("%" PRIu64 " earlier ones had been read by %s already, for its own "
			   "recording.", rescue->taken, session->comm);
	if (rescue->overwritten)
		log_notice("%" PRIu64 " earlier ones were overwritten.", rescue->overwritten);
	if (rescue->lost)
		log_warning("%" PRIu64 " samples were lost; ktrace sql \"select * from loss\" -i "
			    "%s lists where.", rescue->lost, output);
	if (rescue->damaged_rings)
		log_warning("%" PRIu64 " of its rings are damaged, and were read up to there.",
			    rescue->damaged_rings);
}

/* The file of a session; that of one of several has a number, too.  NULL: out of memory. */
static char *path_of_session(const char *output, unsigned int number)
{
	char *path;

	if ((number ? asprintf(&path, "%s.%u", output, number) : asprintf(&path, "%s", output)) < 0)
		return NULL;
	return path;
}

/* Write the contents of the rings of one session. */
static struct error *rescue_one(const struct session_table *table,
				const struct vmcore_session *session,
				const struct description *like, const char *output,
				unsigned int number)
{
	_cleanup_free_ char *path = path_of_session(output, number);
	struct rescue rescue;
	struct error *err;

	if (!path)
		return &error_no_memory;
	err = rescue_session(session, session->is_borrowed ? like : NULL, path, &rescue);
	if (!err)
		report_rescue(session, table->release, path, &rescue);
	return err;
}

/* Describe a session by the module's description of its events. */
static struct error *describe_events(const struct session_table *table,
				     const struct description *like, struct vmcore_session *session)
{
	_cleanup_free_ struct module_event *items = calloc(session->nr_events + 1, sizeof(*items));
	struct error *err;

	if (!items)
		return &error_no_memory;
	for (size_t i = 0; i < session->nr_events; i++) {
		items[i] = session->events[i].origin;
		items[i].name = *session->events[i].name ? session->events[i].name : NULL;
		if (!items[i].sample_type)
			return error_new(ENODATA, "This version of the module does not yet name "
					 "the events of its records");
	}
	err = session_formats_check(table->release, like);
	return err ? err : session_formats_describe(session, items, session->nr_events,
						    session->clockid, like);
}

/*
 * Describe sessions that have no description.  Returns the number of sessions that have one then.
 */
static unsigned int describe_sessions(struct session_table *table, const struct description *like)
{
	unsigned int described = 0;

	for (size_t i = 0; i < table->nr; i++) {
		struct vmcore_session *session = &table->items[i];
		struct error *err = NULL;

		if (!session->description && session->nr_events)
			err = describe_events(table, like, session);
		if (err) {
			log_warning("The rings of the session of %s (%d) are not recovered: %s.",
				    session->comm, session->pid, err->message);
			if (err->hint)
				log_hint(err->hint);
			error_free(err);
		}
		described += session->description != NULL;
	}
	return described;
}

static struct error *recover_vmcore(const char *core, const char *output,
				    const struct description *like)
{
	_cleanup_(session_table) struct session_table table = { 0 };
	_cleanup_(memory) struct memory *memory = NULL;
	unsigned int described, number = 0;
	struct error *err;

	err = memory_open(core, &memory);
	if (!err)
		err = session_table_read(memory, core, &table);
	if (err)
		return err;
	described = describe_sessions(&table, like);
	if (!described)
		return error_new(ENODATA, "No session that can be recovered was open when Linux %s "
				 "died", table.release);
	for (size_t i = 0; i < table.nr && !err; i++)
		if (table.items[i].description)
			err = rescue_one(&table, &table.items[i], like, output,
					 described > 1 ? ++number : 0);
	return err;
}

static void report_dump(const struct dump *dump, const struct dump_session *session,
			const char *output, const struct rescue *rescue)
{
	log_notice("%s has the last %" PRIu64 " samples that Linux %s printed of the session of process "
		   "%d when it died; its rings held %" PRIu64 " records.", output,
		   rescue->samples, dump->table.release,
		   dump->table.items[session - dump->items].pid, session->held);
	if (session->found < session->told)
		log_warning("%" PRIu64 " of the %" PRIu64 " records that were printed are damaged or "
			    "missing.", session->told - session->found, session->told);
}

static struct error *recover_text(const struct strbuf *text, const char *name, const char *output,
				  const struct description *like)
{
	_cleanup_(dump) struct dump dump;
	struct error *err = dump_parse(text->data, text->len, name, &dump);
	unsigned int described = 0, number = 0;

	if (!err)
		err = dump_describe(&dump, like);
	for (size_t i = 0; i < dump.nr && !err; i++)
		described += dump.table.items[i].description != NULL;
	if (!err && !described)
		err = error_new(ENODATA, "The remaining records in %s do not name their events",
				name);
	/* The newest session comes first in the text. */
	for (size_t i = dump.nr; i-- > 0 && !err; ) {
		_cleanup_free_ char *path = NULL;
		struct rescue rescue;

		if (!dump.table.items[i].description)
			continue;
		path = path_of_session(output, described > 1 ? ++number : 0);
		if (!path)
			return &error_no_memory;
		err = rescue_session(&dump.table.items[i], like, path, &rescue);
		if (!err)
			report_dump(&dump, &dump.items[i], path, &rescue);
	}
	if (!err && !dump.is_whole)
		log_warning("The end of the printed records is missing in %s.", name);
	return err;
}

/* By their numbers: the tenth part comes behind the second. */
static int compare_parts(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_console_part(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "console-", 8);
}

static int is_dmesg_part(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "dmesg-", 6);
}

static struct error *read_pstore_part(const char *folder, const char *name, struct strbuf *ret)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	struct error *err;
	size_t len;

	strbuf_addf(&path, "%s/%s", folder, name);
	if (path.failed)
		return &error_no_memory;
	err = file_read(path.data, &text, &len);
	if (!err)
		strbuf_add(ret, text, len);
	return err;
}

/*
 * A console log is used whole; otherwise the parts of the kernel log, with the newest part first.
 */
static struct error *read_pstore(const char *folder, struct strbuf *ret)
{
	static int (*const kinds[])(const struct dirent *) = { is_console_part, is_dmesg_part };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct dirent **found;
		struct error *err = NULL;
		int nr = scandir(folder, &found, kinds[i], compare_parts);

		strbuf_reset(ret);
		if (nr < 0)
			return error_hint(error_errno(errno, "Cannot read the folder %s", folder),
					  "pstore keeps its records in " PSTORE ", where it is mounted");
		while (nr-- > 0) {
			if (!err)
				err = read_pstore_part(folder, found[nr]->d_name, ret);
			free(found[nr]);
		}
		free(found);
		if (err)
			return err;
		if (dump_is_in(ret->data, ret->len))
			return NULL;
	}
	return error_hint(error_new(ENODATA, "There are no records of a kernel that has died in %s",
				    folder),
			  "It needs memory that survives a reboot (ramoops), and the module's parameter "
			  "dump_on_panic");
}

static struct error *recover_printed(const struct recover_command *c, const char *input,
				     const char *output, const struct description *like)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = NULL;

	if (c->console) {
		_cleanup_free_ char *read = NULL;
		size_t len;

		err = file_read(c->console, &read, &len);
		if (!err)
			strbuf_add(&text, read, len);
	} else {
		err = read_pstore(c->pstore, &text);
	}
	if (!err && text.failed)
		err = &error_no_memory;
	return err ? err : recover_text(&text, input, output, like);
}

/* Recover the sessions of a kernel that has died. */
static struct error *recover_dead(const struct recover_command *c, const char *input,
				  const char *output)
{
	_cleanup_(description) struct description like = { 0 };
	struct reader *reader = NULL;
	struct error *err = NULL;

	if (c->formats)
		err = reader_open(c->formats, &reader);
	if (!err && reader)
		err = description_of(reader, &like);
	if (err)
		return err;
	return c->vmcore ? recover_vmcore(input, output, reader ? &like : NULL) :
			   recover_printed(c, input, output, reader ? &like : NULL);
}

static struct error *recover_run(const struct recover_command *c, const char *input)
{
	_cleanup_(reader) struct reader *reader = NULL, *like = NULL;
	struct recovery recovery;
	struct error *err;

	if (file_is_same(input, c->output))
		return error_hint(error_new(EEXIST, "%s is the recording to recover, so nothing "
					    "can be written to it", c->output),
				  "Write to another file with -o FILE");
	err = reader_open(input, &reader);
	if (!err && c->formats)
		err = reader_open(c->formats, &like);
	if (err)
		return err;
	/* The file is read once and its intact records are copied, so its size counts twice. */
	progress_begin("Recovering", 2 * reader_bytes_left(reader));
	err = recover_to(reader, like, c->output, &recovery);
	progress_end();
	if (!err)
		report(input, c->output, &recovery);
	return err;
}

static struct error *recover_take_pstore(void *data, const char *argument)
{
	struct recover_command *c = data;

	c->pstore = argument ? argument : PSTORE;
	return NULL;
}

struct error *cmd_recover(int argc, char **argv, int *ret_status)
{
	struct recover_command c = { 0 };
	const struct option_spec options[] = {
		OPT_STRING("output", &c.output),
		OPT_STRING("formats", &c.formats),
		OPT_STRING("vmcore", &c.vmcore),
		OPT_STRING("console", &c.console),
		OPT_CALL("pstore", &c, recover_take_pstore),
		RECORDING_QUIET_OPTION,
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "recover",
		.synopsis = "[OPTIONS] {FILE | --vmcore=FILE | --console=FILE | --pstore[=DIR]}",
		.options = options,
	};
	_cleanup_free_ char *output = NULL;
	const char *input;
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	input = c.vmcore ? c.vmcore : c.console ? c.console : c.pstore ? "pstore" : argv[index];
	if ((c.vmcore != NULL) + (c.console != NULL) + (c.pstore != NULL) + argc - index != 1)
		return error_hint(error_new(EINVAL, "recover takes one recording, --vmcore, --console or "
					    "--pstore"),
				  "'ktrace recover FILE' writes FILE.recovered");
	if (!c.output && asprintf(&output, "%s.recovered", input) < 0) {
		output = NULL;
		return &error_no_memory;
	}
	if (output)
		c.output = output;
	return c.vmcore || c.console || c.pstore ? recover_dead(&c, input, c.output) :
						   recover_run(&c, input);
}

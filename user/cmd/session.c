// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "capture/ktrace/kept.h"
#include "cmd/command.h"
#include "cmd/subcommand.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "record/ledger.h"
#include "recorder/kept_reader.h"
#include "terminal/options.h"

/* Shared data of the commands of `ktrace session`. */
struct session_command {
	const char *name;	/* of the session */
	const char *output;
	bool once, discard;
};

/* "3 s", "12 min", "5 h", "2 d": how old something is. */
static void print_age(uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	if (s < 120)
		printf("%7" PRIu64 " s  ", s);
	else if (s < 7200)
		printf("%7" PRIu64 " min", s / 60);
	else if (s < 172800)
		printf("%7" PRIu64 " h  ", s / 3600);
	else
		printf("%7" PRIu64 " d  ", s / 86400);
}

static struct error *session_print(void *data)
{
	_cleanup_(kept_list) struct kept_list list = { 0 };
	struct error *err = kept_list_read(&list);

	if (err)
		return err;
	if (!list.nr) {
		log_notice("There are no sessions. 'ktrace record --detach NAME' makes one.");
		return NULL;
	}
	printf("%-31s %-8s %-10s %-10s %s\n", "NAME", "STATE", "USER", "       AGE", "READER");
	for (size_t i = 0; i < list.nr; i++) {
		const struct kept_info *s = &list.items[i];
		const struct passwd *user = getpwuid(s->uid);
		char number[16];

		snprintf(number, sizeof(number), "%u", s->uid);
		printf("%-31s %-8s %-10s ", s->name, s->running ? "running" : "stopped",
		       user ? user->pw_name : number);
		print_age(s->age);
		if (s->reader)
			printf(" %d\n", s->reader);
		else
			printf(" -\n");
	}
	return NULL;
}

static struct error *session_list(struct subcommand_call *call)
{
	const struct option_spec options[] = { { 0 } };

	return subcommand_do(call, options, session_print);
}

/* Print the totals since the session began. */
static void tell_totals(const struct session_command *c, const struct kept_reader *reader)
{
	struct ledger_row sum = ledger_sum(&reader->totals, UINT32_MAX);

	log_notice("Since it began, the session %s has recorded %" PRIu64 " samples, filtered out %"
		   PRIu64 " and lost %" PRIu64 ".", c->name, sum.recorded, sum.filtered,
		   ledger_row_lost(&sum));
}

static void tell_written(const struct session_command *c, const struct kept_reader *reader)
{
	if (log_quiet || !strcmp(c->output, "-"))
		return;
	fprintf(stderr, "[ ktrace session: Captured and wrote %.3f MB %s (%" PRIu64 " samples) ]\n",
		reader->file.bytes / 1024.0 / 1024, c->output, reader->file.samples);
}

static struct error *session_write(struct session_command *c, bool ends, bool snapshot)
{
	_cleanup_(kept_reader) struct kept_reader reader = KEPT_READER_INIT;
	struct error *err = kept_reader_open(c->name, ends, &reader);

	if (!err && snapshot && !reader.captures.overwrite)
		err = error_hint(error_new(EOPNOTSUPP, "The rings of the session %s do not overwrite, so "
					   "each record is read once", c->name),
				 "'ktrace session attach --once %s' writes their contents",
				 c->name);
	if (!err && !snapshot && !ends && reader.captures.overwrite)
		err = error_hint(error_new(EOPNOTSUPP, "The rings of the session %s overwrite, so they "
					   "are not read all the time", c->name),
				 "'ktrace session snapshot %s' writes their contents", c->name);
	if (!err)
		err = kept_reader_write(&reader, c->output, c->once);
	if (err)
		return err;
	tell_written(c, &reader);
	if (ends)
		tell_totals(c, &reader);
	else
		log_notice("The session %s goes on.", c->name);
	return NULL;
}

#define OUTPUT_OPTION \
	OPT_STRING("output", &c.output), \
	OPT_COUNT("verbose", &log_verbosity), \
	RECORDING_QUIET_OPTION

/* Do @run with the session whose name is the call's one argument. */
static struct error *session_do(struct subcommand_call *call, struct session_command *c,
				const struct option_spec *options,
				struct error *(*run)(struct session_command *c))
{
	int index;
	struct error *err = subcommand_parse(call, "[OPTIONS] NAME", options, &index);

	if (err || index < 0)
		return err;
	if (call->argc - index != 1)
		return error_hint(error_new(EINVAL, "session %s takes the name of one session, not %d "
					    "names", call->row->name, call->argc - index),
				  "'ktrace session list' shows the names");
	c->name = call->argv[index];
	if (!c->output)
		c->output = "perf.data";
	return run(c);
}

static struct error *session_read(struct session_command *c)
{
	return session_write(c, false, false);
}

static struct error *session_attach(struct subcommand_call *call)
{
	struct session_command c = { 0 };
	const struct option_spec options[] = {
		OUTPUT_OPTION,
		OPT_FLAG("once", &c.once),
		{ 0 },
	};

	return session_do(call, &c, options, session_read);
}

static struct error *session_copy(struct session_command *c)
{
	return session_write(c, false, true);
}

static struct error *session_snapshot(struct subcommand_call *call)
{
	struct session_command c = { 0 };
	const struct option_spec options[] = { OUTPUT_OPTION, { 0 } };

	return session_do(call, &c, options, session_copy);
}

static struct error *session_end(struct session_command *c)
{
	if (c->discard && strcmp(c->output, "perf.data"))
		return error_hint(error_new(EINVAL, "session stop --discard writes nothing, so it takes "
					    "no -o"), "Leave out one of them");
	return c->discard ? kept_end(c->name) : session_write(c, true, false);
}

static struct error *session_stop(struct subcommand_call *call)
{
	struct session_command c = { 0 };
	const struct option_spec options[] = {
		OUTPUT_OPTION,
		OPT_FLAG("discard", &c.discard),
		{ 0 },
	};

	return session_do(call, &c, options, session_end);
}

static const struct subcommand session_commands[] = {
	SUBCOMMAND("list", "list the sessions", session_list),
	SUBCOMMAND("attach", "write the records of a session, until interrupted", session_attach),
	SUBCOMMAND("snapshot", "write the contents of rings that overwrite", session_snapshot),
	SUBCOMMAND("stop", "write the remaining records, and end a session", session_stop),
	{ 0 },
};

struct error *cmd_session(int argc, char **argv, int *ret_status)
{
	const struct option_spec options[] = { { 0 } };
	const struct command_usage usage = {
		.name = "session",
		.synopsis = "[OPTIONS] {list|attach|snapshot|stop} [NAME]",
		.options = options,
		.commands = session_commands,
	};
	struct error *err;

	interrupt_begin();
	err = subcommands_run(&usage, NULL, argc, argv, ret_status);
	if (err && interrupt_signal())
		error_report(err);
	interrupt_end_by_signal();
	return err;
}

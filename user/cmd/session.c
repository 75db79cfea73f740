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

/* What the commands of `ktrace session` have in common. */
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

static struct error *session_list(int argc, char **argv)
{
	const struct option_spec options[] = { { 0 } };
	_cleanup_(kept_list) struct kept_list list = { 0 };
	struct error *err;
	bool run;

	err = subcommand_parse("session", options, argc, argv, &run);
	if (!err && run)
		err = kept_list_read(&list);
	if (err || !run)
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

static struct error *session_parse(struct session_command *c, const struct option_spec *options,
				   int argc, char **argv, bool *ret_run)
{
	const char *command = argv[0];
	char synopsis[64];
	const struct command_usage usage = {
		.name = "session", .synopsis = synopsis, .options = options,
	};
	struct error *err;
	int index;

	snprintf(synopsis, sizeof(synopsis), "%s [OPTIONS] NAME", command);
	err = command_parse(&usage, argc, argv, &index);
	*ret_run = !err && index >= 0;
	if (!*ret_run)
		return err;
	if (argc - index != 1)
		return error_hint(error_new(EINVAL, "session %s takes the name of one session, not %d "
					    "names", command, argc - index),
				  "'ktrace session list' shows the names");
	c->name = argv[index];
	if (!c->output)
		c->output = "perf.data";
	return NULL;
}

/* What became of all that fired since the session began. */
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
				 "'ktrace session attach --once %s' writes what they hold", c->name);
	if (!err && !snapshot && !ends && reader.captures.overwrite)
		err = error_hint(error_new(EOPNOTSUPP, "The rings of the session %s overwrite, so they "
					   "are not read all the time", c->name),
				 "'ktrace session snapshot %s' writes what they hold", c->name);
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
	{ OPTION_STRING, 'o', "output", "FILE", "write FILE (perf.data)", &c.output, NULL }, \
	{ OPTION_COUNT, 'v', "verbose", NULL, "print more messages", &log_verbosity, NULL }, \
	RECORDING_QUIET_OPTION

static struct error *session_attach(int argc, char **argv)
{
	struct session_command c = { 0 };
	const struct option_spec options[] = {
		OUTPUT_OPTION,
		{ OPTION_FLAG, 0, "once", NULL, "write what the rings hold, and end", &c.once, NULL },
		{ 0 },
	};
	bool run;
	struct error *err = session_parse(&c, options, argc, argv, &run);

	return err || !run ? err : session_write(&c, false, false);
}

static struct error *session_snapshot(int argc, char **argv)
{
	struct session_command c = { 0 };
	const struct option_spec options[] = { OUTPUT_OPTION, { 0 } };
	bool run;
	struct error *err = session_parse(&c, options, argc, argv, &run);

	return err || !run ? err : session_write(&c, false, true);
}

static struct error *session_stop(int argc, char **argv)
{
	struct session_command c = { 0 };
	const struct option_spec options[] = {
		OUTPUT_OPTION,
		{ OPTION_FLAG, 0, "discard", NULL, "throw away what the rings hold", &c.discard,
		  NULL },
		{ 0 },
	};
	bool run;
	struct error *err = session_parse(&c, options, argc, argv, &run);

	if (!err && run && c.discard && strcmp(c.output, "perf.data"))
		err = error_hint(error_new(EINVAL, "session stop --discard writes nothing, so it takes "
					   "no -o"), "Leave out one of them");
	if (err || !run)
		return err;
	return c.discard ? kept_end(c.name) : session_write(&c, true, false);
}

struct error *cmd_session(int argc, char **argv, int *ret_status)
{
	static const struct {
		const char *name;
		struct error *(*run)(int argc, char **argv);
	} commands[] = {
		{ "list", session_list },
		{ "attach", session_attach },
		{ "snapshot", session_snapshot },
		{ "stop", session_stop },
	};
	static const char *const names[] = { "list", "attach", "snapshot", "stop", NULL };
	const struct option_spec options[] = { { 0 } };
	const struct command_usage usage = {
		.name = "session",
		.synopsis = "[OPTIONS] {list|attach|snapshot|stop} [NAME]",
		.details = ". 'ktrace session COMMAND --help' prints the options of a command",
		.options = options,
		.stop_at_argument = true,
	};
	struct error *err;
	bool run;

	(void)ret_status;
	err = subcommand_find("session", &usage, &argc, &argv, &run);
	if (err || !run)
		return err;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (!subcommand_is(commands[i].name, argv[0]))
			continue;
		interrupt_begin();
		err = commands[i].run(argc, argv);
		if (err && interrupt_signal())
			error_report(err);
		interrupt_end_by_signal();
		return err;
	}
	return subcommand_unknown("session", names, argv[0]);
}

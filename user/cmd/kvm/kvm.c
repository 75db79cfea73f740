// SPDX-License-Identifier: GPL-2.0
#include "cmd/kvm/kvm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/selection_words.h"
#include "cmd/table_options.h"
#include "lib/file.h"
#include "output/rendering.h"
#include "table/kvm/kvm_text.h"

struct kvm_command {
	struct subcommand_input from;
	struct selection_words words;
	struct symbol_options symbols;
	struct kvm_options options;
	struct table_output output;
	bool host, guest;
	struct selection selection;
	struct reader *reader;
	struct machine *machine;
};

/* Where perf kvm puts its recordings. */
static const char *kvm_file(const struct kvm_command *c)
{
	if (c->from.input)
		return c->from.input;
	return c->host && c->guest ? "perf.data.kvm" : c->host ? "perf.data.host" :
		"perf.data.guest";
}

/* The numbers of virtual CPUs are in kvm_entry, except on arm64. */
static struct error *kvm_check_vcpu(struct kvm_command *c)
{
	const struct event_format *format =
		formats_find_name(reader_formats(c->reader), "kvm", "kvm_entry");

	if (!c->options.vcpu || !format || event_format_field(format, "vcpu_id"))
		return NULL;
	return error_hint(error_new(ENODATA, "--vcpu cannot choose: kvm:kvm_entry of this recording "
				    "does not say which virtual CPU runs"),
			  "-p chooses a virtual machine");
}

static struct error *kvm_check_events(struct kvm_command *c)
{
	struct error *err = vm_events_check(c->options.events.class, reader_events(c->reader));

	return err ? err : kvm_check_vcpu(c);
}

static struct error *kvm_open(struct kvm_command *c)
{
	struct error *err = recording_open(kvm_file(c), &c->reader);

	if (!err)
		err = reader_read_header(c->reader);
	/* The events of a pipe can come later. */
	return err || reader_header(c->reader)->is_pipe ? err : kvm_check_events(c);
}

static struct error *kvm_show(struct kvm_command *c)
{
	_cleanup_(vm_events) struct vm_events *events = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = kvm_options_resolve(&c->options);

	if (!err)
		err = kvm_open(c);
	c->words.pids = c->options.pids;
	if (!err)
		err = selection_words_parse(&c->words, reader_header(c->reader), NULL,
					    &c->selection);
	if (!err)
		err = recording_machine(c->reader, &c->symbols, &c->machine);
	if (!err)
		err = vm_events_create(&c->options.events, &events);
	if (!err)
		err = recording_sum_up(c->reader, c->machine, &c->selection, &events->consumer,
				       &c->output);
	if (!err)
		err = kvm_check_events(c);
	if (err)
		return err;
	kvm_table_add(events, c->options.sort, c->options.pids, &c->output, &text);
	return rendering_print(stdout, &text);
}

static struct error *kvm_report(struct kvm_command *c, int argc, char **argv)
{
	const struct option_spec options[] = {
		KVM_TABLE_OPTIONS(&c->options),
		{ OPTION_STRING, 'p', "pid", "LIST", "only these processes", &c->options.pids,
		  NULL },
		{ OPTION_STRING, 0, "time", "START,STOP",
		  "only this time: seconds, or 10%/2, or 0%-10%", &c->words.times, NULL },
		TABLE_FORMAT_OPTIONS(&c->output),
		SUBCOMMAND_INPUT_OPTIONS(&c->from),
		{ 0 },
	};
	struct error *err;
	bool run;

	err = subcommand_parse("kvm", options, argc, argv, &run);
	return err || !run ? err : kvm_show(c);
}

static struct error *kvm_record(struct kvm_command *c, char **argv, int *ret_status)
{
	static const char *const always[] = { KVM_EVENTS_ALWAYS, NULL };
	static const char *const if_there[] = { KVM_EVENTS_IF_THERE, NULL };
	const struct subcommand_events events[] = { { "kvm", always, if_there }, { 0 } };
	const char *const words[] = { "-m", "1024", "-c", "1", "-o", kvm_file(c), NULL };

	return subcommand_record(words, events, argv, ret_status);
}

#define KVM_STAT_SYNOPSIS "stat {record|report|live} [OPTIONS]"
#define KVM_STAT_DETAILS \
	". 'stat record' records when guests of KVM are left and entered, 'stat report' sums up " \
	"why and for how long, and 'stat live' does so meanwhile. " \
	"'ktrace kvm stat report --help' prints the options of one of them"

static struct error *kvm_stat(struct kvm_command *c, int argc, char **argv, int *ret_status)
{
	static const char *const names[] = { "record", "report", "live", NULL };
	/* Help and errors call the commands so. */
	static char report[] = "stat report", live[] = "stat live";
	const struct option_spec options[] = {
		SUBCOMMAND_INPUT_OPTIONS(&c->from),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "kvm",
		.synopsis = KVM_STAT_SYNOPSIS,
		.details = KVM_STAT_DETAILS,
		.options = options,
		.stop_at_argument = true,
	};
	struct error *err;
	bool run;

	err = subcommand_find("kvm stat", &usage, &argc, &argv, &run);
	if (err || !run)
		return err;
	if (subcommand_is("record", argv[0]))
		return kvm_record(c, argv, ret_status);
	if (subcommand_is("report", argv[0])) {
		argv[0] = report;
		return kvm_report(c, argc, argv);
	}
	if (subcommand_is("live", argv[0])) {
		argv[0] = live;
		return kvm_live(&c->options, argc, argv);
	}
	return error_hint(subcommand_unknown("kvm stat", names, argv[0]),
			  "There are record, report and live; 'ktrace stat' counts events");
}

static struct error *kvm_run(struct kvm_command *c, int argc, char **argv, int *ret_status)
{
	static const char *const names[] = { "stat", NULL };
	static const char *const perfs[] = { "top", "record", "report", "diff", "buildid-list" };

	if (!strcmp(argv[0], "stat"))
		return kvm_stat(c, argc, argv, ret_status);
	for (size_t i = 0; i < sizeof(perfs) / sizeof(*perfs); i++)
		if (!strcmp(argv[0], perfs[i]))
			return error_hint(error_new(ENOSYS, "ktrace kvm %s is not built: samples in "
						    "guests are counted, but not shown", argv[0]),
					  "'perf kvm %s' shows what ran in guests", argv[0]);
	return subcommand_unknown("kvm", names, argv[0]);
}

struct error *cmd_kvm(int argc, char **argv, int *ret_status)
{
	struct kvm_command c = { 0 };
	const struct option_spec options[] = {
		{ OPTION_STRING, 'o', "output", "FILE", "record to FILE (perf.data.guest)",
		  &c.from.input, NULL },
		{ OPTION_FLAG, 0, "guest", NULL, "accepted as in perf: it names the file",
		  &c.guest, NULL },
		{ OPTION_FLAG, 0, "host", NULL,
		  "the same: perf.data.host, or with both perf.data.kvm", &c.host, NULL },
		SUBCOMMAND_INPUT_OPTIONS(&c.from),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "kvm",
		.synopsis = "[OPTIONS] " KVM_STAT_SYNOPSIS,
		.details = KVM_STAT_DETAILS,
		.options = options,
		.stop_at_argument = true,
	};
	struct error *err;
	bool run;

	err = subcommand_find("kvm", &usage, &argc, &argv, &run);
	if (err || !run)
		return err;
	err = kvm_run(&c, argc, argv, ret_status);
	machine_destroy(c.machine);
	reader_close(c.reader);
	selection_deinit(&c.selection);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/kvm/kvm.h"

#include <errno.h>
#include <stdlib.h>

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
	struct recording in;
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
		formats_find_name(reader_formats(c->in.reader), "kvm", "kvm_entry");

	if (!c->options.vcpu || !format || event_format_field(format, "vcpu_id"))
		return NULL;
	return error_hint(error_new(ENODATA, "--vcpu cannot choose: kvm:kvm_entry of this recording "
				    "does not say which virtual CPU runs"),
			  "-p chooses a virtual machine");
}

static struct error *kvm_check_events(void *data)
{
	struct kvm_command *c = data;
	struct error *err = vm_events_check(c->options.events.class, reader_events(c->in.reader));

	return err ? err : kvm_check_vcpu(c);
}

static struct error *kvm_show(void *data)
{
	_cleanup_(vm_events) struct vm_events *events = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct kvm_command *c = data;
	struct error *err = kvm_options_resolve(&c->options);

	c->words.pids = c->options.pids;
	c->in = (struct recording){ .check = kvm_check_events, .data = c };
	if (!err)
		err = recording_begin(&c->in, kvm_file(c), &c->words, &c->symbols);
	if (!err)
		err = vm_events_create(&c->options.events, &events);
	if (!err)
		err = recording_sum_up(&c->in, &events->consumer, &c->output);
	if (err)
		return err;
	kvm_table_add(events, c->options.sort, c->options.pids, &c->output, &text);
	return rendering_print(stdout, &text);
}

static struct error *kvm_report(struct subcommand_call *call)
{
	struct kvm_command *c = call->data;
	const struct option_spec options[] = {
		KVM_TABLE_OPTIONS(&c->options),
		OPT_STRING("pid", &c->options.pids),
		OPT_STRING("time", &c->words.times),
		TABLE_FORMAT_OPTIONS(&c->output),
		SUBCOMMAND_INPUT_OPTIONS(&c->from),
		{ 0 },
	};

	return subcommand_do(call, options, kvm_show);
}

static struct error *kvm_record(struct subcommand_call *call)
{
	const char *const options[] = {
		"-m", "1024", "-c", "1", "-o", kvm_file(call->data), NULL,
	};

	return subcommand_record(call, options, kvm_events, 0);
}

static struct error *kvm_live_of(struct subcommand_call *call)
{
	struct kvm_command *c = call->data;

	return kvm_live(call, &c->options);
}

static const struct subcommand kvm_stat_commands[] = {
	SUBCOMMAND("record", "record when guests of KVM exit and are entered", kvm_record),
	SUBCOMMAND("report", "sum up why guests exited, and for how long", kvm_report),
	SUBCOMMAND("live", "show live why guests exit", kvm_live_of),
	{ 0 },
};

static struct error *kvm_stat(struct subcommand_call *call)
{
	struct kvm_command *c = call->data;
	const struct option_spec options[] = {
		SUBCOMMAND_INPUT_OPTIONS(&c->from),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "kvm stat", .options = options, .commands = kvm_stat_commands,
	};

	return subcommands_run(&usage, c, call->argc, call->argv, call->ret_status);
}

#define KVM_OF_PERF(name) \
	SUBCOMMAND_LATER(name, "Samples in guests are counted, but not shown: 'perf kvm " name \
			       "' shows the functions of guests")

static const struct subcommand kvm_commands[] = {
	{ "stat", NULL, kvm_stat, kvm_stat_commands, NULL },
	KVM_OF_PERF("top"),
	KVM_OF_PERF("record"),
	KVM_OF_PERF("report"),
	KVM_OF_PERF("diff"),
	KVM_OF_PERF("buildid-list"),
	{ 0 },
};

struct error *cmd_kvm(int argc, char **argv, int *ret_status)
{
	struct kvm_command c = { 0 };
	const struct option_spec options[] = {
		OPT_STRING("output", &c.from.input),
		OPT_FLAG("guest", &c.guest),
		OPT_FLAG("host", &c.host),
		SUBCOMMAND_INPUT_OPTIONS(&c.from),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "kvm", .options = options, .commands = kvm_commands,
	};
	struct error *err = subcommands_run(&usage, &c, argc, argv, ret_status);

	recording_end(&c.in);
	return err;
}

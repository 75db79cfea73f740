// SPDX-License-Identifier: GPL-2.0
#include "table/lock/lock_contention.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/subcommand.h"
#include "cmd/table_options.h"
#include "output/rendering.h"
#include "session/callchain.h"
#include "states/known_events.h"
#include "table/lock/lock_text.h"
#include "terminal/word_list.h"

struct lock_command {
	struct subcommand_input from;
	struct symbol_options symbols;
	struct selection_words words;
	struct lock_contention_options options;
	struct lock_text text;
	struct table_output output;
	const char *key, *fields;
	bool report, threads, addresses, owners, join, map;
	unsigned int entries;
	struct recording in;
};

static const char *const lock_key_names[LOCK_KEYS] = {
	[LOCK_ACQUIRED] = "acquired", [LOCK_CONTENDED] = "contended",
	[LOCK_AVG_WAIT] = "avg_wait", [LOCK_WAIT_TOTAL] = "wait_total",
	[LOCK_WAIT_MAX] = "wait_max", [LOCK_WAIT_MIN] = "wait_min",
};

/* As in perf, the sort key is also shown. */
static struct error *lock_set_fields(struct lock_command *c, enum lock_key *ret_sort)
{
	static const char no_field[] = "lock has no field";
	const struct word_table *keys = WORDS(lock_key_names);
	struct error *err = word_parse_list(keys, no_field, c->fields, c->text.keys,
					    &c->text.nr_keys);

	if (!err)
		err = word_parse(keys, no_field, c->key, ret_sort);
	return err ? err : word_parse_list(keys, no_field, c->key, c->text.keys, &c->text.nr_keys);
}

/* Report waits without a known owner, so that the owners' times are not taken for all waits. */
static void lock_tell_unknown(const struct lock_contention *locks)
{
	for (size_t i = 0; i < locks->rows.nr; i++) {
		const struct lock_row *row = &locks->rows.items[i];

		if ((int32_t)row->key == LOCK_OWNER_UNKNOWN)
			log_notice("Of %llu waits, %.3f ms have no known owner: nobody wakes tasks "
				   "that only spin, and a task outside of the recording or an "
				   "interrupt may have released the lock.",
				   (unsigned long long)row->acquired, row->total / 1e6);
	}
}

static struct error *lock_check(void *data)
{
	const struct lock_command *c = data;
	const struct event_list *events = reader_events(c->in.reader);
	struct error *err = lock_contention_check(events);

	return err || !c->owners ? err : needed_events_check(NEEDED_LOCK_OWNERS, events);
}

static struct error *lock_read(struct lock_command *c, struct lock_contention **ret)
{
	struct error *err;

	c->in = (struct recording){ .check = lock_check, .data = c };
	err = recording_begin(&c->in, c->from.input, &c->words, &c->symbols);
	if (!err)
		err = lock_contention_create(&c->options, ret);
	if (!err)
		err = recording_sum_up(&c->in, &(*ret)->consumer, &c->output);
	if (!err && (*ret)->unended)
		log_notice(LOCK_TELLS_UNENDED, (unsigned long long)(*ret)->unended);
	return err;
}

/* -k is --key here, as in perf. */
#define LOCK_COMMON_OPTIONS(c) \
	OPT_STRING("vmlinux", &(c)->symbols.vmlinux), \
	OPT_STRING("kallsyms", &(c)->symbols.kallsyms), \
	SUBCOMMAND_INPUT_OPTIONS(&(c)->from), \
	RECORDING_QUIET_OPTION

/* Rows of option tables that several commands of lock share. */
#define LOCK_READ_OPTIONS(c) \
	OPT_STRING("time", &(c)->words.times), \
	LOCK_COMMON_OPTIONS(c)
#define LOCK_TABLE_OPTIONS(c) \
	OPT_FLAG("combine-locks", &(c)->join), \
	OPT_FLAG("threads", &(c)->threads), \
	OPT_STRING("key", &(c)->key), \
	OPT_STRING("field", &(c)->fields), \
	OPT_UINT("entries", &(c)->entries), \
	TABLE_SEPARATOR_OPTIONS(&(c)->output), \
	LOCK_CHAIN_OPTIONS(c)
#define LOCK_CHAIN_OPTIONS(c) \
	OPT_UINT("max-stack", &(c)->options.depth), \
	OPT_UINT("stack-skip", &(c)->options.skip)

static struct error *lock_show(void *data)
{
	struct lock_command *c = data;
	_cleanup_(lock_contention) struct lock_contention *locks = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	enum lock_key sort;
	struct error *err;

	if (c->addresses && (c->threads || c->owners))
		return error_new(EINVAL, "lock contention -l and %s are different tables: "
				 "choose one", c->owners ? "-o" : "-t");
	if (c->options.depth > CALLCHAIN_DEPTH)
		return error_new(EINVAL, "--max-stack is at most %d", CALLCHAIN_DEPTH);
	c->options.by = c->owners ? LOCK_BY_OWNER : c->threads ? LOCK_BY_TASK :
			c->addresses || c->report ? LOCK_BY_ADDRESS : LOCK_BY_CALLER;
	c->options.caller_names = c->report;
	err = lock_filter_check(&c->options.filter);
	if (!err)
		err = lock_set_fields(c, &sort);
	if (!err)
		err = lock_read(c, &locks);
	if (err)
		return err;
	if (c->owners)
		lock_tell_unknown(locks);
	if (c->join)
		lock_contention_join(locks);
	lock_contention_sort(locks, sort);
	c->text.locks = locks;
	c->text.by = c->options.by;
	c->text.entries = c->entries ? c->entries : SIZE_MAX;
	c->text.stacks = log_verbosity > 0 ? c->in.machine : NULL;
	if (c->report)
		lock_report_add(&c->text, &c->output, &text);
	else
		lock_contention_add(&c->text, &c->output, &text);
	return rendering_print(stdout, &text);
}

static struct error *lock_contention(struct subcommand_call *call)
{
	struct lock_command *c = call->data;
	const struct option_spec options[] = {
		OPT_FLAG("lock-addr", &c->addresses),
		OPT_FLAG("lock-owner", &c->owners),
		OPT_STRING("type-filter", &c->options.filter.types),
		OPT_STRING("lock-filter", &c->options.filter.locks),
		OPT_STRING("callstack-filter", &c->options.filter.functions),
		LOCK_TABLE_OPTIONS(c),
		LOCK_READ_OPTIONS(c),
		{ 0 },
	};

	c->key = "wait_total";
	c->fields = "contended,wait_total,wait_max,avg_wait";
	return subcommand_do(call, options, lock_show);
}

static struct error *lock_report(struct subcommand_call *call)
{
	struct lock_command *c = call->data;
	const struct option_spec options[] = {
		LOCK_TABLE_OPTIONS(c),
		LOCK_READ_OPTIONS(c),
		{ 0 },
	};

	c->report = true;
	c->key = "acquired";
	c->fields = "acquired,contended,avg_wait,wait_total,wait_max,wait_min";
	return subcommand_do(call, options, lock_show);
}

static struct error *lock_show_info(void *data)
{
	_cleanup_(lock_contention) struct lock_contention *locks = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct lock_command *c = data;
	struct error *err;

	c->options.by = LOCK_BY_ADDRESS;
	c->options.caller_names = true;
	err = lock_read(c, &locks);
	if (err)
		return err;
	if (c->threads || !c->map)
		lock_threads_text_add(locks, &text);
	if (c->threads == c->map)
		strbuf_addch(&text, '\n');
	lock_contention_sort_names(locks);
	if (c->map || !c->threads)
		lock_map_text_add(locks, &text);
	return rendering_print(stdout, &text);
}

static struct error *lock_info(struct subcommand_call *call)
{
	struct lock_command *c = call->data;
	const struct option_spec options[] = {
		OPT_FLAG("threads", &c->threads),
		OPT_FLAG("map", &c->map),
		LOCK_CHAIN_OPTIONS(c),
		LOCK_READ_OPTIONS(c),
		{ 0 },
	};

	return subcommand_do(call, options, lock_show_info);
}

static struct error *lock_record(struct subcommand_call *call)
{
	static const char *const options[] = {
		"-m", "1024", "-c", "1", "--call-graph", "fp", NULL,
	};
	static const struct subcommand_events events[] = {
		{ "lock", "contention_begin contention_end", NULL, 0 },
		{ "sched", "sched_waking", NULL, 1 },
		{ 0 },
	};
	const char *first = call->argc > 1 ? call->argv[1] : "";
	bool owners = !strcmp(first, "--lock-owner");

	/* The options behind it are those of `ktrace record`. */
	call->argv += owners;
	return subcommand_record(call, options, events, owners);
}

static const struct subcommand lock_commands[] = {
	SUBCOMMAND("record", "record the waits of tasks for kernel locks", lock_record),
	SUBCOMMAND("contention", "sum up the waits by the function that waited", lock_contention),
	SUBCOMMAND("report", "sum up the waits by lock", lock_report),
	SUBCOMMAND("info", "list the threads that waited, and the locks", lock_info),
	{ 0 },
};

struct error *cmd_lock(int argc, char **argv, int *ret_status)
{
	struct lock_command c = { .options.depth = LOCK_DEPTH };
	const struct option_spec options[] = {
		LOCK_COMMON_OPTIONS(&c),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "lock", .options = options, .commands = lock_commands,
	};
	struct error *err = subcommands_run(&usage, &c, argc, argv, ret_status);

	recording_end(&c.in);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "terminal/word_list.h"

static const char *const formats[] = { "default", "simple" };

#define BENCH_OF_PERF(collection, name) \
	SUBCOMMAND_LATER(name, "'perf bench " collection name "' is there")

static struct error *bench_all_of_sched(struct subcommand_call *call);
static struct error *bench_all_of_syscall(struct subcommand_call *call);
static struct error *bench_all_of_mem(struct subcommand_call *call);
static struct error *bench_all_of_futex(struct subcommand_call *call);

static const struct subcommand bench_sched[] = {
	SUBCOMMAND("messaging", "send messages among groups of processes", bench_sched_messaging),
	SUBCOMMAND("pipe", "send words between two processes through pipes", bench_sched_pipe),
	SUBCOMMAND("all", "run all suites of sched", bench_all_of_sched),
	BENCH_OF_PERF("sched ", "seccomp-notify"),
	{ 0 },
};

static const struct subcommand bench_syscall[] = {
	SUBCOMMAND("basic", "call getppid()", bench_syscall_basic),
	SUBCOMMAND("all", "run all suites of syscall", bench_all_of_syscall),
	BENCH_OF_PERF("syscall ", "getpgid"),
	BENCH_OF_PERF("syscall ", "fork"),
	BENCH_OF_PERF("syscall ", "execve"),
	{ 0 },
};

static const struct subcommand bench_mem[] = {
	SUBCOMMAND("memcpy", "copy memory", bench_mem_memcpy),
	SUBCOMMAND("memset", "fill memory", bench_mem_memset),
	SUBCOMMAND("all", "run all suites of mem", bench_all_of_mem),
	BENCH_OF_PERF("mem ", "find_bit"),
	BENCH_OF_PERF("mem ", "mmap"),
	{ 0 },
};

static const struct subcommand bench_futex[] = {
	SUBCOMMAND("hash", "look up futexes that no thread waits for", bench_futex_hash),
	SUBCOMMAND("wake", "wake threads that wait for a futex", bench_futex_wake),
	SUBCOMMAND("all", "run all suites of futex", bench_all_of_futex),
	BENCH_OF_PERF("futex ", "wake-parallel"),
	BENCH_OF_PERF("futex ", "requeue"),
	BENCH_OF_PERF("futex ", "lock-pi"),
	{ 0 },
};

/* Run the suites of a collection, each with its defaults, up to the row that does this. */
static struct error *bench_all(struct subcommand_call *call, const char *collection,
			       const struct subcommand *suites)
{
	struct bench *bench = call->data;
	const struct option_spec none[] = { { 0 } };
	struct error *err;
	bool help;

	err = bench_parse(call, none, &help);
	bench->all = true;
	for (; !err && !help && strcmp(suites->name, "all"); suites++) {
		char *argv[] = { (char *)suites->name, NULL };
		struct subcommand_call one = {
			.command = call->command, .row = suites, .data = bench,
			.argc = 1, .argv = argv, .ret_status = call->ret_status,
		};

		printf("# Running %s/%s benchmark...\n", collection, suites->name);
		fflush(stdout);
		err = suites->run(&one);
		printf("\n");
	}
	return err;
}

static struct error *bench_all_of_sched(struct subcommand_call *call)
{
	return bench_all(call, "sched", bench_sched);
}

static struct error *bench_all_of_syscall(struct subcommand_call *call)
{
	return bench_all(call, "syscall", bench_syscall);
}

static struct error *bench_all_of_mem(struct subcommand_call *call)
{
	return bench_all(call, "mem", bench_mem);
}

static struct error *bench_all_of_futex(struct subcommand_call *call)
{
	return bench_all(call, "futex", bench_futex);
}

static struct error *bench_everything(struct subcommand_call *call)
{
	struct error *(*const collections[])(struct subcommand_call *) = {
		bench_all_of_sched, bench_all_of_syscall, bench_all_of_mem, bench_all_of_futex,
	};
	const struct option_spec none[] = { { 0 } };
	bool help;
	struct error *err = bench_parse(call, none, &help);

	for (size_t i = 0; i < ARRAY_SIZE(collections) && !err && !help; i++)
		err = collections[i](call);
	return err;
}

static struct error *bench_collection(struct subcommand_call *call)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	const struct option_spec none[] = { { 0 } };
	struct command_usage usage = { .options = none, .commands = call->row->commands };

	strbuf_addf(&name, "bench %s", call->row->name);
	if (name.failed)
		return &error_no_memory;
	usage.name = name.data;
	return subcommands_run(&usage, call->data, call->argc, call->argv, call->ret_status);
}

static const struct subcommand bench_collections[] = {
	{ "sched", "the scheduler, and communication between processes", bench_collection,
		   bench_sched,
	  NULL },
	{ "syscall", "system calls", bench_collection, bench_syscall, NULL },
	{ "mem", "memory", bench_collection, bench_mem, NULL },
	{ "futex", "futexes", bench_collection, bench_futex, NULL },
	SUBCOMMAND("all", "run everything", bench_everything),
	BENCH_OF_PERF("", "numa"),
	BENCH_OF_PERF("", "epoll"),
	BENCH_OF_PERF("", "internals"),
	BENCH_OF_PERF("", "breakpoint"),
	BENCH_OF_PERF("", "uprobe"),
	{ 0 },
};

static struct error *bench_set_format(void *data, const char *word)
{
	struct bench *bench = data;
	unsigned int row;
	struct error *err = word_parse(WORDS(formats), "bench has no format", word, &row);

	bench->simple = !err && row;
	return err;
}

static const struct option_values values[] = {
	{ "format", "default,simple", NULL, NULL },
	{ 0 },
};

struct error *cmd_bench(int argc, char **argv, int *ret_status)
{
	struct bench bench = { .repeat = 10 };
	const struct option_spec options[] = {
		OPT_CALL("format", &bench, bench_set_format),
		OPT_UINT("repeat", &bench.repeat),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "bench",
		.synopsis = "[OPTIONS] COLLECTION SUITE [OPTIONS]",
		.options = options,
		.values = values,
		.commands = bench_collections,
	};

	return subcommands_run(&usage, &bench, argc, argv, ret_status);
}

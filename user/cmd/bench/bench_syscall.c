// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/bench/bench.h"

struct error *bench_syscall_basic(struct subcommand_call *call)
{
	const struct bench *bench = call->data;
	unsigned int loops = 10000000;
	const struct option_spec options[] = { OPT_UINT("loop", &loops), { 0 } };
	double begin, seconds;
	bool help;
	struct error *err = bench_parse(call, options, &help);

	if (!err && !help)
		err = bench_check_positive("--loop", loops);
	if (err || help)
		return err;
	bench_print_name(bench, "syscall/basic");
	begin = bench_now();
	for (unsigned int i = 0; i < loops; i++)
		syscall(SYS_getppid);
	seconds = bench_now() - begin;
	if (!bench->simple)
		printf("# Executed %u getppid() calls\n", loops);
	bench_print_seconds(bench, seconds);
	if (!bench->simple)
		bench_print_operations(seconds, loops);
	return NULL;
}

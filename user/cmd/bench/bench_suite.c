// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "cmd/bench/bench.h"

struct error *bench_parse(struct subcommand_call *call, const struct option_spec *options,
			  bool *ret_help)
{
	int index;
	struct error *err = subcommand_parse(call, "[OPTIONS]", options, &index);

	*ret_help = !err && index < 0;
	if (!err && index >= 0 && index < call->argc)
		err = error_hint(error_new(EINVAL, "%s %s takes no argument '%s'", call->command,
					   call->row->name, call->argv[index]),
				 "'ktrace %s %s --help' lists its options", call->command,
				 call->row->name);
	return err;
}

void bench_print_name(const struct bench *bench, const char *name)
{
	if (!bench->simple && !bench->all)
		printf("# Running '%s' benchmark:\n", name);
}

void bench_print_seconds(const struct bench *bench, double seconds)
{
	if (bench->simple)
		printf("%.3f\n", seconds);
	else
		printf("     Total time: %.3f [sec]\n", seconds);
}

void bench_print_operations(double seconds, unsigned int times)
{
	printf("\n %14f usecs/op\n %14.0f ops/sec\n", seconds * 1e6 / times, times / seconds);
}

double bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

struct error *bench_check_positive(const char *name, unsigned int value)
{
	if (value)
		return NULL;
	return error_hint(error_new(EINVAL, "%s has to be 1 or more", name), "Leave it out");
}

void bench_mean_add(struct bench_mean *mean, double value)
{
	double off = value - mean->mean;

	mean->mean += off / ++mean->nr;
	mean->sum_of_squares += off * (value - mean->mean);
}

double bench_mean_deviation(const struct bench_mean *mean)
{
	if (mean->nr < 2 || mean->mean == 0)
		return 0;
	return 100 * sqrt(mean->sum_of_squares / (mean->nr - 1) / mean->nr) / mean->mean;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Shared code of the suites of `ktrace bench`. */
#ifndef KTRACE_CMD_BENCH_BENCH_H
#define KTRACE_CMD_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/subcommand.h"
#include "lib/error.h"

/* The data of a call. */
struct bench {
	bool simple;		/* --format simple: numbers alone */
	unsigned int repeat;	/* -r */
	bool all;		/* all suites run, and the name of this one was printed */
};

/* Parse the options of a suite.  *ret_help: help was printed, and nothing is to be run. */
struct error *bench_parse(struct subcommand_call *call, const struct option_spec *options,
			  bool *ret_help);

/* Print the name of a suite, such as "sched/pipe", unless --format simple is given. */
void bench_print_name(const struct bench *bench, const char *name);

/* Print the time that a suite took; with @simple, the number alone. */
void bench_print_seconds(const struct bench *bench, double seconds);

/* Print the time of each of @times operations, and their number in a second. */
void bench_print_operations(double seconds, unsigned int times);

/* A monotonic time, s. */
double bench_now(void);

/* EINVAL: @value of the option @name is 0. */
struct error *bench_check_positive(const char *name, unsigned int value);

/* The mean of numbers, and its uncertainty: the standard deviation in percent of the mean. */
struct bench_mean {
	double mean, sum_of_squares;
	unsigned int nr;
};

void bench_mean_add(struct bench_mean *mean, double value);
double bench_mean_deviation(const struct bench_mean *mean);

/* The suites. */
struct error *bench_sched_messaging(struct subcommand_call *call);
struct error *bench_sched_pipe(struct subcommand_call *call);
struct error *bench_syscall_basic(struct subcommand_call *call);
struct error *bench_mem_memcpy(struct subcommand_call *call);
struct error *bench_mem_memset(struct subcommand_call *call);
struct error *bench_futex_hash(struct subcommand_call *call);
struct error *bench_futex_wake(struct subcommand_call *call);

#endif

// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "capture/feature.h"
#include "cmd/bench/bench.h"
#include "lib/array.h"
#include "lib/cleanup.h"

/* A measured function; @from is not used by filling functions. */
struct bench_memory_function {
	const char *name, *what;
	void (*run)(void *to, const void *from, size_t size);
};

static void bench_memcpy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	/* Keep the compiler from dropping a copy that nobody reads. */
	__asm__ volatile("" : : "r"(to) : "memory");
}

static void bench_memset(void *to, const void *from, size_t size)
{
	(void)from;
	memset(to, 1, size);
	__asm__ volatile("" : : "r"(to) : "memory");
}

#ifdef __x86_64__
static void bench_movsb(void *to, const void *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void bench_movsq(void *to, const void *from, size_t size)
{
	size_t words = size / 8, rest = size % 8;

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
	bench_movsb(to, from, rest);
}

static void bench_stosb(void *to, const void *from, size_t size)
{
	(void)from;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(1) : "memory");
}

static void bench_stosq(void *to, const void *from, size_t size)
{
	size_t words = size / 8, rest = size % 8;

	__asm__ volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(0x0101010101010101) : "memory");
	bench_stosb(to, from, rest);
}
#endif

static const struct bench_memory_function memcpy_functions[] = {
	{ "default", "Default memcpy() provided by glibc", bench_memcpy },
#ifdef __x86_64__
	{ "x86-64-movsq", "copies 8 bytes at a time by rep movsq", bench_movsq },
	{ "x86-64-movsb", "copies bytes by rep movsb", bench_movsb },
#endif
	{ NULL, NULL, NULL },
};

static const struct bench_memory_function memset_functions[] = {
	{ "default", "Default memset() provided by glibc", bench_memset },
#ifdef __x86_64__
	{ "x86-64-stosq", "fills 8 bytes at a time by rep stosq", bench_stosq },
	{ "x86-64-stosb", "fills bytes by rep stosb", bench_stosb },
#endif
	{ NULL, NULL, NULL },
};

struct bench_memory {
	const struct bench *bench;
	const struct bench_memory_function *functions;
	const char *function, *size_text;
	uint64_t size;
	unsigned int loops;
	bool cycles;
	int counter;		/* of cycles; -1: none */
	char *from, *to;
};

/* Parse "16KB"; false: it is not a size, or it is 0. */
static bool bench_parse_size(const char *text, uint64_t *ret)
{
	static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };
	char *unit;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*ret = strtoull(text, &unit, 10);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcasecmp(unit, units[i]) || (!i && !*unit)) {
			if (errno || !*ret || *ret > (UINT64_MAX >> 10 * i))
				return false;
			*ret <<= 10 * i;
			return true;
		}
	return false;
}

static struct error *bench_open_cycles(int *ret)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};

	*ret = feature_perf_event_open(&attr, 0, -1, -1, 0);
	if (*ret >= 0)
		return NULL;
	return error_hint(error_errno(-*ret, "Cannot count cycles"),
			  "Without -c, time is measured");
}

/* The cycles until now, or the time, s. */
static double bench_read(const struct bench_memory *m)
{
	uint64_t cycles;

	if (m->counter < 0)
		return bench_now();
	return read(m->counter, &cycles, sizeof(cycles)) == sizeof(cycles) ? cycles : 0;
}

static void bench_memory_print(const struct bench_memory *m, double taken)
{
	double bytes = (double)m->size * m->loops;

	if (m->cycles && m->bench->simple)
		printf("%f\n", taken / bytes);
	else if (m->cycles)
		printf(" %14f cycles/byte\n", taken / bytes);
	else if (m->bench->simple)
		printf("%f\n", bytes / taken);
	else
		printf(" %14f GB/sec\n", bytes / taken / (1 << 30));
}

static void bench_memory_one(const struct bench_memory *m, const struct bench_memory_function *f)
{
	double begin;

	printf("# function '%s' (%s)\n", f->name, f->what);
	if (!m->bench->simple)
		printf("# Copying %s bytes ...\n\n", m->size_text);
	/* Fault the pages in, and fill the cache. */
	f->run(m->to, m->from, m->size);
	begin = bench_read(m);
	for (unsigned int i = 0; i < m->loops; i++)
		f->run(m->to, m->from, m->size);
	bench_memory_print(m, bench_read(m) - begin);
}

static struct error *bench_unknown_function(const struct bench_memory *m, const char *suite)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	for (const struct bench_memory_function *f = m->functions; f->name; f++)
		strbuf_addf(&names, ", %s", f->name);
	return error_hint(error_new(EINVAL, "%s has no function '%s'", suite, m->function),
			  "There are all%s", strbuf_str(&names));
}

static void bench_list_functions(const struct bench_memory *m)
{
	printf("Available functions:\n");
	for (const struct bench_memory_function *f = m->functions; f->name; f++)
		printf("\t%s ... %s\n", f->name, f->what);
}

static struct error *bench_memory_run(struct bench_memory *m, const char *suite)
{
	bool all = !strcmp(m->function, "all"), found = all;

	for (const struct bench_memory_function *f = m->functions; f->name && !found; f++)
		found = !strcmp(f->name, m->function);
	if (!found)
		return bench_unknown_function(m, suite);
	m->from = calloc(1, m->size);
	m->to = calloc(1, m->size);
	if (!m->from || !m->to)
		return error_hint(error_new(ENOMEM, "There is not enough memory for two buffers of "
					    "%s", m->size_text),
				  "Choose a smaller --size");
	/* Pages that nobody has written to are all the same one. */
	memset(m->from, 0, m->size);
	__asm__ volatile("" : : "r"(m->from) : "memory");
	bench_print_name(m->bench, suite);
	for (const struct bench_memory_function *f = m->functions; f->name; f++)
		if (all || !strcmp(f->name, m->function))
			bench_memory_one(m, f);
	return NULL;
}

static struct error *bench_memory_do(struct subcommand_call *call, const char *suite,
				     const struct bench_memory_function *functions)
{
	struct bench_memory m = {
		.bench = call->data, .functions = functions, .function = "all",
		.size_text = "1MB", .loops = 1, .counter = -1,
	};
	const struct option_spec options[] = {
		OPT_STRING("size", &m.size_text),
		OPT_STRING("function", &m.function),
		OPT_UINT("nr_loops", &m.loops),
		OPT_FLAG("cycles", &m.cycles),
		{ 0 },
	};
	bool help;
	struct error *err = bench_parse(call, options, &help);

	if (!err && !help)
		err = bench_check_positive("--nr_loops", m.loops);
	if (err || help)
		return err;
	if (!strcmp(m.function, "help")) {
		bench_list_functions(&m);
		return NULL;
	}
	if (!bench_parse_size(m.size_text, &m.size))
		return error_hint(error_new(EINVAL, "'%s' is not a memory size", m.size_text),
				  "It is a number with B, KB, MB, GB or TB, as in 16MB");
	if (m.cycles)
		err = bench_open_cycles(&m.counter);
	if (!err)
		err = bench_memory_run(&m, suite);
	free(m.from);
	free(m.to);
	cleanup_close(&m.counter);
	return err;
}

struct error *bench_mem_memcpy(struct subcommand_call *call)
{
	return bench_memory_do(call, "mem/memcpy", memcpy_functions);
}

struct error *bench_mem_memset(struct subcommand_call *call)
{
	return bench_memory_do(call, "mem/memset", memset_functions);
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/bench/bench.h"
#include "lib/cleanup.h"

/* How long the threads of wake have to begin to wait, as in perf. */
#define BLOCK_US	100000

/* The options that both suites have. */
struct bench_futexes {
	unsigned int threads;	/* 0: the number of CPUs */
	bool shared, silent, lock;
};

#define FUTEX_OPTIONS(f) \
	OPT_UINT("threads", &(f).threads), \
	OPT_FLAG("shared", &(f).shared), \
	OPT_FLAG("silent", &(f).silent), \
	OPT_FLAG("mlockall", &(f).lock)

static long bench_futex_call(const struct bench_futexes *f, uint32_t *word, int what,
			     uint32_t value)
{
	what |= f->shared ? 0 : FUTEX_PRIVATE_FLAG;
	return syscall(SYS_futex, word, what, value, NULL, NULL, 0);
}

static struct error *bench_futexes_prepare(struct bench_futexes *f)
{
	if (!f->threads)
		f->threads = sysconf(_SC_NPROCESSORS_ONLN);
	if (f->lock && mlockall(MCL_CURRENT | MCL_FUTURE))
		return error_hint(error_errno(errno, "Cannot lock the memory"), "Leave out --mlockall");
	return NULL;
}

static const char *bench_futexes_kind(const struct bench_futexes *f)
{
	return f->shared ? "shared" : "private";
}

struct bench_hash {
	struct bench_futexes of;
	unsigned int futexes, runtime;
	pthread_barrier_t begin;
	bool done;		/* set by one thread, read by all */
};

struct bench_hash_thread {
	struct bench_hash *hash;
	pthread_t thread;
	uint32_t *words;
	uint64_t operations;
};

/* Each wait ends at once, because the futex has another value than the expected one. */
static void *bench_hash_run(void *data)
{
	struct bench_hash_thread *t = data;
	struct bench_hash *hash = t->hash;
	uint64_t operations = 0;

	pthread_barrier_wait(&hash->begin);
	while (!__atomic_load_n(&hash->done, __ATOMIC_RELAXED))
		for (unsigned int i = 0; i < hash->futexes; i++, operations++)
			bench_futex_call(&hash->of, &t->words[i], FUTEX_WAIT, 1234);
	t->operations = operations;
	return NULL;
}

static void bench_hash_print(const struct bench_hash *hash, const struct bench_hash_thread *threads,
			     double seconds)
{
	struct bench_mean mean = { .nr = 0 };

	for (unsigned int i = 0; i < hash->of.threads; i++) {
		const struct bench_hash_thread *t = &threads[i];
		double each = t->operations / seconds;

		bench_mean_add(&mean, each);
		if (hash->of.silent)
			continue;
		if (hash->futexes == 1)
			printf("[thread %2u] futex: %p [ %.0f ops/sec ]\n", i, (void *)t->words, each);
		else
			printf("[thread %2u] futexes: %p ... %p [ %.0f ops/sec ]\n", i, (void *)t->words,
			       (void *)&t->words[hash->futexes - 1], each);
	}
	printf("%sAveraged %.0f operations/sec (+- %.2f%%), total secs = %.0f\n",
	       hash->of.silent ? "" : "\n", mean.mean, bench_mean_deviation(&mean), seconds);
}

static struct error *bench_hash_measure(struct bench_hash *hash, struct bench_hash_thread *threads)
{
	struct error *err = NULL;
	double begin;
	int code;

	pthread_barrier_init(&hash->begin, NULL, hash->of.threads + 1);
	for (unsigned int i = 0; i < hash->of.threads; i++) {
		threads[i].hash = hash;
		threads[i].words = calloc(hash->futexes, sizeof(*threads[i].words));
		if (!threads[i].words)
			return &error_no_memory;
		code = pthread_create(&threads[i].thread, NULL, bench_hash_run, &threads[i]);
		/* The threads that wait at the barrier end with the process. */
		if (code)
			return error_hint(error_errno(code, "Cannot start thread %u", i),
					  "Choose fewer --threads");
	}
	pthread_barrier_wait(&hash->begin);
	begin = bench_now();
	/* A signal ends the sleep, too. */
	for (unsigned int left = hash->runtime; left; left = sleep(left))
		;
	__atomic_store_n(&hash->done, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < hash->of.threads; i++)
		pthread_join(threads[i].thread, NULL);
	bench_hash_print(hash, threads, bench_now() - begin);
	pthread_barrier_destroy(&hash->begin);
	return err;
}

struct error *bench_futex_hash(struct subcommand_call *call)
{
	const struct bench *bench = call->data;
	struct bench_hash hash = { .futexes = 1024, .runtime = 10 };
	struct bench_hash_thread *threads;
	const struct option_spec options[] = {
		FUTEX_OPTIONS(hash.of),
		OPT_UINT("futexes", &hash.futexes),
		OPT_UINT("runtime", &hash.runtime),
		{ 0 },
	};
	bool help;
	struct error *err = bench_parse(call, options, &help);

	if (!err && !help)
		err = bench_check_positive("--futexes", hash.futexes);
	if (!err && !help)
		err = bench_check_positive("--runtime", hash.runtime);
	if (!err && !help)
		err = bench_futexes_prepare(&hash.of);
	if (err || help)
		return err;
	bench_print_name(bench, "futex/hash");
	printf("Run summary [PID %d]: %u threads, each operating on %u [%s] futexes for %u secs.\n\n",
	       getpid(), hash.of.threads, hash.futexes, bench_futexes_kind(&hash.of), hash.runtime);
	threads = calloc(hash.of.threads, sizeof(*threads));
	err = threads ? bench_hash_measure(&hash, threads) : &error_no_memory;
	for (unsigned int i = 0; threads && !err && i < hash.of.threads; i++)
		free(threads[i].words);
	if (!err)
		free(threads);
	return err;
}

struct bench_wake {
	struct bench_futexes of;
	unsigned int wakes;
	uint32_t word;
};

static void *bench_wake_run(void *data)
{
	struct bench_wake *wake = data;

	/* A signal ends the wait, too. */
	while (bench_futex_call(&wake->of, &wake->word, FUTEX_WAIT, 0) < 0 && errno == EINTR)
		;
	return NULL;
}

/* Have the threads wait, and wake them; *ret: the time that took, ms. */
static struct error *bench_wake_once(struct bench_wake *wake, pthread_t *threads, double *ret)
{
	unsigned int nr = wake->of.threads, woken = 0;
	double begin;

	for (unsigned int i = 0; i < nr; i++) {
		int code = pthread_create(&threads[i], NULL, bench_wake_run, wake);

		if (code)
			return error_hint(error_errno(code, "Cannot start thread %u", i),
					  "Choose fewer --threads");
	}
	usleep(BLOCK_US);
	begin = bench_now();
	while (woken < nr) {
		long got = bench_futex_call(&wake->of, &wake->word, FUTEX_WAKE, wake->wakes);

		woken += got > 0 ? got : 0;
	}
	*ret = (bench_now() - begin) * 1000;
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return NULL;
}

static struct error *bench_wake_measure(const struct bench *bench, struct bench_wake *wake,
					pthread_t *threads)
{
	struct bench_mean mean = { .nr = 0 };
	struct error *err = NULL;
	double ms = 0;

	for (unsigned int i = 0; i < bench->repeat && !err; i++) {
		err = bench_wake_once(wake, threads, &ms);
		if (err)
			break;
		bench_mean_add(&mean, ms);
		if (!wake->of.silent)
			printf("[Run %u]: Wokeup %u of %u threads in %.4f ms\n", i + 1, wake->of.threads,
			       wake->of.threads, ms);
		fflush(stdout);
	}
	if (!err)
		printf("Wokeup %u of %u threads in %.4f ms (+-%.2f%%)\n", wake->of.threads,
		       wake->of.threads, mean.mean, bench_mean_deviation(&mean));
	return err;
}

struct error *bench_futex_wake(struct subcommand_call *call)
{
	const struct bench *bench = call->data;
	struct bench_wake wake = { .wakes = 1 };
	_cleanup_free_ pthread_t *threads = NULL;
	const struct option_spec options[] = {
		FUTEX_OPTIONS(wake.of),
		OPT_UINT("nwakes", &wake.wakes),
		{ 0 },
	};
	bool help;
	struct error *err = bench_parse(call, options, &help);

	if (!err && !help)
		err = bench_check_positive("--nwakes", wake.wakes);
	if (!err && !help)
		err = bench_check_positive("--repeat", bench->repeat);
	if (!err && !help)
		err = bench_futexes_prepare(&wake.of);
	if (err || help)
		return err;
	threads = calloc(wake.of.threads, sizeof(*threads));
	if (!threads)
		return &error_no_memory;
	bench_print_name(bench, "futex/wake");
	printf("Run summary [PID %d]: blocking on %u threads (at [%s] futex %p), waking up %u at a "
	       "time.\n\n", getpid(), wake.of.threads, bench_futexes_kind(&wake.of),
	       (void *)&wake.word, wake.wakes);
	return bench_wake_measure(bench, &wake, threads);
}

// SPDX-License-Identifier: GPL-2.0
#include "output/text/text_threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The size of a batch; its text needs about twice as much. */
#define BATCH_BYTES	(64 * 1024)

/*
 * In a batch, this precedes a copy of a record, or a text.  It is short, because the cost of
 * threads is the data that one CPU writes and another reads.
 */
struct item {
	const struct event *event;	/* its format is known; NULL: text */
	union {
		const char *comm;
		size_t len;		/* of text; the next item is 8-aligned */
	};
};

/*
 * Distance of data that different threads write often, so that no CPU waits for another's cache
 * line.
 */
#define APART	__attribute__((aligned(128)))

/* Owned by the thread that took it until it is done, otherwise by the reading thread. */
struct APART batch {
	bool done;
	char *items;
	size_t used, alloc;
	struct strbuf text;
};

struct APART worker {
	pthread_t thread;
	struct text_threads *threads;
	struct text_line maker;
};

struct text_threads {
	FILE *out;
	unsigned int nr_wanted, nr_workers;	/* beside the reading thread */
	struct worker *workers;
	struct text_line maker;			/* the reading thread's */
	bool started, failed;

	/*
	 * A ring of batches: from `oldest` on the ones that wait to be written, then the one being
	 * filled.
	 */
	struct batch *batches;
	size_t nr_batches, oldest, filled;	/* they only grow */
	struct batch *filling;			/* batch_at(filled) */

	pthread_mutex_t lock;		/* protects taken, filled, ending, and batch->done */
	pthread_cond_t ready, done;
	size_t taken;			/* batches before this one were taken, in their order */
	bool ending;
};

static struct batch *batch_at(struct text_threads *threads, size_t number)
{
	return &threads->batches[number % threads->nr_batches];
}

static size_t aligned(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/*
 * Format the line of a sample.  @r is reused for all samples, because clearing it would cost a
 * tenth of the time of a line.
 */
static void make_line(struct text_line *maker, const struct item *item, struct session_record *r,
		      struct strbuf *text)
{
	r->record.header = (const void *)(item + 1);
	r->event = item->event;
	r->format = item->event->format;
	r->comm = item->comm;
	/* This cannot fail: the record was decoded before. */
	sample_decode(item->event, r->record.header, &r->sample);
	r->pid = r->sample.pid;
	r->tid = r->sample.tid;
	/* If memory is out, the text is marked as failed. */
	text_line_add_sample(maker, r, text);
}

static void make_text(struct text_line *maker, struct batch *batch)
{
	struct session_record r = { 0 };

	for (size_t at = 0; at < batch->used;) {
		const struct item *item = (const void *)(batch->items + at);
		const struct perf_event_header *header = (const void *)(item + 1);

		if (item->event)
			make_line(maker, item, &r, &batch->text);
		else
			strbuf_add(&batch->text, item + 1, item->len);
		at += sizeof(*item) + aligned(item->event ? header->size : item->len);
	}
}

/* Take the oldest batch that is ready; NULL: there is none.  Called under the lock. */
static struct batch *take(struct text_threads *threads)
{
	if (threads->taken == threads->filled)
		return NULL;
	return batch_at(threads, threads->taken++);
}

/* Format the text of a batch.  Called under the lock, which is released meanwhile. */
static void work_on(struct text_threads *threads, struct text_line *maker, struct batch *batch)
{
	pthread_mutex_unlock(&threads->lock);
	make_text(maker, batch);
	pthread_mutex_lock(&threads->lock);
	batch->done = true;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct text_threads *threads = worker->threads;

	pthread_mutex_lock(&threads->lock);
	while (!threads->ending) {
		struct batch *batch = take(threads);

		if (!batch) {
			pthread_cond_wait(&threads->ready, &threads->lock);
			continue;
		}
		work_on(threads, &worker->maker, batch);
		pthread_cond_signal(&threads->done);
	}
	pthread_mutex_unlock(&threads->lock);
	return NULL;
}

/* Start the threads with all signals blocked: they are for the thread that reads. */
static void start(struct text_threads *threads)
{
	sigset_t all, before;

	threads->started = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (threads->nr_workers < threads->nr_wanted) {
		struct worker *worker = &threads->workers[threads->nr_workers];

		worker->threads = threads;
		if (pthread_create(&worker->thread, NULL, work, worker))
			break;
		threads->nr_workers++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/*
 * Write past the buffer of the FILE: another thread has formatted the text, and copying it would
 * fetch it from another CPU.  On failure the rest goes through the FILE, which keeps the error.
 */
static bool write_text(FILE *out, const struct strbuf *text)
{
	int fd = fileno(out);
	size_t at = 0;

	if (fd >= 0 && fflush(out))
		return false;
	while (fd >= 0 && at < text->len) {
		ssize_t n = write(fd, text->data + at, text->len - at);

		if (n > 0)
			at += n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	return at == text->len ||
	       fwrite_unlocked(text->data + at, 1, text->len - at, out) == text->len - at;
}

static struct error *write_batch(struct text_threads *threads, struct batch *batch)
{
	const struct strbuf *text = &batch->text;
	struct error *err = NULL;

	if (!threads->failed && text->failed)
		err = &error_no_memory;
	else if (!threads->failed && !write_text(threads->out, text))
		err = error_errno(errno, "Cannot write the text");
	/* After an error nothing more is written, so that the output has no gap. */
	threads->failed |= err != NULL;
	strbuf_reset(&batch->text);
	batch->used = 0;
	return err;
}

/* Write the oldest batch, which must exist.  Its text may have to be formatted first. */
static struct error *retire(struct text_threads *threads)
{
	struct batch *oldest = batch_at(threads, threads->oldest);

	pthread_mutex_lock(&threads->lock);
	while (!oldest->done) {
		struct batch *batch = take(threads);

		if (batch)
			work_on(threads, &threads->maker, batch);
		else
			pthread_cond_wait(&threads->done, &threads->lock);
	}
	pthread_mutex_unlock(&threads->lock);
	threads->oldest++;
	return write_batch(threads, oldest);
}

/* Hand over the batch that is being filled. */
static struct error *hand_over(struct text_threads *threads)
{
	bool wake;

	if (!threads->started)
		start(threads);
	batch_at(threads, threads->filled)->done = false;
	pthread_mutex_lock(&threads->lock);
	wake = ++threads->filled - threads->taken > 1;
	pthread_mutex_unlock(&threads->lock);
	/*
	 * A sleeping thread is woken for more than one batch only: waking costs as much as a
	 * part of a batch.
	 */
	if (wake)
		pthread_cond_signal(&threads->ready);
	/* The next batch must be free. */
	return threads->filled - threads->oldest == threads->nr_batches ? retire(threads) : NULL;
}

/* The batch being filled has no room for @size more bytes: continue with one that has. */
static struct error *make_room(struct text_threads *threads, size_t size)
{
	struct error *err = threads->filling->used ? hand_over(threads) : NULL;
	struct batch *batch = batch_at(threads, threads->filled);

	if (err)
		return err;
	threads->filling = batch;
	if (size > batch->alloc) {
		size_t alloc = size > BATCH_BYTES ? size : BATCH_BYTES;

		free(batch->items);
		batch->alloc = 0;
		batch->items = malloc(alloc);
		if (!batch->items)
			return &error_no_memory;
		batch->alloc = alloc;
	}
	return NULL;
}

/* Add an item with a copy of @data; *ret is the item. */
static struct error *add(struct text_threads *threads, const void *data, size_t len,
			 struct item **ret)
{
	size_t size = sizeof(**ret) + aligned(len);
	struct batch *batch = threads->filling;

	if (size > batch->alloc - batch->used) {
		struct error *err = make_room(threads, size);

		if (err)
			return err;
		batch = threads->filling;
	}
	*ret = (struct item *)(batch->items + batch->used);
	memcpy(*ret + 1, data, len);
	batch->used += size;
	return NULL;
}

struct error *text_threads_add_sample(struct text_threads *threads,
				      const struct session_record *r)
{
	struct item *item;
	struct error *err = add(threads, r->record.header, r->record.header->size, &item);

	if (err)
		return err;
	item->event = r->event;
	item->comm = r->comm;
	return NULL;
}

struct error *text_threads_add_text(struct text_threads *threads, const char *text, size_t len)
{
	struct item *item;
	struct error *err = add(threads, text, len, &item);

	if (err)
		return err;
	item->event = NULL;
	item->len = len;
	return NULL;
}

struct error *text_threads_finish(struct text_threads *threads)
{
	struct error *err = NULL;

	if (threads->started) {
		if (batch_at(threads, threads->filled)->used)
			err = hand_over(threads);
		while (!err && threads->oldest != threads->filled)
			err = retire(threads);
		return err;
	}
	/* All fits into one batch, so no thread was started. */
	make_text(&threads->maker, batch_at(threads, threads->filled));
	return write_batch(threads, batch_at(threads, threads->filled));
}

static void *allocate(size_t size)
{
	void *ret = aligned_alloc(__alignof__(struct batch), size);

	return ret ? memset(ret, 0, size) : NULL;
}

struct error *text_threads_create(FILE *out, const struct text_style *style, unsigned int nr,
				  struct text_threads **ret)
{
	struct text_threads *threads = calloc(1, sizeof(*threads));
	struct error *err;

	if (!threads)
		return &error_no_memory;
	pthread_mutex_init(&threads->lock, NULL);
	pthread_cond_init(&threads->ready, NULL);
	pthread_cond_init(&threads->done, NULL);
	threads->out = out;
	threads->nr_wanted = (nr < TEXT_THREADS_MAX ? nr : TEXT_THREADS_MAX) - 1;
	/* Enough batches that no thread has to wait for one that was preempted. */
	threads->nr_batches = 8 * threads->nr_wanted + 2;
	threads->batches = allocate(threads->nr_batches * sizeof(*threads->batches));
	threads->workers = allocate((threads->nr_wanted + 1) * sizeof(*threads->workers));
	threads->filling = threads->batches;
	err = threads->batches && threads->workers ?
		text_line_init(&threads->maker, style, NULL) : &error_no_memory;
	for (unsigned int i = 0; i < threads->nr_wanted && !err; i++)
		err = text_line_init(&threads->workers[i].maker, style, NULL);
	if (err) {
		text_threads_destroy(threads);
		return err;
	}
	*ret = threads;
	return NULL;
}

void text_threads_destroy(struct text_threads *threads)
{
	if (!threads)
		return;
	pthread_mutex_lock(&threads->lock);
	threads->ending = true;
	pthread_mutex_unlock(&threads->lock);
	pthread_cond_broadcast(&threads->ready);
	for (unsigned int i = 0; i < threads->nr_workers; i++)
		pthread_join(threads->workers[i].thread, NULL);
	for (unsigned int i = 0; threads->workers && i < threads->nr_wanted; i++)
		text_line_deinit(&threads->workers[i].maker);
	for (size_t i = 0; threads->batches && i < threads->nr_batches; i++) {
		free(threads->batches[i].items);
		strbuf_deinit(&threads->batches[i].text);
	}
	text_line_deinit(&threads->maker);
	free(threads->workers);
	free(threads->batches);
	pthread_cond_destroy(&threads->ready);
	pthread_cond_destroy(&threads->done);
	pthread_mutex_destroy(&threads->lock);
	free(threads);
}

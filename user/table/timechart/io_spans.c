// SPDX-License-Identifier: GPL-2.0
#include "table/timechart/io_spans.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define IO_THRESHOLD	(1024 * 1024ULL)	/* bytes */

/* The kinds of calls; those with @fd have the descriptor as their first argument. */
static const struct {
	enum io_kind kind;
	bool fd;
	const char *name;
} io_calls[] = {
	{ IO_READ, true, "read" }, { IO_READ, true, "pread64" }, { IO_READ, true, "readv" },
	{ IO_READ, true, "preadv" }, { IO_READ, true, "preadv2" },
	{ IO_WRITE, true, "write" }, { IO_WRITE, true, "pwrite64" }, { IO_WRITE, true, "writev" },
	{ IO_WRITE, true, "pwritev" }, { IO_WRITE, true, "pwritev2" },
	{ IO_RECEIVE, true, "recvfrom" }, { IO_RECEIVE, true, "recvmsg" },
	{ IO_RECEIVE, true, "recvmmsg" },
	{ IO_SEND, true, "sendto" }, { IO_SEND, true, "sendmsg" }, { IO_SEND, true, "sendmmsg" },
	{ IO_SYNC, false, "sync" }, { IO_SYNC, true, "syncfs" }, { IO_SYNC, true, "fsync" },
	{ IO_SYNC, true, "fdatasync" }, { IO_SYNC, true, "sync_file_range" },
	{ IO_SYNC, false, "msync" },
	/* A descriptor of epoll is none that anything is read from. */
	{ IO_POLL, false, "epoll_wait" }, { IO_POLL, false, "epoll_pwait" },
	{ IO_POLL, false, "epoll_pwait2" }, { IO_POLL, false, "poll" }, { IO_POLL, false, "ppoll" },
	{ IO_POLL, false, "select" }, { IO_POLL, false, "pselect6" },
};

static bool io_kind_transfers(uint8_t kind)
{
	return kind == IO_READ || kind == IO_WRITE || kind == IO_RECEIVE || kind == IO_SEND;
}

/* As in perf, a span that is shown longer than it was is cut at the next one, unless it failed. */
static void io_span_part(struct io_span *before, struct io_span *span)
{
	if (span->begin >= before->end)
		return;
	if (before->failure)
		span->begin = before->end;
	else
		before->end = span->begin;
}

static bool io_span_joins(const struct io_spans *spans, const struct io_span *before,
			  const struct io_span *span)
{
	return before->kind == span->kind && before->failure == span->failure &&
	       before->fd == span->fd && span->begin - before->end <= spans->limits.apart;
}

static struct error *io_task_add(struct io_spans *spans, struct io_task *row, struct io_span span)
{
	struct io_span *before = row->nr ? &row->items[row->nr - 1] : NULL;

	row->bytes += span.bytes;
	if (before)
		io_span_part(before, &span);
	if (before && io_span_joins(spans, before, &span)) {
		before->end = span.end;
		before->inside += span.inside;
		before->bytes += span.bytes;
		before->calls++;
	} else if (array_push(row, span)) {
		before = &row->items[row->nr - 1];
	} else {
		return &error_no_memory;
	}
	if (row->most < before->bytes)
		row->most = before->bytes;
	return NULL;
}

static struct error *io_spans_exit(struct syscall_listener *listener,
				   const struct syscall_call *call)
{
	struct io_spans *spans = container_of(listener, struct io_spans, listener);
	uint8_t kind = spans->kinds[call->info->number];
	struct io_span span = { .calls = 1, .fd = -1, .kind = kind - 1 };

	if (!kind || !call->began)
		return NULL;
	if (!array_at(&spans->all, call->task->index, 0))
		return &error_no_memory;
	span.inside = call->duration;
	span.begin = call->task->entered;
	span.end = span.begin + span.inside;
	if (span.inside < spans->limits.shortest)
		span.end = span.begin + spans->limits.shortest < span.begin ?
			   UINT64_MAX : span.begin + spans->limits.shortest;
	for (size_t i = 0; i < ARRAY_SIZE(io_calls); i++)
		if (io_calls[i].fd && !strcmp(io_calls[i].name, call->info->name))
			span.fd = (int32_t)call->task->args[0];
	if (call->ret < 0)
		span.failure = call->ret < INT32_MIN ? INT32_MAX : (int32_t)-call->ret;
	else if (io_kind_transfers(span.kind))
		span.bytes = call->ret;
	spans->all.items[call->task->index].task = call->task;
	return io_task_add(spans, &spans->all.items[call->task->index], span);
}

static struct error *io_spans_enter(struct syscall_listener *listener,
				    const struct syscall_call *call)
{
	return NULL;
}

static struct error *io_spans_sample(struct session_consumer *consumer,
				     const struct session_record *r)
{
	struct io_spans *spans = container_of(consumer, struct io_spans, consumer);
	bool taken;

	if (!spans->end || r->sample.time < spans->begin)
		spans->begin = r->sample.time;
	if (spans->end < r->sample.time)
		spans->end = r->sample.time;
	return syscall_states_sample(spans->states, r, &taken);
}

static struct error *io_spans_other(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct io_spans *spans = container_of(consumer, struct io_spans, consumer);

	return syscall_states_other(spans->states, r) ? NULL : &error_no_memory;
}

static struct error *io_spans_finish(struct session_consumer *consumer)
{
	struct io_spans *spans = container_of(consumer, struct io_spans, consumer);

	return syscall_states_keep(spans->states);
}

static void io_spans_learn(struct io_spans *spans)
{
	for (size_t i = 0; i < SYSCALL_NUMBERS; i++) {
		const struct syscall_info *info = syscalls_at(spans->syscalls, i);

		for (size_t k = 0; info && k < ARRAY_SIZE(io_calls); k++) {
			if (strcmp(info->name, io_calls[k].name))
				continue;
			spans->kinds[i] = io_calls[k].kind + 1;
			spans->wanted[i] = true;
		}
	}
}

struct error *io_spans_create(const char *arch, const struct io_limits *limits,
			      struct io_spans **ret)
{
	_cleanup_(io_spans) struct io_spans *spans = calloc(1, sizeof(*spans));
	struct error *err;

	if (!spans)
		return &error_no_memory;
	spans->limits = *limits;
	spans->consumer = (struct session_consumer){
		.sample = io_spans_sample, .other = io_spans_other, .finish = io_spans_finish,
	};
	spans->listener = (struct syscall_listener){ io_spans_enter, io_spans_exit };
	err = syscalls_create(arch, &spans->syscalls);
	if (!err)
		err = descriptor_paths_create(false, &spans->paths);
	if (!err)
		err = syscall_states_create(spans->syscalls, spans->wanted, spans->paths,
					    &spans->listener, &spans->states);
	if (err)
		return err;
	io_spans_learn(spans);
	*ret = take_ptr(spans);
	return NULL;
}

void io_spans_destroy(struct io_spans *spans)
{
	if (!spans)
		return;
	array_free_each(&spans->all, .items);
	free(spans->tasks.items);
	syscall_states_destroy(spans->states);
	descriptor_paths_destroy(spans->paths);
	syscalls_destroy(spans->syscalls);
	free(spans);
}

static bool io_task_is_wanted(const struct io_task *row, struct timechart_word *words, size_t nr)
{
	bool wanted = false;

	for (size_t i = 0; i < nr; i++)
		if (timechart_word_names(words[i].text, row->task->comm, row->task->pid,
					 row->task->tid))
			wanted = words[i].found = true;
	return wanted;
}

static size_t io_spans_count(const struct io_spans *spans, uint64_t threshold)
{
	size_t nr = 0;

	for (size_t i = 0; i < spans->tasks.nr; i++)
		nr += spans->tasks.items[i]->bytes >= threshold;
	return nr;
}

static void io_spans_limit(struct io_spans *spans, size_t least)
{
	size_t most = least > TIMECHART_ROWS ? least : TIMECHART_ROWS, nr = 0;
	uint64_t threshold = IO_THRESHOLD;

	while (threshold > 1 && io_spans_count(spans, threshold) < least)
		threshold /= 10;
	/* Only damaged results add up to more than half of the number's range. */
	while (threshold <= UINT64_MAX / 2 && io_spans_count(spans, threshold) > most)
		threshold *= 2;
	for (size_t i = 0; i < spans->tasks.nr; i++) {
		if (spans->tasks.items[i]->bytes >= threshold)
			spans->tasks.items[nr++] = spans->tasks.items[i];
		else
			spans->left_out++;
	}
	spans->tasks.nr = nr;
	spans->threshold = threshold;
}

static int io_task_compare(const void *a, const void *b)
{
	const struct io_task *x = *(struct io_task *const *)a, *y = *(struct io_task *const *)b;

	if (x->process_since != y->process_since)
		return x->process_since < y->process_since ? -1 : 1;
	if (x->task->pid != y->task->pid)
		return x->task->pid < y->task->pid ? -1 : 1;
	if (x->items[0].begin != y->items[0].begin)
		return x->items[0].begin < y->items[0].begin ? -1 : 1;
	return x->task->tid < y->task->tid ? -1 : x->task->tid > y->task->tid;
}

static void io_spans_sort(struct io_spans *spans)
{
	for (size_t i = 0; i < spans->tasks.nr; i++) {
		struct io_task *row = spans->tasks.items[i];

		row->process_since = row->items[0].begin;
		for (size_t j = 0; j < spans->tasks.nr && row->task->pid >= 0; j++) {
			const struct io_task *other = spans->tasks.items[j];

			if (other->task->pid == row->task->pid &&
			    other->items[0].begin < row->process_since)
				row->process_since = other->items[0].begin;
		}
	}
	array_sort(&spans->tasks, io_task_compare);
}

struct error *io_spans_choose(struct io_spans *spans, struct timechart_word *words, size_t nr,
			      size_t least)
{
	for (size_t i = 0; i < spans->all.nr; i++) {
		struct io_task *row = &spans->all.items[i];

		if (!row->nr || !row->task->comm)
			continue;
		if (nr && !io_task_is_wanted(row, words, nr))
			spans->left_out++;
		else if (!array_push(&spans->tasks, row))
			return &error_no_memory;
	}
	if (!nr)
		io_spans_limit(spans, least);
	io_spans_sort(spans);
	return NULL;
}

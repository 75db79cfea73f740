/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When tasks were in system calls that read, write, receive, send, synchronize and wait for
 * input: spans of calls, close ones joined, and which tasks are worth a row of a chart.
 */
#ifndef KTRACE_TABLE_TIMECHART_IO_SPANS_H
#define KTRACE_TABLE_TIMECHART_IO_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "session/session.h"
#include "states/syscall_states.h"
#include "table/timechart/timechart.h"

enum io_kind {
	IO_READ, IO_WRITE, IO_RECEIVE, IO_SEND, IO_SYNC, IO_POLL,
};

/* An end before the beginning is no length, too. */
struct io_span {
	uint64_t begin, end;	/* ns, as it is shown; without length, others hide it */
	uint64_t inside;	/* ns in the calls themselves */
	uint64_t bytes;		/* transferred; 0 for those that do not */
	uint32_t calls;		/* that were joined */
	int32_t fd;		/* -1: the calls have none */
	int32_t failure;	/* errno of all of the calls; 0: they succeeded */
	uint8_t kind;		/* enum io_kind */
};

struct io_task {
	const struct syscall_task *task;
	struct io_span *items;	/* in the order of time */
	size_t nr, alloc;
	uint64_t bytes, most;	/* of all spans, of one span */
	uint64_t process_since;	/* ns: when the first of its process's rows begins */
};

/* In ns; as in perf, both change what is shown. */
struct io_limits {
	uint64_t shortest;	/* what took less is as long as this, unless another one follows */
	uint64_t apart;		/* calls of a kind are joined that are not farther apart */
};

struct io_spans {
	struct session_consumer consumer;	/* of the session */
	struct syscall_listener listener;
	struct io_limits limits;
	struct syscalls *syscalls;
	struct descriptor_paths *paths;
	struct syscall_states *states;
	uint8_t kinds[SYSCALL_NUMBERS];	/* enum io_kind + 1; 0: another call */
	bool wanted[SYSCALL_NUMBERS];
	uint64_t begin, end;	/* ns: times of the first and the last sample; 0: there was none */
	struct {
		struct io_task *items;	/* by the index of the task */
		size_t nr, alloc;
	} all;
	struct {
		struct io_task **items;	/* chosen; by process, in the order in which they begin */
		size_t nr, alloc;
	} tasks;
	size_t left_out;	/* tasks that made such calls, but are not among them */
	uint64_t threshold;	/* bytes: they transferred less; 0: they were not named */
};

/* @arch is uname's word for the machine of the recording; NULL: this one. */
struct error *io_spans_create(const char *arch, const struct io_limits *limits,
			      struct io_spans **ret);
void io_spans_destroy(struct io_spans *spans);
DEFINE_CLEANUP_PTR(io_spans, struct io_spans, io_spans_destroy)

/*
 * Choose the tasks, once, when the session has ended.  With @words, @nr of them, those that
 * they name; else those that transferred 1 MiB, or a tenth, a hundredth ... of it, until there
 * are @least of them.  The only error is to be out of memory.
 */
struct error *io_spans_choose(struct io_spans *spans, struct timechart_word *words, size_t nr,
			      size_t least);

#endif

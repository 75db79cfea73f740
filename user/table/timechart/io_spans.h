/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When tasks were in system calls that read, write, receive, send, synchronize and wait for input.
 * Close calls are joined to spans.  Also chooses the tasks that get a row of a chart.
 */
#ifndef KTRACE_TABLE_TIMECHART_IO_SPANS_H
#define KTRACE_TABLE_TIMECHART_IO_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "session/session.h"
#include "states/syscall_states.h"
#include "table/timechart/timechart.h"

enum io_kind {
	IO_READ, IO_WRITE, IO_RECEIVE, IO_SEND, IO_SYNC, IO_POLL,
};

/* A span whose end is before its beginning has no length either. */
struct io_span {
	uint64_t begin, end;	/* ns, as shown; without length, other spans hide it */
	uint64_t inside;	/* ns in the calls themselves */
	uint64_t bytes;		/* transferred; 0 for calls that transfer nothing */
	uint32_t calls;		/* number of joined calls */
	int32_t fd;		/* -1: the calls have none */
	int32_t failure;	/* errno of all of the calls; 0: they succeeded */
	uint8_t kind;		/* enum io_kind */
};

struct io_task {
	const struct syscall_task *task;
	struct io_span *items;	/* in the order of time */
	size_t nr, alloc;
	uint64_t bytes, most;	/* of all spans, of one span */
	uint64_t process_since;	/* ns: beginning of the first row of its process */
};

/* In ns; as in perf, both change the picture. */
struct io_limits {
	uint64_t shortest;	/* shorter spans get this length, unless another one follows */
	uint64_t apart;		/* calls of a kind with at most this distance are joined */
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
	uint64_t begin, end;	/* ns: times of the first and the last sample; 0: none */
	ARRAY_OF(struct io_task) all;	/* by the index of the task */
	/* chosen; by process, in the order of their beginnings */
	ARRAY_OF(struct io_task *) tasks;
	size_t left_out;	/* tasks that made such calls, but were not chosen */
	uint64_t threshold;	/* bytes: they transferred less; 0: the user named the tasks */
};

/* @arch is uname's name for the recorded machine; NULL: this one. */
struct error *io_spans_create(const char *arch, const struct io_limits *limits,
			      struct io_spans **ret);
void io_spans_destroy(struct io_spans *spans);
DEFINE_CLEANUP_PTR(io_spans, struct io_spans, io_spans_destroy)

/*
 * Choose the tasks, once, when the session has ended.  With @words, @nr of them, the named ones.
 * Otherwise tasks that transferred 1 MiB, or a tenth, a hundredth ... of it, until there are @least
 * of them.  The only error is a lack of memory.
 */
struct error *io_spans_choose(struct io_spans *spans, struct timechart_word *words, size_t nr,
			      size_t least);

#endif

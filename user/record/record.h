/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perf records flow from sources to sinks.
 *
 * Every source (perf_event rings, the ktrace device, perf.data files and pipes, the fake
 * backend) gives PERF_RECORD_*, and every consumer takes them.  Sources and sinks know
 * nothing of each other; only cmd/ connects them.
 */
#ifndef KTRACE_RECORD_RECORD_H
#define KTRACE_RECORD_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct event;
struct origin;

/*
 * The kernel's, since Linux 6.19: the user's frames of earlier samples of a task.  The chains of
 * these samples end with the same number.
 */
#define RECORD_CALLCHAIN_DEFERRED	22

/*
 * Types of records that exist only in files, written by perf in user space.  The numbers are
 * perf's (tools/lib/perf/include/perf/event.h).
 */
enum {
	RECORD_USER_TYPE_START	= 64,
	RECORD_HEADER_ATTR	= 64,
	RECORD_EVENT_TYPE	= 65,
	RECORD_TRACING_DATA	= 66,
	RECORD_BUILD_ID		= 67,
	RECORD_FINISHED_ROUND	= 68,
	RECORD_ID_INDEX		= 69,
	RECORD_AUXTRACE_INFO	= 70,
	RECORD_AUXTRACE		= 71,
	RECORD_AUXTRACE_ERROR	= 72,
	RECORD_THREAD_MAP	= 73,
	RECORD_CPU_MAP		= 74,
	RECORD_STAT_CONFIG	= 75,
	RECORD_STAT		= 76,
	RECORD_STAT_ROUND	= 77,
	RECORD_EVENT_UPDATE	= 78,
	RECORD_TIME_CONV	= 79,
	RECORD_HEADER_FEATURE	= 80,
	RECORD_COMPRESSED	= 81,
	RECORD_FINISHED_INIT	= 82,
	RECORD_COMPRESSED2	= 83,
	RECORD_BPF_METADATA	= 84,
	RECORD_SCHEDSTAT_CPU	= 85,
	RECORD_SCHEDSTAT_DOMAIN	= 86,
};

/*
 * One record, in host byte order.  Memory that its members point to is valid until the next call of
 * next() of its source, or in a sink until the call returns.
 */
struct record {
	const struct perf_event_header *header;	/* header->size bytes, 8-aligned */
	const struct event *event;	/* that the sample(_id) is of; NULL: none or unknown */
	uint64_t time;			/* ns of the recording's clock; 0: the record has none */
	uint64_t offset;		/* position in the file, for messages; 0 when live */
	bool settled;			/* no later record has an earlier time */
	const struct origin *origin;	/* of several recordings; NULL: there is one */
};

enum record_status {
	RECORD_OK = 0,		/* *ret is the next record */
	RECORD_END,		/* there are no more */
	RECORD_FAILED,		/* *err says why; the source is finished */
	RECORD_SPAN,		/* several at once; only from a merge in this mode */
	RECORD_LATER,		/* none yet; only from a source of live records */
};

/*
 * A source of records.  The struct that implements it embeds it and is found again by
 * container_of().  Its owner destroys it.
 */
struct record_source {
	const struct record_source_ops *ops;
};

/* Consecutive whole records.  Only the samples count; other records may be between them. */
struct sample_span {
	const void *data;	/* 8-aligned */
	size_t size;		/* bytes */
	size_t nr;		/* samples in it */
	uint64_t time, last;	/* the earliest and the latest time of the samples */
};

struct record_source_ops {
	enum record_status (*next)(struct record_source *source,
				   struct record *ret, struct error **err);
	/*
	 * The reader has to hold back more records than it can.  From now on, give the records
	 * nearly in time order, with FINISHED_ROUND records that have marks.  Returns false if the
	 * source cannot do that; NULL means the same.
	 */
	bool (*look_ahead)(struct record_source *source);
	/*
	 * Give the next plain samples of known events, if no other record's time is between theirs.
	 * next() does not give them again.  They are valid until the next call of either function.
	 * Returns false if there are none: the caller then calls next().  NULL: there never are
	 * any.
	 */
	bool (*next_span)(struct record_source *source, struct sample_span *ret);
};

static inline enum record_status record_source_next(struct record_source *source,
						    struct record *ret,
						    struct error **err)
{
	return source->ops->next(source, ret, err);
}

static inline bool record_source_look_ahead(struct record_source *source)
{
	return source->ops->look_ahead && source->ops->look_ahead(source);
}

static inline bool record_source_next_span(struct record_source *source,
					   struct sample_span *ret)
{
	return source->ops->next_span && source->ops->next_span(source, ret);
}

/*
 * Consecutive whole records, in the order of their one ring.  A copied stack that is cut off by the
 * end of the address space gives a record any size.  Such a record is the last one of its span, so
 * that each record is 8-aligned.
 */
struct record_span {
	const void *data;	/* 8-aligned */
	size_t size;		/* sum of the records' sizes */
	uint32_t cpu;		/* of the ring; UINT32_MAX: none */
};

/*
 * A sink of records. write() may not keep pointers into the span. round() reports that all records
 * older than @mark (ns of the recording's clock) were written; a sink that needs the order uses it.
 * round() is optional and may be NULL.
 */
struct record_sink {
	const struct record_sink_ops *ops;
};

struct record_sink_ops {
	struct error *(*write)(struct record_sink *sink, const struct record_span *span);
	struct error *(*round)(struct record_sink *sink, uint64_t mark);
};

static inline struct error *record_sink_write(struct record_sink *sink,
					      const struct record_span *span)
{
	return sink->ops->write(sink, span);
}

static inline struct error *record_sink_round(struct record_sink *sink, uint64_t mark)
{
	return sink->ops->round ? sink->ops->round(sink, mark) : NULL;
}

/* Returns "SAMPLE", "MMAP2" and so on, or "UNKNOWN" for numbers without a name. */
const char *record_type_name(uint32_t type);

#ifndef container_of
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#endif

#endif

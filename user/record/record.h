/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What flows: perf records, from sources to sinks.
 *
 * Every source (perf_event rings, the ktrace device, perf.data files and
 * pipes, the fake backend) gives PERF_RECORD_*; every consumer takes them.
 * A source and a sink know nothing of each other; only cmd/ joins them.
 */
#ifndef KTRACE_RECORD_RECORD_H
#define KTRACE_RECORD_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct event;

/*
 * Records that exist only in files, written by perf's user side.  The numbers
 * are perf's (tools/lib/perf/include/perf/event.h).
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
};

/*
 * One record as it flows, in host byte order.  Everything pointed to is valid
 * until the next next() of the source it came from (in a sink: until the call
 * returns).
 */
struct record {
	const struct perf_event_header *header;	/* header->size bytes, 8-aligned */
	const struct event *event;	/* whose sample or sample_id it is; NULL: none or unknown */
	uint64_t time;			/* ns of the recording's clock; 0: the record has none */
	uint64_t offset;		/* where in the file, for messages; 0 when live */
	bool settled;			/* no record that follows has an earlier time */
};

enum record_status {
	RECORD_OK = 0,		/* *ret is the next record */
	RECORD_END,		/* there are no more */
	RECORD_FAILED,		/* *err says why; the source is finished */
	RECORD_SPAN,		/* many at once; only from a merge that was asked for them */
};

/*
 * A source of records.  Embedded in what implements it; container_of() gets
 * back.  Destroying it is the owner's business.
 */
struct record_source {
	const struct record_source_ops *ops;
};

/* Whole records in a row, of which only the samples count; others may lie between. */
struct sample_span {
	const void *data;	/* 8-aligned */
	size_t size;		/* bytes */
	size_t nr;		/* samples in it */
	uint64_t time, last;	/* none of them is earlier, or later */
};

struct record_source_ops {
	enum record_status (*next)(struct record_source *source,
				   struct record *ret, struct error **err);
	/*
	 * Whoever reads holds back more than it likes: from now on, give records
	 * nearly in time order, with FINISHED_ROUND records that state marks.  False:
	 * the source cannot.  NULL: nor can it.
	 */
	bool (*look_ahead)(struct record_source *source);
	/*
	 * Plain samples of known events that come next, if no other record's time
	 * lies between theirs; next() does not give them again.  Valid until the
	 * next call of either.  False: there are none, take next().  NULL: there
	 * never are.
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
 * Whole records in a row, in the order of the one ring they come from.
 */
struct record_span {
	const void *data;	/* 8-aligned */
	size_t size;		/* sum of the records' sizes */
	uint32_t cpu;		/* of the ring; UINT32_MAX: none */
};

/*
 * A sink of records.  write() may keep nothing of the span.  round() says that
 * every record older than @mark (ns of the recording's clock) was written; a
 * sink that keeps order uses it.  Optional: NULL.
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

/* "SAMPLE", "MMAP2" ...; "UNKNOWN" for numbers without a name. */
const char *record_type_name(uint32_t type);

#ifndef container_of
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#endif

#endif

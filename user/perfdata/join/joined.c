// SPDX-License-Identifier: GPL-2.0
/*
 * Each part gives its records nearly in time order, with marks before which no record follows.  The
 * part with the earliest mark is read on, until it gives a later one.  The earliest mark of all is
 * passed on.
 */
#include "perfdata/join/joined.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "perfdata/join/placement.h"
#include "perfdata/layout.h"
#include "perfdata/reader_state.h"

struct joined_part {
	struct reader *reader;
	struct origin origin;
	char *name;		/* of the origin; owned */
	struct clock_line clock;	/* from its own to the common one */
	uint64_t began;		/* its first sample by the common clock; 0: not known */
	uint64_t mark;		/* by the common clock: no earlier record of it follows */
	struct event **events;	/* the joined events, by the index in its own list; owned */
	size_t nr_events;	/* size of events; the list of the part may grow while it is read */
	bool ended;
};

struct joined {
	struct reader *reader;	/* the reader of all of them, with their events; it owns this */
	struct joined_part *parts;
	size_t nr;
	uint64_t mark;		/* the last one that was given */
	struct perfdata_finished_round round;
	uint64_t *copy;		/* a record whose time was changed */
	bool is_open;
};

/* ---- hosts and clocks ------------------------------------------------------- */

/* Whether no other host has this name. */
static bool has_own_name(const struct joined *joined, const struct joined_part *part)
{
	const char *name = part->reader->header.hostname;

	for (size_t i = 0; i < joined->nr; i++) {
		const char *other = joined->parts[i].reader->header.hostname;

		if (joined->parts[i].origin.host != part->origin.host &&
		    (!other || !name || !strcmp(other, name)))
			return false;
	}
	return name && *name;
}

static struct error *name_parts(struct joined *joined, unsigned int hosts)
{
	for (size_t i = 0; i < joined->nr; i++) {
		struct joined_part *part = &joined->parts[i];
		bool by_host = hosts > 1 && has_own_name(joined, part);

		part->name = strdup(by_host ? part->reader->header.hostname : part->reader->name);
		if (!part->name)
			return &error_no_memory;
		part->origin.name = part->name;
	}
	return NULL;
}

static struct error *joined_place(struct joined *joined, const struct traffic_rules *rules)
{
	_cleanup_free_ struct placement *places = calloc(joined->nr, sizeof(*places));
	_cleanup_free_ struct reader **readers = calloc(joined->nr, sizeof(*readers));
	unsigned int hosts = 0;
	struct error *err;

	if (!places || !readers)
		return &error_no_memory;
	for (size_t i = 0; i < joined->nr; i++)
		readers[i] = joined->parts[i].reader;
	err = placement_find(readers, joined->nr, rules, places);
	for (size_t i = 0; !err && i < joined->nr; i++) {
		struct joined_part *part = &joined->parts[i];
		uint64_t first = part->reader->header.first_sample_time;

		part->origin.host = places[i].host;
		part->clock = places[i].clock;
		part->began = first ? clock_line_at(&part->clock, first) : 0;
		part->mark = part->began;
		hosts = places[i].host < hosts ? hosts : places[i].host + 1;
	}
	return err ? err : name_parts(joined, hosts);
}

/* ---- events ------------------------------------------------------------------ */

static bool has_same_fields(const struct event_format *a, const struct event_format *b)
{
	if (!a || !b)
		return a == b;
	if (a->nr_fields != b->nr_fields || a->nr_common != b->nr_common)
		return false;
	for (size_t i = 0; i < a->nr_fields; i++) {
		const struct field *x = &a->fields[i], *y = &b->fields[i];

		if (strcmp(x->name, y->name) || strcmp(x->type, y->type) ||
		    x->offset != y->offset || x->size != y->size)
			return false;
	}
	return true;
}

static bool has_same_trailer(const struct common_layout *a, const struct common_layout *b)
{
	if (a->nr != b->nr || a->size != b->size)
		return false;
	for (size_t i = 0; i < a->nr; i++)
		if (strcmp(a->items[i].name, b->items[i].name) ||
		    a->items[i].offset != b->items[i].offset ||
		    a->items[i].size != b->items[i].size)
			return false;
	return true;
}

/* Whether the samples of both are decoded in the same way. */
static bool has_same_layout(const struct event *a, const struct event *b)
{
	const struct perf_event_attr *x = &a->attr, *y = &b->attr;

	return x->type == y->type && (x->type == PERF_TYPE_TRACEPOINT || x->config == y->config) &&
	       x->sample_type == y->sample_type && x->read_format == y->read_format &&
	       x->sample_id_all == y->sample_id_all &&
	       x->branch_sample_type == y->branch_sample_type &&
	       x->sample_regs_user == y->sample_regs_user &&
	       x->sample_regs_intr == y->sample_regs_intr &&
	       has_same_trailer(&a->common, &b->common);
}

static struct error *other_fields(const struct joined_part *part, const struct event *event)
{
	return error_hint(error_new(ENOTSUP, "%s has other fields in %s than in the recordings "
				    "before it", event->name, part->reader->name),
			  "Read them one by one; 'ktrace schema' shows how two kernels differ");
}

/* Find the joined event for the records of @event, or add it. */
static struct error *join_event(struct joined *joined, struct joined_part *part,
				const struct event *event)
{
	struct event_list *events = &joined->reader->events;
	const struct event_format *format = NULL;
	struct event *same = NULL;
	struct error *err;

	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		format = formats_find(part->reader->formats, event->attr.config);
	if (event->attr.sample_type & PERF_SAMPLE_READ)
		return error_hint(error_new(ENOTSUP, "%s in %s is a member of a group that is read as "
					    "one (:S), which cannot be joined with other recordings",
					    event->name, part->reader->name), "Read it alone");
	for (size_t i = 0; i < events->nr; i++) {
		struct event *other = events->items[i];

		if (strcmp(other->name, event->name))
			continue;
		if (!has_same_fields(other->format, format))
			return other_fields(part, event);
		if (has_same_layout(other, event))
			same = other;
	}
	if (!same) {
		err = event_list_add(events, &event->attr, event->name, &same);
		if (err)
			return err;
		same->format = format;
		same->source = event->source;
		err = common_layout_copy(&event->common, &same->common);
		if (err)
			return err;
		event_finish(same);
	}
	part->events[event->index] = same;
	return NULL;
}

static struct error *joined_add_events(struct joined *joined)
{
	for (size_t i = 0; i < joined->nr; i++) {
		struct joined_part *part = &joined->parts[i];
		const struct event_list *events = &part->reader->events;

		part->events = calloc(events->nr + 1, sizeof(struct event *));
		if (!part->events)
			return &error_no_memory;
		part->nr_events = events->nr;
		for (size_t n = 0; n < events->nr; n++) {
			struct error *err = join_event(joined, part, events->items[n]);

			if (err)
				return err;
		}
	}
	return NULL;
}

/* ---- records ------------------------------------------------------------------ */

/* Before the first record, check that each part gives its records in order from here on. */
static struct error *joined_open(struct joined *joined)
{
	joined->is_open = true;
	for (size_t i = 0; i < joined->nr; i++) {
		struct reader *reader = joined->parts[i].reader;

		if (!reader->planned && !record_source_look_ahead(&reader->source))
			return error_hint(error_new(ENOTSUP, "%s cannot be read in the order of time "
						    "together with other recordings", reader->name),
					  "'ktrace index %s' may help; a pipe or a compressed "
					  "recording of perf has to be read alone", reader->name);
	}
	return NULL;
}

static struct joined_part *joined_earliest(const struct joined *joined)
{
	struct joined_part *ret = NULL;

	for (size_t i = 0; i < joined->nr; i++) {
		struct joined_part *part = &joined->parts[i];

		if (!part->ended && (!ret || part->mark < ret->mark))
			ret = part;
	}
	return ret;
}

/* Whether all parts are past the last mark, so that there is a new one. */
static bool joined_give_mark(struct joined *joined, struct record *ret)
{
	const struct joined_part *earliest = joined_earliest(joined);

	if (!earliest || earliest->mark <= joined->mark)
		return false;
	joined->mark = earliest->mark;
	joined->round = (struct perfdata_finished_round){
		.header = { .type = RECORD_FINISHED_ROUND, .size = sizeof(joined->round) },
		.body.mark = joined->mark,
	};
	*ret = (struct record){ .header = &joined->round.header };
	return true;
}

static void take_mark(struct joined_part *part, const struct perf_event_header *header)
{
	const struct perfdata_finished_round *round = (const void *)header;
	uint64_t mark;

	if (header->size < sizeof(*round) || round->body.mark >= INT64_MAX)
		return;
	mark = clock_line_at(&part->clock, round->body.mark);
	if (mark > part->mark)
		part->mark = mark;
}

/* Copy the record, and change the time in the copy. */
static struct error *shift_time(struct joined *joined, const struct joined_part *part,
				struct record *record)
{
	const struct perf_event_header *header = record->header;
	int at = header->type == PERF_RECORD_SAMPLE ? record->event->time_offset :
						      header->size - record->event->time_back;

	if (!joined->copy)
		joined->copy = malloc(UINT16_MAX + 1);
	if (!joined->copy)
		return &error_no_memory;
	memcpy(joined->copy, header, header->size);
	record->header = (const void *)joined->copy;
	record->time = clock_line_at(&part->clock, record->time);
	if (at < (int)sizeof(*header) || at + (int)sizeof(record->time) > header->size)
		return NULL;
	memcpy((char *)joined->copy + at, &record->time, sizeof(record->time));
	return NULL;
}

/* Convert the record of a part to one of the joined recording. */
static struct error *joined_take(struct joined *joined, const struct joined_part *part,
				 struct record *record)
{
	struct error *err = NULL;

	record->settled = false;
	record->origin = &part->origin;
	if (!record->event)
		return NULL;
	err = event_check_known(record->event, part->nr_events);
	if (err)
		return error_prefix(err, "%s", part->reader->name);
	record->event = part->events[record->event->index];
	if (record->time && !clock_line_is_same(&part->clock))
		err = shift_time(joined, part, record);
	/*
	 * Records of tasks and maps from before a recording's first sample describe its initial
	 * state.  They come when the other recordings have reached that point.
	 */
	if (record->header->type != PERF_RECORD_SAMPLE && record->time < part->began)
		record->time = 0;
	return err;
}

static enum record_status joined_next(struct record_source *source, struct record *ret,
				      struct error **err)
{
	struct joined *joined = container_of(source, struct reader, source)->joined;
	struct joined_part *part;

	*err = joined->is_open ? NULL : joined_open(joined);
	if (*err)
		return RECORD_FAILED;
	while ((part = joined_earliest(joined))) {
		enum record_status status = RECORD_OK;

		if (joined_give_mark(joined, ret))
			return RECORD_OK;
		status = record_source_next(&part->reader->source, ret, err);
		if (status == RECORD_END) {
			part->ended = true;
			continue;
		}
		if (status != RECORD_OK)
			return status;
		if (ret->header->type == RECORD_FINISHED_ROUND) {
			take_mark(part, ret->header);
			continue;
		}
		*err = joined_take(joined, part, ret);
		return *err ? RECORD_FAILED : RECORD_OK;
	}
	return RECORD_END;
}

static const struct record_source_ops joined_ops = { .next = joined_next };

/* ---- the whole ----------------------------------------------------------------- */

static struct error *joined_narrow(struct joined *joined, const struct record_scope *scope)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < joined->nr; i++) {
		struct record_scope own = { .events = ~0ULL };

		if (scope)
			own.cpus = scope->cpus;
		if (scope && clock_line_is_same(&joined->parts[i].clock)) {
			own.times = scope->times;
			own.nr_times = scope->nr_times;
		}
		err = reader_narrow(joined->parts[i].reader, &own);
	}
	return err;
}

static void joined_watch(struct joined *joined, bool (*turn)(void *data), void *data)
{
	for (size_t i = 0; i < joined->nr; i++)
		reader_watch(joined->parts[i].reader, turn, data);
}

static uint64_t joined_bytes_left(const struct joined *joined)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < joined->nr; i++)
		bytes += reader_bytes_left(joined->parts[i].reader);
	return bytes;
}

/* The first and last time of all samples; 0: not known. */
static void joined_times(const struct joined *joined, uint64_t *ret_first, uint64_t *ret_last)
{
	*ret_first = *ret_last = 0;
	for (size_t i = 0; i < joined->nr; i++) {
		const struct joined_part *part = &joined->parts[i];
		uint64_t last = part->reader->header.last_sample_time;

		if (!part->began || !last) {
			*ret_first = *ret_last = 0;
			return;
		}
		if (!*ret_first || part->began < *ret_first)
			*ret_first = part->began;
		last = clock_line_at(&part->clock, last);
		if (last > *ret_last)
			*ret_last = last;
	}
}

size_t joined_count(const struct joined *joined)
{
	return joined->nr;
}

struct reader *joined_reader(const struct joined *joined, size_t nth)
{
	return joined->parts[nth].reader;
}

const struct origin *joined_origin(const struct joined *joined, size_t nth)
{
	return &joined->parts[nth].origin;
}

const struct event *joined_event(const struct joined *joined, size_t nth, size_t index)
{
	return joined->parts[nth].events[index];
}

static struct error *check_readers(const struct joined *joined)
{
	for (size_t i = 0; i < joined->nr; i++) {
		const struct reader *reader = joined->parts[i].reader;

		if (reader->header.is_pipe || reader->input.parts.nr)
			return error_hint(error_new(ENOTSUP, "%s has no order by which it could be "
						    "joined with other recordings", reader->name),
					  "Pipes and folders are read alone; 'ktrace record -o FILE' "
					  "makes a file");
		if (reader->swapped != joined->parts[0].reader->swapped)
			return error_hint(error_new(ENOTSUP, "%s was recorded in another byte order "
						    "than the recordings before it", reader->name),
					  "Read it alone");
	}
	return NULL;
}

static void joined_destroy(struct joined *joined)
{
	for (size_t i = 0; i < joined->nr; i++) {
		reader_close(joined->parts[i].reader);
		free(joined->parts[i].name);
		free(joined->parts[i].events);
	}
	free(joined->parts);
	free(joined->copy);
	free(joined);
}

static const struct several_ops several_joined = {
	.narrow = joined_narrow,
	.watch = joined_watch,
	.bytes_left = joined_bytes_left,
	.destroy = joined_destroy,
};

static struct error *open_parts(struct joined *joined, const char *const *paths)
{
	for (size_t i = 0; i < joined->nr; i++) {
		struct error *err = reader_open(paths[i], &joined->parts[i].reader);

		if (err)
			return err;
	}
	return NULL;
}

/* Open the recordings, and place and join them.  @joined has room for them. */
static struct error *joined_make(struct joined *joined, const char *const *paths,
				 const struct traffic_rules *rules)
{
	struct error *err = open_parts(joined, paths);
	struct reader *first = joined->parts[0].reader;

	if (!err)
		err = check_readers(joined);
	if (!err)
		err = joined_place(joined, rules);
	if (!err)
		err = joined_add_events(joined);
	if (err)
		return err;
	/* The header is that of the first one, except for the times. */
	joined_times(joined, &first->header.first_sample_time, &first->header.last_sample_time);
	joined->reader->first = first;
	if (asprintf(&joined->reader->name, "%s and %zu more", first->name, joined->nr - 1) < 0) {
		joined->reader->name = NULL;
		return &error_no_memory;
	}
	return NULL;
}

struct error *reader_open_many(const char *const *paths, size_t nr,
			       const struct traffic_rules *rules, struct reader **ret)
{
	struct reader *reader;
	struct joined *joined;
	struct error *err;

	if (nr == 1)
		return reader_open(paths[0], ret);
	reader = calloc(1, sizeof(*reader));
	joined = calloc(1, sizeof(*joined));
	if (joined)
		joined->parts = calloc(nr, sizeof(*joined->parts));
	if (!reader || !joined || !joined->parts) {
		free(reader);
		free(joined);
		return &error_no_memory;
	}
	*reader = (struct reader){
		.source.ops = &joined_ops, .several = &several_joined, .joined = joined, .fd = -1,
	};
	event_list_init(&reader->events);
	joined->reader = reader;
	joined->nr = nr;
	err = joined_make(joined, paths, rules);
	if (err) {
		reader_close(reader);
		return err;
	}
	*ret = reader;
	return NULL;
}

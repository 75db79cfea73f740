// SPDX-License-Identifier: GPL-2.0
/*
 * Gives the records of a file or pipe in its order.  Records that take the place of a header are
 * consumed here instead.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/log.h"
#include "perfdata/event_name.h"
#include "perfdata/reader_state.h"
#include "perfdata/swap.h"
#include "terminal/progress.h"

#define RECORD_BYTES_MAX	65536

/* The most steps of a plan without a mark. */
#define MARK_STEPS	1024

/* No sane pipe has more data before its first sample; memory use is bounded by it. */
#define HELD_BYTES_MAX	(64 * 1024 * 1024)

/* Larger extents are not checked for order before their records are given. */
#define ORDERED_BYTES_MAX	(1024 * 1024)

/* Note that the recording is cut off here. */
static void stream_cut(struct reader *reader)
{
	if (!reader->header.is_truncated)
		log_warning("%s ends inside a record: it is read up to the record before.",
			    reader->name);
	reader->header.is_truncated = true;
	reader->ended = true;
}

static struct error *take_attr(struct reader *reader, const struct perf_event_header *header)
{
	const char *attr = (const char *)(header + 1);
	size_t available = header->size - sizeof(*header), size;
	struct error *err;

	if (available < PERF_ATTR_SIZE_VER0)
		return reader_damaged(reader, "the description of an event is too short");
	size = reader_attr_size(attr, available);
	err = reader_add_event(reader, attr, size, attr + size, (available - size) / 8);
	return err ? err : event_list_index_last(&reader->events);
}

static bool is_padding(const char *p, const char *end)
{
	while (p < end && !*p)
		p++;
	return p == end;
}

static struct error *take_update(struct reader *reader, const struct perf_event_header *header)
{
	const struct body_event_update *update = body_of(header, struct body_event_update);
	const char *end = (const char *)header + header->size;
	const char *name;
	struct error *err = NULL;
	struct event *event;
	size_t len;

	if (!update || update->type != BODY_UPDATE_NAME)
		return NULL;
	name = update->data;
	len = body_text_length(header, name);
	event = event_list_find_id(&reader->events, update->id);
	if (event && len)
		err = event_name_set(event, name, len);
	if (err)
		return err;
	/* Behind the name and its padding are perf's zeros, or our extension. */
	name += (len + 1 + 7) & ~(size_t)7;
	if (name >= end || is_padding(name, end))
		return NULL;
	return reader_take_feature(reader, FEATURE_KTRACE, name, end - name);
}

/* Read the data that follows a TRACING_DATA record. */
static struct error *take_tracing_data(struct reader *reader,
				       const struct perf_event_header *header)
{
	const struct body_tracing_data *body = body_of(header, struct body_tracing_data);
	const void *data;
	struct error *err;
	uint32_t size;
	size_t len;

	if (!body)
		return reader_damaged(reader, "the record of its event formats is too short");
	size = body->size;
	err = input_peek(&reader->input, size, &data, &len);
	if (err)
		return error_prefix(err, "%s", reader->name);
	if (len < size) {
		stream_cut(reader);
		return NULL;
	}
	input_advance(&reader->input, size);
	return reader_take_tracing_data(reader, data, size);
}

static struct error *take_feature(struct reader *reader, const struct perf_event_header *header)
{
	const struct body_feature *body = body_of(header, struct body_feature);
	uint64_t bit;

	if (!body || body->number >= FEATURES_MAX || body->number == FEATURE_TRACING_DATA)
		return NULL;
	bit = body->number;
	reader->header.features[bit / 64] |= 1ULL << bit % 64;
	return reader_take_feature(reader, bit, body->data, body_left(header, body->data));
}

static struct error *skip_auxtrace(struct reader *reader, const struct perf_event_header *header)
{
	const struct body_auxtrace *body = body_of(header, struct body_auxtrace);
	struct error *err;
	uint64_t size, skipped;

	if (!body)
		return NULL;
	size = body->size;
	err = input_skip(&reader->input, size, &skipped);
	if (!err && skipped < size)
		stream_cut(reader);
	return err;
}

static struct error *take_compressed(struct reader *reader, const struct perf_event_header *header)
{
	const char *data = (const char *)(header + 1);
	uint64_t size = header->size - sizeof(*header);
	struct error *err;

	if (header->type == RECORD_COMPRESSED2) {
		const struct body_compressed2 *body = body_of(header, struct body_compressed2);

		if (!body || body->size > body_left(header, body->data))
			return reader_damaged(reader, "a compressed record is too short");
		data = body->data;
		size = body->size;
	}
	if (!reader->decompressor) {
		err = decompressor_create(reader->swapped, &reader->decompressor);
		if (err)
			return err;
	}
	decompressor_feed(reader->decompressor, data, size);
	reader->decompressing = true;
	return NULL;
}

/* Consume a record if it is meant for the reader itself; *ret is whether it was. */
static struct error *stream_take_record(struct reader *reader,
					const struct perf_event_header *header, bool *ret)
{
	*ret = true;
	/*
	 * When reading by an index, other records of this kind were consumed when the index was
	 * built.
	 */
	if (reader->planned && header->type != RECORD_AUXTRACE &&
	    header->type != RECORD_COMPRESSED && header->type != RECORD_COMPRESSED2) {
		*ret = false;
		return NULL;
	}
	switch (header->type) {
	case RECORD_HEADER_ATTR:
		return take_attr(reader, header);
	case RECORD_EVENT_UPDATE:
		return take_update(reader, header);
	case RECORD_HEADER_FEATURE:
		return take_feature(reader, header);
	case RECORD_BUILD_ID:
		/* The record has the form of an entry in the section of that feature. */
		return reader_take_feature(reader, FEATURE_BUILD_ID, header, header->size);
	case RECORD_TRACING_DATA:
		return take_tracing_data(reader, header);
	case RECORD_AUXTRACE:
		return skip_auxtrace(reader, header);
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return take_compressed(reader, header);
	default:
		*ret = false;
		return NULL;
	}
}

/*
 * If a record is not at a multiple of 8, because one before it has an odd size, copy it to an
 * aligned buffer.
 */
static struct error *align(struct reader *reader, const struct perf_event_header **header,
			   size_t size)
{
	if (!((uintptr_t)*header & 7))
		return NULL;
	if (!reader->aligned)
		reader->aligned = malloc(RECORD_BYTES_MAX);
	if (!reader->aligned)
		return &error_no_memory;
	memcpy(reader->aligned, *header, size);
	*header = reader->aligned;
	return NULL;
}

/*
 * Pipes of ktrace record end with its ledger.  If it is missing, the recorder was killed, or could
 * not write the rest.  A file with the bytes of a pipe may have been recovered.
 */
static void stream_lacks_end(struct reader *reader)
{
	struct stat st;

	if (!reader->of_ktrace || reader->ledger.nr || reader->header.is_truncated ||
	    fd_read_was_interrupted() ||
	    (!fstat(reader->fd, &st) && S_ISREG(st.st_mode)))
		return;
	log_warning("%s breaks off before its end: its recorder was killed, or failed. The number "
		    "of missing records is unknown.", reader->name);
	reader->header.is_truncated = true;
}

/* Give the next record of the input and consume it; *ret is NULL at the end. */
static struct error *next_of_input(struct reader *reader, const struct perf_event_header **ret)
{
	struct input *input = &reader->input;
	struct perf_event_header header;
	const void *data;
	struct error *err;
	size_t len;

	*ret = NULL;
	err = input_peek(input, sizeof(header), &data, &len);
	if (err)
		return error_prefix(err, "%s", reader->name);
	if (len < sizeof(header)) {
		/* A pipe ends where its bytes end; a file can have become shorter. */
		if (len || (!reader->header.is_pipe && input->offset < input->end))
			stream_cut(reader);
		else if (reader->header.is_pipe)
			stream_lacks_end(reader);
		return NULL;
	}
	memcpy(&header, data, sizeof(header));
	if (reader->swapped)
		swap_header(&header);
	if (header.size < sizeof(header))
		return reader_damaged(reader, "at offset %llu there is no record",
				      (unsigned long long)input->offset);
	err = input_peek(input, header.size, &data, &len);
	if (err)
		return error_prefix(err, "%s", reader->name);
	if (len < header.size) {
		stream_cut(reader);
		return NULL;
	}
	*ret = data;
	input_advance(input, len);
	return align(reader, ret, len);
}

/* The size of a record that is not swapped yet. */
static size_t record_size(const struct reader *reader, const struct perf_event_header *header)
{
	uint16_t size;

	/* It need not be aligned yet. */
	memcpy(&size, (const char *)header + offsetof(struct perf_event_header, size),
	       sizeof(size));
	return reader->swapped ? __builtin_bswap16(size) : size;
}

/* Swap a record in place into this machine's byte order.  It is in a buffer of ours. */
static void swap(struct reader *reader, const struct perf_event_header *header)
{
	if (!reader->swapped)
		return;
	swap_header((struct perf_event_header *)header);
	swap_record(&reader->events, (struct perf_event_header *)header);
}

/*
 * Consume and give the following records in the window, while they are complete and need no
 * treatment.
 */
static size_t take_window(struct input *input, const struct perf_event_header **headers,
			  size_t max)
{
	size_t nr = 0;

	while (nr < max) {
		const struct perf_event_header *header = (const void *)(input->buffer + input->at);
		size_t left = input->len - input->at;

		if (left < sizeof(*header) || (uintptr_t)header & 7 ||
		    header->size < sizeof(*header) || header->size > left ||
		    header->type >= RECORD_USER_TYPE_START)
			break;
		headers[nr++] = header;
		input_advance(input, header->size);
	}
	return nr;
}

/*
 * As stream_take_record(), but also give the record.  Consuming it may read on and overwrite it, so
 * a copy is given.
 */
static struct error *take_and_give(struct reader *reader, const struct perf_event_header **header,
				   bool *ret)
{
	if (!reader->taken)
		reader->taken = malloc(RECORD_BYTES_MAX);
	if (!reader->taken)
		return &error_no_memory;
	memcpy(reader->taken, *header, (*header)->size);
	*header = reader->taken;
	return stream_take_record(reader, *header, ret);
}

void reader_give_all(struct reader *reader)
{
	reader->gives_all = true;
}

/* Give the next record, from the input or decompressed; *ret is NULL at the end. */
static struct error *next_header(struct reader *reader, const struct perf_event_header **ret,
				 uint64_t *offset)
{
	struct error *err;

	/* Most records come from the kernel and can be given directly from the window. */
	if (!reader->decompressing && !reader->swapped && !reader->ended) {
		*offset = reader->record_at = reader->input.offset;
		if (take_window(&reader->input, ret, 1))
			return NULL;
	}
	while (!reader->ended) {
		bool taken;

		if (reader->decompressing) {
			err = decompressor_next(reader->decompressor, ret);
			if (err)
				return error_prefix(err, "%s", reader->name);
			*offset = reader->record_at;
			if (*ret) {
				err = align(reader, ret, record_size(reader, *ret));
				if (!err)
					swap(reader, *ret);
				return err;
			}
			reader->decompressing = false;
		}
		*offset = reader->record_at = reader->input.offset;
		err = next_of_input(reader, ret);
		if (err)
			return err;
		if (!*ret)
			break;
		swap(reader, *ret);
		if ((*ret)->type < RECORD_USER_TYPE_START)
			return NULL;
		err = reader->gives_all ? take_and_give(reader, ret, &taken) :
					  stream_take_record(reader, *ret, &taken);
		if (err || !taken || reader->gives_all)
			return err;
	}
	reader->ended = true;
	*ret = NULL;
	return NULL;
}

/*
 * As next_header(), but first give the records that reader_read_header() kept, and then the error
 * that it ended with.
 */
static struct error *next_given(struct reader *reader, const struct perf_event_header **ret,
				uint64_t *offset)
{
	/* This check is made for every record, so it comes first. */
	if (!reader->holds)
		return next_header(reader, ret, offset);
	*ret = held_next(&reader->held, offset);
	if (*ret)
		return NULL;
	reader->holds = false;
	held_deinit(&reader->held);
	if (reader->failure)
		return take_ptr(reader->failure);
	return next_header(reader, ret, offset);
}

struct error *reader_read_header(struct reader *reader)
{
	const struct perf_event_header *header;
	struct error *err = NULL;
	uint64_t offset;

	if (!reader->header.is_pipe || reader->header_read)
		return NULL;
	reader->header_read = true;
	while (!err && reader->held.len < HELD_BYTES_MAX) {
		reader->failure = next_header(reader, &header, &offset);
		if (reader->failure || !header)
			break;
		err = held_add(&reader->held, header, offset);
		if (header->type == PERF_RECORD_SAMPLE || header->type == RECORD_FINISHED_ROUND)
			break;
	}
	if (reader->failure)
		reader->ended = true;
	reader->holds = true;
	return err ? err : reader_name_events(reader);
}

struct error *reader_take_failure(struct reader *reader)
{
	return take_ptr(reader->failure);
}

/* Create a mark: no following record has an earlier time. */
static const struct perf_event_header *make_mark(struct reader *reader, uint64_t time)
{
	reader->mark = (struct perfdata_finished_round){
		.header = { .type = RECORD_FINISHED_ROUND, .size = sizeof(reader->mark) },
		.body.mark = time,
	};
	reader->unmarked = 0;
	return &reader->mark.header;
}

/*
 * Decompress all records in @at.  Returns false if some of them are not compressed or are damaged,
 * or if their output is too large to hold at once.
 */
static bool expand(struct decompressor *decompressor, const char *at, const char *end,
		   const void **ret, size_t *ret_len)
{
	decompressor_reset(decompressor);
	while (at < end) {
		const struct perf_event_header *header = (const void *)at;
		size_t left = end - at;

		if (left < sizeof(*header) || header->type != RECORD_COMPRESSED ||
		    header->size < sizeof(*header) || header->size > left ||
		    !decompressor_expand(decompressor, header + 1, header->size - sizeof(*header),
					 ret, ret_len))
			return false;
		at += header->size;
	}
	return true;
}

/*
 * Read an extent as a whole.  Returns false if it is too large, damaged or in the other byte order,
 * or if the file ends inside it; it must then be read record by record.
 */
static bool read_stretch(struct reader *reader, const struct index_step *step,
			 const void **ret, size_t *ret_len)
{
	struct error *err;
	bool expanded;

	if (reader->swapped || step->size > ORDERED_BYTES_MAX)
		return false;
	input_seek(&reader->input, step->offset, step->offset + step->size);
	err = input_peek(&reader->input, step->size, ret, ret_len);
	/* Reading it record by record meets the same error and reports it. */
	if (err) {
		error_free(err);
		return false;
	}
	if (*ret_len != step->size || !reader->decompressor)
		return *ret_len == step->size;
	expanded = expand(reader->decompressor, *ret, (const char *)*ret + *ret_len, ret, ret_len);
	/* Reading record by record starts with a new stream. */
	decompressor_reset(reader->decompressor);
	return expanded;
}

/* The record at @at; NULL if it is not whole, or is no ordinary record. */
static const struct perf_event_header *whole_record(const char *at, const char *end)
{
	const struct perf_event_header *header = (const void *)at;
	size_t left = end - at;

	if (left < sizeof(*header) || header->size < sizeof(*header) || header->size > left ||
	    header->size & 7 ||
	    (header->type >= RECORD_USER_TYPE_START && header->type != RECORD_FINISHED_ROUND))
		return NULL;
	return header;
}

/* Whether the bytes are whole records, with the samples in order of time. */
static bool are_ordered(const struct reader *reader, const char *at, const char *end)
{
	size_t time_at = reader->events.items[0]->time_offset;
	uint64_t time, last = 0;

	while (at < end) {
		const struct perf_event_header *header = whole_record(at, end);

		if (!header)
			return false;
		at += header->size;
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		if (header->size < time_at + sizeof(time))
			return false;
		memcpy(&time, (const char *)header + time_at, sizeof(time));
		if (time < last)
			return false;
		last = time;
	}
	return true;
}

/* Words to compare at once: compilers turn as many into vector instructions. */
#define WORDS_AT_ONCE	64

static bool block_has_word(const char *block, uint32_t word)
{
	uint32_t words[WORDS_AT_ONCE], found = 0;

	memcpy(words, block, sizeof(words));
	for (size_t i = 0; i < WORDS_AT_ONCE; i++)
		found |= words[i] == word;
	return found;
}

static bool bytes_have_word(const char *at, size_t size, uint32_t word)
{
	uint32_t found;

	for (; size >= WORDS_AT_ONCE * sizeof(word); size -= WORDS_AT_ONCE * sizeof(word)) {
		if (block_has_word(at, word))
			return true;
		at += WORDS_AT_ONCE * sizeof(word);
	}
	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&found, at, sizeof(found));
		if (found == word)
			return true;
	}
	return false;
}

/* Whether an extent has none of the words; then none of its samples is wanted. */
static bool stretch_lacks_words(struct reader *reader, const struct index_step *step)
{
	const void *data;
	const char *at, *end;
	size_t len;

	if (!reader->words.nr || step->whole || !read_stretch(reader, step, &data, &len))
		return false;
	/* Words are compared at aligned addresses, so every record has to be aligned. */
	for (at = data, end = at + len; at < end; ) {
		const struct perf_event_header *header = whole_record(at, end);

		if (!header)
			return false;
		at += header->size;
	}
	return !array_any(&reader->words, it, bytes_have_word(data, len, *it));
}

/* If the samples of an extent are in order, they are given directly from the window. */
static void find_order(struct reader *reader, const struct index_step *step)
{
	const struct event_list *events = &reader->events;
	const void *data;
	size_t len;

	reader->ordered = NULL;
	if (!events->one_layout || !events->one_time || events->items[0]->time_offset < 0 ||
	    !read_stretch(reader, step, &data, &len) ||
	    !are_ordered(reader, data, (const char *)data + len))
		return;
	reader->times.at = time_ranges_skip(reader->times.items, reader->times.nr, step->time);
	reader->ordered = data;
	reader->ordered_end = reader->ordered + len;
	reader->settled_before = reader->plan_at < reader->plan.nr ?
				 reader->plan.items[reader->plan_at].time : UINT64_MAX;
}

static void begin_stretch(struct reader *reader, const struct index_step *step)
{
	input_seek(&reader->input, step->offset, step->offset + step->size);
	if (reader->decompressor)
		decompressor_reset(reader->decompressor);
	reader->decompressing = reader->ended = false;
	reader->in_stretch = true;
	reader->in_whole = step->whole;
	reader->ordered = NULL;
	if (!reader->in_bulk)
		find_order(reader, step);
}

/* Whether a sample of an ordered extent is in a wanted time range. */
static bool ordered_is_wanted(struct reader *reader, const struct perf_event_header *header)
{
	const struct time_range *range;
	uint64_t time;

	if (!reader->times.nr || reader->in_whole)
		return true;
	memcpy(&time, (const char *)header + reader->events.items[0]->time_offset, sizeof(time));
	for (; reader->times.at < reader->times.nr; reader->times.at++) {
		range = &reader->times.items[reader->times.at];
		if (!range->end || time <= range->end)
			return time >= range->start;
	}
	return false;
}

/* Give the next sample of an ordered extent; NULL: there are no more. */
static const struct perf_event_header *next_ordered(struct reader *reader, uint64_t *offset)
{
	while (reader->ordered < reader->ordered_end) {
		const struct perf_event_header *header = (const void *)reader->ordered;

		*offset = reader->input.offset;
		if (!reader->decompressor)
			*offset = reader->input.end - (reader->ordered_end - reader->ordered);
		reader->ordered += header->size;
		if (header->type == PERF_RECORD_SAMPLE && ordered_is_wanted(reader, header))
			return header;
	}
	return NULL;
}

/* Give the next record of the plan: state comes from the index, samples from the file. */
static struct error *next_planned(struct reader *reader, const struct perf_event_header **ret,
				  uint64_t *offset)
{
	for (;;) {
		const struct index_step *step;

		while (reader->in_stretch) {
			struct error *err = NULL;

			if (reader->ordered)
				*ret = next_ordered(reader, offset);
			else
				err = next_header(reader, ret, offset);
			if (err)
				return err;
			if (!*ret)
				reader->in_stretch = false;
			else if ((*ret)->type == PERF_RECORD_SAMPLE)
				return NULL;
		}
		if (reader->plan_at == reader->plan.nr) {
			*ret = NULL;
			return take_ptr(reader->failure);
		}
		step = &reader->plan.items[reader->plan_at];
		*offset = step->offset;
		if (reader->unmarked++ >= MARK_STEPS) {
			*ret = make_mark(reader, step->time);
			return NULL;
		}
		reader->plan_at++;
		if (step->state) {
			*ret = step->state;
			return NULL;
		}
		if (stretch_lacks_words(reader, step))
			continue;
		begin_stretch(reader, step);
		*ret = make_mark(reader, step->time);
		return NULL;
	}
}

bool reader_can_index(const struct reader *reader)
{
	if (!reader->file_size || reader->header.is_pipe)
		return false;
	return !array_any(&reader->events, it, !((*it)->attr.sample_type & PERF_SAMPLE_TIME));
}

struct error *reader_follow_index(struct reader *reader, const struct record_scope *scope,
				  uint64_t offset)
{
	_cleanup_free_ bool *whole = NULL;
	struct error *err = NULL;

	if (scope && !scope->samples_only)
		err = index_find_rings(&reader->index, &reader->events, &reader->header, &whole);
	if (!err)
		err = index_plan(&reader->index, scope, whole, offset, &reader->plan);
	if (err)
		return err;
	reader->plan_at = reader->state_at = reader->unmarked = 0;
	reader->planned = true;
	reader->in_stretch = false;
	reader->words.nr = reader->times.nr = 0;
	if (scope && (scope->times_ordered || scope->nr_times == 1))
		for (size_t i = 0; i < scope->nr_times; i++)
			if (!array_push(&reader->times, scope->times[i]))
				return &error_no_memory;
	if (scope && scope->nr_words && scope->nr_words <= READER_WORDS) {
		reader->words.nr = scope->nr_words;
		memcpy(reader->words.items, scope->words, scope->nr_words * sizeof(*scope->words));
	}
	return NULL;
}

/* Find the event of a record.  Few ids occur again and again, so recent ones are remembered. */
static const struct event *stream_find_event(struct reader *reader,
					     const struct perf_event_header *header)
{
	const struct event *event;
	uint64_t id;
	int at;

	if (header->type != PERF_RECORD_SAMPLE || !reader->events.one_layout)
		return event_list_find_record(&reader->events, header);
	at = reader->events.items[0]->id_offset;
	if (at < 0 || at + (int)sizeof(id) > header->size)
		return event_list_find_record(&reader->events, header);
	memcpy(&id, (const char *)header + at, sizeof(id));
	if (reader->recent[id % RECENT_IDS].id == id && reader->recent[id % RECENT_IDS].event)
		return reader->recent[id % RECENT_IDS].event;
	event = event_list_find_record(&reader->events, header);
	reader->recent[id % RECENT_IDS].id = id;
	return reader->recent[id % RECENT_IDS].event = event;
}

static uint64_t stream_record_time(const struct event *event,
				   const struct perf_event_header *header)
{
	uint64_t time;
	int at = event->time_offset;

	if (header->type != PERF_RECORD_SAMPLE || at < 0 || at + (int)sizeof(time) > header->size)
		return event_record_time(event, header);
	memcpy(&time, (const char *)header + at, sizeof(time));
	return time;
}

static void index_record(struct reader *reader, const struct perf_event_header *header,
			 uint64_t offset, uint64_t *start)
{
	const struct event *event = stream_find_event(reader, header);
	uint64_t time = event ? stream_record_time(event, header) : 0;

	if (!reader->index.open.samples)
		*start = offset;
	if (header->type == PERF_RECORD_SAMPLE)
		index_add_samples(&reader->index, 1, time, time, UINT32_MAX,
				  event ? event->index : UINT32_MAX);
	else
		index_add_state(&reader->index, offset, time, header);
	if (offset + header->size - *start >= INDEX_ENTRY_BYTES)
		index_close_entry(&reader->index, *start, offset + header->size);
}

/* Index the rest of the recording.  The returned error is a defect of the file, such as damage. */
static struct error *index_rest(struct reader *reader)
{
	const struct perf_event_header *headers[256];
	uint64_t offset, start = reader->input.offset;
	struct error *err;

	for (;;) {
		size_t nr = 0;

		offset = reader->input.offset;
		if (!reader->decompressing && !reader->swapped && !reader->ended)
			nr = take_window(&reader->input, headers, ARRAY_SIZE(headers));
		if (!nr) {
			err = next_header(reader, headers, &offset);
			if (err || !headers[0])
				break;
			nr = 1;
		}
		for (size_t i = 0; i < nr; i++) {
			index_record(reader, headers[i], offset, &start);
			offset += headers[i]->size;
		}
		if (reader->turn && !reader->turn(reader->turn_data)) {
			reader->index.failed = true;
			return NULL;
		}
	}
	index_close_entry(&reader->index, start, reader->record_at);
	return err;
}

static bool stream_look_ahead(struct record_source *source)
{
	struct reader *reader = container_of(source, struct reader, source);
	uint64_t from = reader->input.offset;
	struct error *err;

	if (reader->planned || reader->decompressor || !reader_can_index(reader))
		return false;
	/* These bytes are read twice: now, and when their records are given. */
	progress_expect(input_bytes_left(&reader->input, reader->file_size));
	reader->failure = index_rest(reader);
	/* After a compressed record, or if the index failed, we go on without one. */
	if (reader->decompressor || reader->index.failed) {
		index_deinit(&reader->index);
		error_free(take_ptr(reader->failure));
		if (reader->decompressor)
			decompressor_reset(reader->decompressor);
		reader->decompressing = reader->ended = false;
		input_seek(&reader->input, from, reader->input.end);
		return false;
	}
	err = reader_follow_index(reader, NULL, from);
	if (err) {
		error_free(reader->failure);
		reader->failure = err;
		reader->planned = true;
	}
	return true;
}

static enum record_status stream_fail(struct reader *reader, struct error *failure,
				      struct error **err)
{
	reader->ended = true;
	*err = failure;
	return RECORD_FAILED;
}

/* The plan has given the other records of the extent already. */
static size_t keep_samples(const struct perf_event_header **headers, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (headers[i]->type == PERF_RECORD_SAMPLE)
			headers[kept++] = headers[i];
	return kept;
}

enum record_status reader_next_records(struct reader *reader,
				       const struct perf_event_header **headers, size_t max,
				       size_t *ret_nr, struct error **err)
{
	struct error *failure;
	uint64_t offset;
	size_t nr;

	reader->in_bulk = true;
	failure = reader->planned ? next_planned(reader, &headers[0], &offset) :
				    next_given(reader, &headers[0], &offset);
	if (!failure && reader->unnamed)
		failure = reader_name_events(reader);
	if (failure)
		return stream_fail(reader, failure, err);
	if (!headers[0])
		return RECORD_END;
	*ret_nr = 1;
	/* Held records precede all records in the window. */
	if (reader->holds || (reader->planned && !reader->in_stretch))
		return RECORD_OK;
	if (!reader->decompressing && headers[0] != reader->aligned && !reader->swapped) {
		nr = take_window(&reader->input, headers + 1, max - 1);
		*ret_nr += reader->planned ? keep_samples(headers + 1, nr) : nr;
	}
	return RECORD_OK;
}

static enum record_status stream_next(struct record_source *source, struct record *ret,
				      struct error **err)
{
	struct reader *reader = container_of(source, struct reader, source);
	const struct perf_event_header *header = NULL;
	struct error *failure;
	uint64_t offset = 0;

	failure = reader->planned ? next_planned(reader, &header, &offset) :
				    next_given(reader, &header, &offset);
	/* In a pipe, any record before the first sample may give the names. */
	if (!failure && reader->unnamed && (!header || header->type == PERF_RECORD_SAMPLE))
		failure = reader_name_events(reader);
	if (failure)
		return stream_fail(reader, failure, err);
	if (!header)
		return RECORD_END;
	*ret = (struct record){ .header = header, .offset = offset };
	if (header->type < RECORD_USER_TYPE_START) {
		ret->event = stream_find_event(reader, header);
		if (ret->event)
			ret->time = stream_record_time(ret->event, header);
		ret->settled = reader->ordered && reader->in_stretch &&
			       ret->time < reader->settled_before;
	}
	return RECORD_OK;
}

struct error *reader_read_ahead(struct reader *reader, int ready)
{
	struct pollfd fds[2] = { { .fd = ready, .events = POLLIN },
				 { .fd = reader->fd, .events = POLLIN } };
	struct input *input = &reader->input;
	struct error *err = NULL;

	while (!err) {
		size_t have = input->len - input->at, len;
		const void *data;
		int n;

		if (fd_wait.begin)
			fd_wait.begin();
		n = poll(fds, 2, -1);
		if (fd_wait.end)
			fd_wait.end();
		if ((n < 0 && errno == EINTR && fd_wait.interrupted && fd_wait.interrupted()) ||
		    (n > 0 && fds[0].revents))
			break;
		if (n <= 0 || !fds[1].revents)
			continue;
		err = input_peek(input, have + 1, &data, &len);
		if (!err && len == have)
			break;
	}
	return err;
}

/* Count the samples among whole records.  Returns 0 unless all samples are plain. */
static size_t count_plain(struct reader *reader, const char *at, const char *end)
{
	size_t nr = 0;

	while (at < end) {
		const struct perf_event_header *header = whole_record(at, end);
		const struct event *event;

		if (!header)
			return 0;
		at += header->size;
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		event = stream_find_event(reader, header);
		if (!event || !event->plain || !event_has_plain(event, header))
			return 0;
		nr++;
	}
	return nr;
}

static bool stream_next_span(struct record_source *source, struct sample_span *ret)
{
	struct reader *reader = container_of(source, struct reader, source);
	const struct index_plan *plan = &reader->plan;
	const struct index_step *step;
	const void *data;
	size_t len;

	if (!reader->planned || reader->in_stretch || reader->plan_at == plan->nr)
		return false;
	step = &plan->items[reader->plan_at];
	while (reader->state_at < plan->nr &&
	       (reader->state_at < reader->plan_at || !plan->items[reader->state_at].state))
		reader->state_at++;
	if (step->state ||
	    (reader->state_at < plan->nr && plan->items[reader->state_at].time <= step->last))
		return false;
	if (!read_stretch(reader, step, &data, &len))
		return false;
	ret->data = data;
	ret->size = len;
	ret->nr = count_plain(reader, data, (const char *)data + len);
	ret->time = step->time;
	ret->last = step->last;
	if (ret->nr)
		reader->plan_at++;
	return ret->nr;
}

const struct record_source_ops stream_ops = {
	.next = stream_next,
	.look_ahead = stream_look_ahead,
	.next_span = stream_next_span,
};

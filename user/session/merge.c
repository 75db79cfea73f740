// SPDX-License-Identifier: GPL-2.0
#include "session/merge.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "record/body.h"
#include "record/event.h"

/* The most held bytes when no round ends. */
#define HELD_BYTES_MAX	(256u * 1024 * 1024)

/* From so many held bytes on, the source is requested to look ahead. */
#define LOOK_AHEAD_BYTES	(16u * 1024 * 1024)

/*
 * Small enough for records that are held briefly to stay in the cache, larger than any record.
 */
#define CHUNK_BYTES	(128 * 1024)

/* With fewer chunks than this, nearly empty chunks are not searched. */
#define CHUNKS_MIN	32

/* The number of free chunks that are kept for later records. */
#define FREE_CHUNKS_MAX	16

/* Held records are stored in chunks, in the order of their arrival. */
struct chunk {
	struct chunk *next_free;
	size_t used;
	size_t live;		/* number of its records that were not given yet */
	char bytes[CHUNK_BYTES] __attribute__((aligned(8)));
};

struct held {
	struct held *next;	/* in its run */
	struct chunk *chunk;
	uint64_t sequence;	/* order of arrival decides between equal times */
	struct record record;	/* header points behind this structure */
};

/* Records that arrived in order of time; in a file, mostly those of one ring. */
struct run {
	struct held *first;
};

struct merge {
	struct record_source source;
	struct record_source *input;

	ARRAY_OF(struct run) runs;	/* a heap: the oldest first record on top */
	struct held *tail;	/* the newest arrival, last of its run; NULL: none */

	struct chunk *chunk, *free_chunks;
	size_t nr_chunks, nr_free;	/* in use, chunk included; and free ones */
	size_t held_bytes;
	uint64_t sequence;

	uint64_t flush_below;	/* held records older than this can go out */
	uint64_t newest;	/* newest time that has come in so far */
	uint64_t newest_at_round;
	uint64_t last_out;
	uint64_t inversions;

	struct record settled;	/* from the input; waits while older records are held; valid if: */
	bool has_settled;
	struct sample_span span;	/* likewise */
	bool has_span, wants_spans;
	struct held *given;	/* the record that the last next() returned */
	bool input_ended;
	bool looks_ahead;	/* the input was requested to look ahead */
	struct error *failure;	/* the input's error, returned after all records */
};

static bool is_sample(const struct held *held)
{
	return held->record.header->type == PERF_RECORD_SAMPLE;
}

static bool is_before(const struct record *a, const struct record *b)
{
	/* A file that is read by its index arrives in another order, so offsets decide. */
	return a->time != b->time ? a->time < b->time : a->offset < b->offset;
}

static bool is_older(const struct held *a, const struct held *b)
{
	if (a->record.time != b->record.time || a->record.offset != b->record.offset)
		return is_before(&a->record, &b->record);
	/*
	 * Both are from one compressed piece.  A LOST record has the time of the following sample,
	 * so it comes first.
	 */
	if (a->record.offset && is_sample(a) != is_sample(b))
		return is_sample(b);
	return a->sequence < b->sequence;
}

static void swap_runs(struct run *a, struct run *b)
{
	struct run copy = *a;

	*a = *b;
	*b = copy;
}

static void sift_down(struct run *runs, size_t nr, size_t at)
{
	for (;;) {
		size_t least = at, child = 2 * at + 1;

		if (child < nr && is_older(runs[child].first, runs[least].first))
			least = child;
		if (child + 1 < nr && is_older(runs[child + 1].first, runs[least].first))
			least = child + 1;
		if (least == at)
			return;
		swap_runs(&runs[at], &runs[least]);
		at = least;
	}
}

static void sift_up(struct run *runs, size_t at)
{
	while (at) {
		size_t parent = (at - 1) / 2;

		if (!is_older(runs[at].first, runs[parent].first))
			return;
		swap_runs(&runs[at], &runs[parent]);
		at = parent;
	}
}

static struct chunk *merge_take_chunk(struct merge *merge)
{
	struct chunk *chunk = merge->free_chunks;

	if (chunk) {
		merge->free_chunks = chunk->next_free;
		merge->nr_free--;
	} else {
		chunk = malloc(sizeof(*chunk));
	}
	if (!chunk)
		return NULL;
	merge->nr_chunks++;
	chunk->used = chunk->live = 0;
	return chunk;
}

static void free_chunk(struct merge *merge, struct chunk *chunk)
{
	merge->nr_chunks--;
	if (merge->nr_free >= FREE_CHUNKS_MAX) {
		free(chunk);
		return;
	}
	chunk->next_free = merge->free_chunks;
	merge->free_chunks = chunk;
	merge->nr_free++;
}

static size_t size_of(const struct record *record)
{
	return sizeof(struct held) + ((record->header->size + 7) & ~7U);
}

/* Get room for a held record in the current chunk, or in a new one; NULL: out of memory. */
static struct held *take_room(struct merge *merge, size_t size)
{
	struct held *held;

	if (!merge->chunk || CHUNK_BYTES - merge->chunk->used < size) {
		struct chunk *chunk = merge_take_chunk(merge);

		if (!chunk)
			return NULL;
		/* The full chunk is freed with the last record in it. */
		merge->chunk = chunk;
	}
	held = (struct held *)(merge->chunk->bytes + merge->chunk->used);
	merge->chunk->used += size;
	merge->chunk->live++;
	held->chunk = merge->chunk;
	return held;
}

static struct held *hold(struct merge *merge, const struct record *record)
{
	size_t size = size_of(record);
	struct held *held = take_room(merge, size);

	if (!held)
		return NULL;
	merge->held_bytes += size;
	held->next = NULL;
	held->sequence = merge->sequence++;
	held->record = *record;
	held->record.header = memcpy(held + 1, record->header, record->header->size);
	return held;
}

static void release(struct merge *merge, struct held *held)
{
	struct chunk *chunk = held->chunk;

	merge->held_bytes -= size_of(&held->record);
	if (--chunk->live)
		return;
	if (chunk == merge->chunk)
		chunk->used = 0;
	else
		free_chunk(merge, chunk);
}

/* Move @held to the current chunk; NULL: out of memory. */
static struct held *merge_move(struct merge *merge, struct held *held)
{
	size_t size = size_of(&held->record);
	struct held *copy = take_room(merge, size);
	struct chunk *chunk = held->chunk, *to;

	if (!copy)
		return NULL;
	to = copy->chunk;
	*copy = *held;
	copy->chunk = to;
	copy->record.header = memcpy(copy + 1, held->record.header, held->record.header->size);
	if (merge->tail == held)
		merge->tail = copy;
	if (!--chunk->live)
		free_chunk(merge, chunk);
	return copy;
}

/*
 * A few records that wait for long each keep a whole chunk.  If most chunks are nearly empty, all
 * held records are moved together.  As much is moved as was released since, so this costs no more
 * than holding did.  No given record may be in use at this time.
 */
static bool compact(struct merge *merge)
{
	if (merge->nr_chunks < CHUNKS_MIN ||
	    merge->nr_chunks * CHUNK_BYTES / 4 < merge->held_bytes)
		return true;
	/*
	 * The last step was an insertion, so the current chunk holds a record, and is freed once
	 * all its records are moved.
	 */
	merge->chunk = merge_take_chunk(merge);
	if (!merge->chunk)
		return false;
	for (size_t i = 0; i < merge->runs.nr; i++) {
		struct run *run = &merge->runs.items[i];

		for (struct held **link = &run->first; *link; link = &(*link)->next) {
			struct held *copy = merge_move(merge, *link);

			if (!copy)
				return false;
			*link = copy;
		}
	}
	return true;
}

static bool merge_insert(struct merge *merge, const struct record *record)
{
	struct held *held = hold(merge, record);
	struct run run = { held };

	if (!held)
		return false;
	if (record->time > merge->newest)
		merge->newest = record->time;
	if (merge->tail && merge->tail->record.time <= record->time) {
		merge->tail->next = held;
	} else {
		if (!array_push(&merge->runs, run))
			return false;
		sift_up(merge->runs.items, merge->runs.nr - 1);
	}
	merge->tail = held;
	return true;
}

/* Remove the oldest held record from its run. */
static struct held *take_oldest(struct merge *merge)
{
	struct run *top = &merge->runs.items[0];
	struct held *held = top->first;

	if (held == merge->tail)
		merge->tail = NULL;
	top->first = held->next;
	if (!top->first)
		*top = merge->runs.items[--merge->runs.nr];
	if (merge->runs.nr > 1)
		sift_down(merge->runs.items, merge->runs.nr, 0);
	return held;
}

/*
 * A round of draining has ended.  The newest record at the end of the previous round was visible in
 * its ring when this round began, and so were all older records.  ktrace's own rounds have a mark
 * instead.
 */
static void merge_end_round(struct merge *merge, const struct perf_event_header *header)
{
	const struct body_finished_round *round = body_of(header, struct body_finished_round);
	uint64_t below = round ? round->mark : merge->newest_at_round + 1;

	if (below > merge->flush_below)
		merge->flush_below = below;
	merge->newest_at_round = merge->newest;
}

/*
 * Too much is held without the end of a round: as perf does when memory is out, give out the older
 * half.
 */
static void flush_half(struct merge *merge)
{
	uint64_t oldest = merge->runs.items[0].first->record.time;

	merge->flush_below = oldest + (merge->newest - oldest) / 2 + 1;
}

static bool record_has_time(const struct record *record)
{
	return record->time && record->time != UINT64_MAX && record->event &&
		record->event->attr.sample_id_all;
}

static void count_inversions(struct merge *merge, uint64_t time)
{
	if (time < merge->last_out)
		merge->inversions++;
	else
		merge->last_out = time;
}

static bool has_older(const struct merge *merge, const struct record *record)
{
	return merge->runs.nr && is_before(&merge->runs.items[0].first->record, record);
}

/*
 * Read on until a record can go out.  *ret_now: the record in @ret goes out at once; *ret_later:
 * nothing more can be read yet.
 */
static struct error *merge_fill(struct merge *merge, struct record *ret, bool *ret_now,
				bool *ret_later)
{
	*ret_now = *ret_later = false;
	while (!merge->input_ended) {
		if (merge->wants_spans && record_source_next_span(merge->input, &merge->span)) {
			merge->has_span = true;
			if (merge->flush_below <= merge->span.time)
				merge->flush_below = merge->span.time + 1;
			return NULL;
		}
		switch (record_source_next(merge->input, ret, &merge->failure)) {
		case RECORD_OK:
			break;
		case RECORD_LATER:
			*ret_later = true;
			return NULL;
		case RECORD_SPAN:	/* only merges return it */
		case RECORD_END:
		case RECORD_FAILED:
			merge->input_ended = true;
			merge->flush_below = UINT64_MAX;
			return NULL;
		}
		if (ret->header->type == RECORD_FINISHED_ROUND) {
			merge_end_round(merge, ret->header);
			return NULL;
		}
		if (!record_has_time(ret)) {
			*ret_now = true;
			return NULL;
		}
		if (ret->settled && !has_older(merge, ret)) {
			count_inversions(merge, ret->time);
			*ret_now = true;
			return NULL;
		}
		if (ret->settled) {
			merge->settled = *ret;
			merge->has_settled = true;
			return NULL;
		}
		if (!merge_insert(merge, ret) || !compact(merge))
			return &error_no_memory;
		if (merge->held_bytes > LOOK_AHEAD_BYTES && !merge->looks_ahead) {
			merge->looks_ahead = true;
			record_source_look_ahead(merge->input);
		}
		if (merge->held_bytes > HELD_BYTES_MAX) {
			flush_half(merge);
			return NULL;
		}
	}
	return NULL;
}

static enum record_status give(struct merge *merge, struct record *ret)
{
	struct held *held = take_oldest(merge);

	count_inversions(merge, held->record.time);
	merge->given = held;
	*ret = held->record;
	return RECORD_OK;
}

/* Give the settled record without copying it, but first the older held ones. */
static enum record_status give_settled(struct merge *merge, struct record *ret)
{
	if (has_older(merge, &merge->settled))
		return give(merge, ret);
	count_inversions(merge, merge->settled.time);
	merge->has_settled = false;
	*ret = merge->settled;
	return RECORD_OK;
}

static enum record_status merge_next(struct record_source *source, struct record *ret,
				     struct error **err)
{
	struct merge *merge = container_of(source, struct merge, source);

	if (merge->given) {
		release(merge, merge->given);
		merge->given = NULL;
	}
	for (;;) {
		bool now, later;

		if (merge->has_settled)
			return give_settled(merge, ret);
		if (merge->runs.nr &&
		    (merge->input_ended ||
		     merge->runs.items[0].first->record.time < merge->flush_below))
			return give(merge, ret);
		if (merge->has_span)
			return RECORD_SPAN;
		if (merge->input_ended)
			break;
		*err = merge_fill(merge, ret, &now, &later);
		if (*err)
			return RECORD_FAILED;
		if (now)
			return RECORD_OK;
		if (later)
			return RECORD_LATER;
	}
	if (!merge->failure)
		return RECORD_END;
	*err = take_ptr(merge->failure);
	return RECORD_FAILED;
}

void merge_want_spans(struct merge *merge, bool wants)
{
	merge->wants_spans = wants;
}

void merge_take_span(struct merge *merge, struct sample_span *ret)
{
	merge->has_span = false;
	*ret = merge->span;
}

static const struct record_source_ops merge_ops = {
	.next = merge_next,
};

struct error *merge_create(struct record_source *input, struct merge **ret)
{
	struct merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return &error_no_memory;
	merge->source.ops = &merge_ops;
	merge->input = input;
	*ret = merge;
	return NULL;
}

/* Free all chunks: each is the current one, is free, or contains a held record. */
static void free_held_chunks(struct merge *merge)
{
	while (merge->runs.nr)
		release(merge, take_oldest(merge));
	if (merge->given)
		release(merge, merge->given);
	free(merge->chunk);
	while (merge->free_chunks) {
		struct chunk *chunk = merge->free_chunks;

		merge->free_chunks = chunk->next_free;
		free(chunk);
	}
}

void merge_destroy(struct merge *merge)
{
	if (!merge)
		return;
	free_held_chunks(merge);
	free(merge->runs.items);
	error_free(merge->failure);
	free(merge);
}

struct record_source *merge_source(struct merge *merge)
{
	return &merge->source;
}

size_t merge_memory(const struct merge *merge)
{
	return (merge->nr_chunks + merge->nr_free) * sizeof(struct chunk) +
	       merge->runs.alloc * sizeof(*merge->runs.items);
}

uint64_t merge_inversions(const struct merge *merge)
{
	return merge->inversions;
}

// SPDX-License-Identifier: GPL-2.0
#include "capture/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

struct drain {
	struct ring *ring;
	struct record_sink *sink;
	uint64_t start, at;	/* [start, at) is not written yet; start is the new tail */
	uint64_t head;
};

static const char *ring_at(const struct ring *ring, uint64_t position)
{
	return ring->data + (position & (ring->size - 1));
}

/*
 * The size of the record at @at.  It is read only once, because the memory is shared and could
 * change.  If records have odd sizes, the size itself may wrap around the end of the ring.
 */
static uint32_t ring_size_at(const struct ring *ring, uint64_t at)
{
	uint8_t bytes[2];
	uint16_t size;

	at += offsetof(struct perf_event_header, size);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = *(const volatile uint8_t *)ring_at(ring, at + i);
	memcpy(&size, bytes, sizeof(size));
	return size;
}

static void ring_copy(const struct ring *ring, uint64_t at, uint32_t size, void *to)
{
	uint64_t until_end = ring->size - (at & (ring->size - 1));

	if (until_end > size)
		until_end = size;
	memcpy(to, ring_at(ring, at), until_end);
	memcpy((char *)to + until_end, ring->data, size - until_end);
	/* The size that was read before is the checked one. */
	((struct perf_event_header *)to)->size = size;
}

/* Whether the record at @at can be given without copying. */
static bool ring_is_whole(const struct ring *ring, uint64_t at, uint32_t size)
{
	return !(at % 8) && (ring->twice || size <= ring->size - (at & (ring->size - 1)));
}

static struct error *write_span(struct drain *d, const void *data, size_t size)
{
	struct record_span span = { .data = data, .size = size, .cpu = d->ring->cpu };

	return record_sink_write(d->sink, &span);
}

/* Write the records gathered so far; the kernel may then overwrite them. */
static struct error *ring_flush(struct drain *d)
{
	struct error *err = NULL;

	if (d->at != d->start)
		err = write_span(d, ring_at(d->ring, d->start), d->at - d->start);
	d->start = d->at;
	/* Pairs with the kernel's load of the tail: all our reads come before it moves. */
	__atomic_store_n(d->ring->tail, d->at, __ATOMIC_RELEASE);
	return err;
}

static struct error *bad_record(const struct drain *d, uint32_t size)
{
	return error_new(EIO, "The ring of CPU %u is damaged: a record of %u bytes at %llu, "
			 "where %llu bytes are left", d->ring->cpu, size,
			 (unsigned long long)d->at, (unsigned long long)(d->head - d->at));
}

/* The record at d->at wraps around the end of the ring, or is not aligned: write a copy of it. */
static struct error *write_copied(struct drain *d, struct ring_visitor *visitor, uint32_t size)
{
	uint64_t bounce[RING_RECORD_MAX / sizeof(uint64_t)];
	struct error *err;

	err = ring_flush(d);
	if (err)
		return err;
	ring_copy(d->ring, d->at, size, bounce);
	if (!visitor || visitor->visit(visitor, d->ring, (void *)bounce))
		err = write_span(d, bounce, size);
	d->at += size;
	d->start = d->at;
	return err;
}

static struct error *ring_take_record(struct drain *d, struct ring_visitor *visitor)
{
	uint32_t size = ring_size_at(d->ring, d->at);
	const struct perf_event_header *header;
	struct error *err = NULL;

	if (size < sizeof(*header) || size > d->head - d->at)
		return bad_record(d, size);
	if (!ring_is_whole(d->ring, d->at, size))
		return write_copied(d, visitor, size);
	header = (const void *)ring_at(d->ring, d->at);
	if (visitor && !visitor->visit(visitor, d->ring, header)) {
		err = ring_flush(d);
		d->at += size;
		d->start = d->at;
		return err;
	}
	d->at += size;
	/* A span ends with the ring, and with a record of an odd size. */
	return size % 8 || (!(d->at & (d->ring->size - 1)) && !d->ring->twice) ? ring_flush(d) :
										 NULL;
}

struct error *ring_drain(struct ring *ring, struct ring_visitor *visitor,
			 struct record_sink *sink)
{
	struct drain d = { .ring = ring, .sink = sink };
	struct error *err;

	d.start = d.at = *ring->tail;
	/* Pairs with the kernel's store of the head after the records. */
	d.head = __atomic_load_n(ring->head, __ATOMIC_ACQUIRE);
	if (d.head - d.at > ring->size)
		return bad_record(&d, 0);
	if (d.head == d.at)
		return NULL;
	if (ring->twice && !visitor)
		d.at = d.head;
	while (d.at != d.head) {
		err = ring_take_record(&d, visitor);
		if (err)
			return err;
	}
	return ring_flush(&d);
}

struct error *ring_take(struct ring *ring, void *record, bool *ret)
{
	struct drain d = { .ring = ring, .at = *ring->tail };
	uint32_t size;

	/* Pairs with the kernel's store of the head after the records. */
	d.head = __atomic_load_n(ring->head, __ATOMIC_ACQUIRE);
	if (d.head - d.at > ring->size)
		return bad_record(&d, 0);
	*ret = d.head != d.at;
	if (!*ret)
		return NULL;
	size = ring_size_at(ring, d.at);
	if (size < sizeof(struct perf_event_header) || size > d.head - d.at)
		return bad_record(&d, size);
	ring_copy(ring, d.at, size, record);
	/* Pairs with the kernel's load of the tail: all our reads come before it moves. */
	__atomic_store_n(ring->tail, d.at + size, __ATOMIC_RELEASE);
	return NULL;
}

struct error *ring_drain_backward(struct ring *ring, struct ring_visitor *visitor,
				  struct record_sink *sink)
{
	struct drain d = { .ring = ring, .sink = sink };
	ARRAY_OF(uint64_t) starts = { 0 };
	uint64_t head = __atomic_load_n(ring->head, __ATOMIC_ACQUIRE), end = head + ring->size;
	uint64_t bounce[RING_RECORD_MAX / sizeof(uint64_t)];
	struct error *err = NULL;

	/*
	 * Walk from the newest record to memory that was never written, or to the remaining part of
	 * a partly overwritten record.
	 */
	for (uint64_t at = head; end - at >= sizeof(struct perf_event_header); ) {
		uint32_t size = ring_size_at(ring, at);

		if (size < sizeof(struct perf_event_header) || size > end - at)
			break;
		if (!array_push(&starts, at)) {
			free(starts.items);
			return &error_no_memory;
		}
		at += size;
	}
	while (!err && starts.nr--) {
		uint64_t at = starts.items[starts.nr];
		const struct perf_event_header *header = (const void *)ring_at(ring, at);
		uint32_t size = ring_size_at(ring, at);

		if (!ring_is_whole(ring, at, size)) {
			ring_copy(ring, at, size, bounce);
			header = (const void *)bounce;
		}
		if (!visitor || visitor->visit(visitor, ring, header))
			err = write_span(&d, header, size);
	}
	free(starts.items);
	return err;
}

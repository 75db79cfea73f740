// SPDX-License-Identifier: GPL-2.0
#include "capture/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

struct drain {
	struct ring *ring;
	struct record_sink *sink;
	uint64_t start, at;	/* [start, at) is still to be written; start is the new tail */
	uint64_t head;
};

static const char *ring_at(const struct ring *ring, uint64_t position)
{
	return ring->data + (position & (ring->size - 1));
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

/* The record at d->at wraps around the end of the ring, so we write it separately. */
static struct error *write_wrapped(struct drain *d, struct ring_visitor *visitor,
				   uint32_t size, uint64_t until_end)
{
	uint64_t bounce[RING_RECORD_MAX / sizeof(uint64_t)];
	struct error *err;

	err = ring_flush(d);
	if (err)
		return err;
	memcpy(bounce, ring_at(d->ring, d->at), until_end);
	memcpy((char *)bounce + until_end, d->ring->data, size - until_end);
	if (!visitor || visitor->visit(visitor, d->ring, (void *)bounce))
		err = write_span(d, bounce, size);
	d->at += size;
	d->start = d->at;
	return err;
}

static struct error *ring_take_record(struct drain *d, struct ring_visitor *visitor)
{
	const struct perf_event_header *header = (const void *)ring_at(d->ring, d->at);
	uint64_t until_end = d->ring->size - (d->at & (d->ring->size - 1));
	/* Read the size only once, because the memory is shared and could change. */
	uint32_t size = *(const volatile uint16_t *)&header->size;
	struct error *err = NULL;

	if (size < sizeof(*header) || size % 8 || size > d->head - d->at)
		return bad_record(d, size);
	if (size > until_end && !d->ring->twice)
		return write_wrapped(d, visitor, size, until_end);
	if (visitor && !visitor->visit(visitor, d->ring, header)) {
		err = ring_flush(d);
		d->at += size;
		d->start = d->at;
		return err;
	}
	d->at += size;
	return size == until_end && !d->ring->twice ? ring_flush(d) : NULL;
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
	uint64_t until_end = ring->size - (d.at & (ring->size - 1));
	uint32_t size;

	/* Pairs with the kernel's store of the head after the records. */
	d.head = __atomic_load_n(ring->head, __ATOMIC_ACQUIRE);
	if (d.head - d.at > ring->size)
		return bad_record(&d, 0);
	*ret = d.head != d.at;
	if (!*ret)
		return NULL;
	size = ((const volatile struct perf_event_header *)ring_at(ring, d.at))->size;
	if (size < sizeof(struct perf_event_header) || size % 8 || size > d.head - d.at)
		return bad_record(&d, size);
	if (size <= until_end || ring->twice) {
		memcpy(record, ring_at(ring, d.at), size);
	} else {
		memcpy(record, ring_at(ring, d.at), until_end);
		memcpy((char *)record + until_end, ring->data, size - until_end);
	}
	((struct perf_event_header *)record)->size = size;
	/* Pairs with the kernel's load of the tail: all our reads come before it moves. */
	__atomic_store_n(ring->tail, d.at + size, __ATOMIC_RELEASE);
	return NULL;
}

struct error *ring_drain_backward(struct ring *ring, struct ring_visitor *visitor,
				  struct record_sink *sink)
{
	struct drain d = { .ring = ring, .sink = sink };
	struct { uint64_t *items; size_t nr, alloc; } starts = { 0 };
	uint64_t head = __atomic_load_n(ring->head, __ATOMIC_ACQUIRE), end = head + ring->size;
	uint64_t bounce[RING_RECORD_MAX / sizeof(uint64_t)];
	struct error *err = NULL;

	/*
	 * Walk from the newest record to where nothing was ever written, or only a part of a
	 * record is left.
	 */
	for (uint64_t at = head; end - at >= sizeof(struct perf_event_header); ) {
		const struct perf_event_header *header = (const void *)ring_at(ring, at);

		if (header->size < sizeof(*header) || header->size % 8 || header->size > end - at)
			break;
		if (!array_push(&starts, at)) {
			free(starts.items);
			return &error_no_memory;
		}
		at += header->size;
	}
	while (!err && starts.nr--) {
		uint64_t at = starts.items[starts.nr];
		const struct perf_event_header *header = (const void *)ring_at(ring, at);
		uint64_t until_end = ring->size - (at & (ring->size - 1));

		if (header->size > until_end) {
			memcpy(bounce, header, until_end);
			memcpy((char *)bounce + until_end, ring->data, header->size - until_end);
			header = (const void *)bounce;
		}
		if (!visitor || visitor->visit(visitor, ring, header))
			err = write_span(&d, header, header->size);
	}
	free(starts.items);
	return err;
}

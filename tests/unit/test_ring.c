// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "capture/ring.h"
#include "lib/strbuf.h"
#include "tap.h"

#define SIZE 4096

static uint64_t data[SIZE * 2 / 8];
static uint64_t head, tail;

/* The bytes that came out, and the number of spans. */
struct collector {
	struct record_sink sink;
	struct strbuf bytes;
	size_t spans;
	bool broken;		/* a span that did not hold whole records, each 8-aligned */
	bool fail;
};

static struct error *collect(struct record_sink *sink, const struct record_span *span)
{
	struct collector *c = container_of(sink, struct collector, sink);
	const char *p = span->data, *end = p + span->size;

	if (c->fail)
		return error_new(0, "disk full");
	while (p < end) {
		const struct perf_event_header *header = (const void *)p;

		if (header->size < 8 || header->size > end - p || (uintptr_t)p % 8) {
			c->broken = true;
			break;
		}
		p += header->size ? header->size : 8;
	}
	c->spans++;
	strbuf_add(&c->bytes, span->data, span->size);
	return NULL;
}

static const struct record_sink_ops collector_ops = { .write = collect };

/* A record of @size bytes that are all its number, at the head. */
static void put(uint16_t size, uint8_t number, bool twice)
{
	struct perf_event_header header = { PERF_RECORD_SAMPLE, number, size };
	char record[SIZE];

	memset(record, number, sizeof(record));
	memcpy(record, &header, sizeof(header));
	for (size_t i = 0; i < size; i++) {
		((char *)data)[(head + i) % SIZE] = record[i];
		if (twice)
			((char *)data)[(head + i) % SIZE + SIZE] = record[i];
	}
	head += size;
}

/*
 * Many records of changing sizes, drained in changing portions.  With @odd these are no multiples
 * of 8, so that the ring's end splits a header at each position once.
 */
static void test_sequence(bool twice, bool odd)
{
	struct ring ring = {
		.head = &head, .tail = &tail, .data = (char *)data, .size = SIZE, .twice = twice,
	};
	struct collector c = { .sink = { &collector_ops }, .bytes = STRBUF_INIT };
	struct strbuf want = STRBUF_INIT;
	struct error *err = NULL;
	unsigned int number = 0;

	head = tail = 3 * SIZE - 64;
	for (int round = 0; !err && round < 500; round++) {
		for (int n = 0; n < 1 + round % 7; n++) {
			uint16_t size = 8 * (1 + (round * 31 + n * 17) % 40);

			if (odd)
				size += n * n % 8;
			put(size, number, twice);
			for (size_t i = 0; i < size; i++)
				strbuf_addch(&want, ((char *)data)[(head - size + i) % SIZE]);
			number = (number + 1) % 251;
		}
		err = ring_drain(&ring, NULL, &c.sink);
		if (tail != head)
			break;
	}
	about(odd ? "odd sizes" : twice ? "mapped twice" : "mapped once");
	no_error(err, "a ring is drained");
	ok(c.bytes.len == want.len && !memcmp(c.bytes.data, want.data, want.len),
	   "every byte comes in order");
	ok(!c.broken, "spans hold whole records");
	ok(tail == head, "all room is given back");
	if (twice)
		is_u64(c.spans, 500, "a ring gives one span each time");
	strbuf_deinit(&want);
	strbuf_deinit(&c.bytes);
}

struct every_third {
	struct ring_visitor visitor;
	unsigned int seen;
};

static bool keep_others(struct ring_visitor *visitor, const struct ring *ring,
			const struct perf_event_header *header)
{
	struct every_third *v = container_of(visitor, struct every_third, visitor);

	return ++v->seen % 3 != 0;
}

static void test_visitor(bool twice)
{
	struct ring ring = {
		.head = &head, .tail = &tail, .data = (char *)data, .size = SIZE, .twice = twice,
	};
	struct collector c = { .sink = { &collector_ops }, .bytes = STRBUF_INIT };
	struct every_third v = { .visitor = { keep_others } };

	head = tail = SIZE - 24;
	for (int i = 0; i < 90; i++)
		put(16 + i % 3 * 8, i, twice);
	about(twice ? "mapped twice" : "mapped once");
	no_error(ring_drain(&ring, &v.visitor, &c.sink), "a ring is drained with a visitor");
	is_u64(v.seen, 90, "a visitor sees every record");
	/* 16 and 24 bytes stay, 32 bytes go: the third of each three. */
	is_u64(c.bytes.len, 30 * (16 + 24), "a visitor chooses records");
	ok(!c.broken && tail == head, "the part that a visitor chose is whole, and all room is given back");
	strbuf_deinit(&c.bytes);
}

/* As the kernel writes it: each record below the one before. */
static void test_backward(bool odd)
{
	struct ring ring = { .head = &head, .data = (char *)data, .size = SIZE };
	struct collector c = { .sink = { &collector_ops }, .bytes = STRBUF_INIT };
	struct perf_event_header *header, newest;
	size_t want = 0;
	uint16_t sizes[300];

	memset(data, 0, sizeof(data));
	head = 0;
	about(odd ? "odd sizes" : "even sizes");
	no_error(ring_drain_backward(&ring, NULL, &c.sink), "backward: nothing written");
	is_u64(c.bytes.len, 0, "backward: nothing comes where nothing was written");

	for (int i = 0; i < 3; i++) {
		uint16_t size = 16 + (odd ? 3 * i : 0);

		head -= size;
		put(size, i, false);
		head -= size;
	}
	no_error(ring_drain_backward(&ring, NULL, &c.sink), "backward: three records");
	is_u64(c.bytes.len, odd ? 57 : 48, "backward: three records come");
	header = (void *)c.bytes.data;
	is_u64(header->misc, 0, "backward: the oldest comes first");
	strbuf_reset(&c.bytes);

	for (int i = 0; i < 300; i++) {
		sizes[i] = 8 * (2 + i * 7 % 30) + (odd ? i % 8 : 0);
		head -= sizes[i];
		put(sizes[i], i % 251, false);
		head -= sizes[i];
	}
	for (int i = 299; want + sizes[i] <= SIZE; i--)
		want += sizes[i];
	no_error(ring_drain_backward(&ring, NULL, &c.sink), "backward: overwritten many times");
	is_u64(c.bytes.len, want, "backward, overwritten: the whole records come");
	ok(!c.broken, "backward, overwritten: spans hold whole records");
	memcpy(&newest, c.bytes.data + want - sizes[299], sizeof(newest));
	is_u64(newest.misc, 299 % 251, "backward, overwritten: the newest comes last");
	about_nothing();
	strbuf_deinit(&c.bytes);
}

static void test_damage(void)
{
	struct ring ring = { .head = &head, .tail = &tail, .data = (char *)data, .size = SIZE };
	struct collector c = { .sink = { &collector_ops }, .bytes = STRBUF_INIT };

	memset(data, 0, sizeof(data));
	head = 64;
	tail = 0;
	is_error(ring_drain(&ring, NULL, &c.sink), "The ring of CPU 0 is damaged: a record of 0 "
		 "bytes at 0, where 64 bytes are left", "a record of size 0");
	head = tail = 0;
	put(128, 1, false);
	head = 64;
	is_error(ring_drain(&ring, NULL, &c.sink), "The ring of CPU 0 is damaged: a record of 128 "
		 "bytes at 0, where 64 bytes are left", "a record beyond the head");
	head = SIZE + 8;
	is_error(ring_drain(&ring, NULL, &c.sink), "The ring of CPU 0 is damaged: a record of 0 "
		 "bytes at 0, where 4104 bytes are left", "a head beyond the ring");
	head = tail = 0;
	put(64, 1, false);
	c.fail = true;
	is_error(ring_drain(&ring, NULL, &c.sink), "disk full", "a sink that fails");
	strbuf_deinit(&c.bytes);
}

int main(void)
{
	test_sequence(false, false);
	test_sequence(true, false);
	test_sequence(false, true);
	test_visitor(false);
	test_visitor(true);
	test_backward(false);
	test_backward(true);
	test_damage();
	return tap_done();
}

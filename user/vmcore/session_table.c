// SPDX-License-Identifier: GPL-2.0
#include "vmcore/session_table.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/ktrace.h>
#include <linux/ktrace_vmcore.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define MAX_SESSIONS	65536
#define MAX_RINGS	65536
#define MAX_RING_BYTES	(1ULL << 30)
#define MAX_PAGE	65536

struct table_reading {
	struct memory *memory;
	const char *path;
	struct ktrace_vmcore_table table;
	uint64_t *left;		/* bytes of the vmcore that are of no session yet */
};

/* A list of addresses, put together. */
struct addresses {
	uint64_t *items;
	size_t nr;
};

static struct error *damaged(const struct table_reading *t, const char *what, uint64_t address)
{
	return error_new(EBADMSG, "The table of sessions in %s is damaged: there is no %s at %#" PRIx64,
			 t->path, what, address);
}

/*
 * Nothing is in two sessions, so that all of them are smaller than the vmcore, however often the
 * table leads to the same addresses.
 */
static struct error *claim(const struct table_reading *t, uint64_t size)
{
	if (size > *t->left)
		return error_new(EBADMSG, "The table of sessions in %s is damaged: it has more "
				 "entries than the file", t->path);
	*t->left -= size;
	return NULL;
}

/* Read a structure that begins with its number and its size; missing members are zero. */
static struct error *read_struct(const struct table_reading *t, uint64_t address, uint32_t what,
				 const char *name, void *ret, size_t size)
{
	uint32_t start[2];
	struct error *err = memory_read(t->memory, address, start, sizeof(start));

	if (err)
		return err;
	if (start[0] != what || start[1] < sizeof(start) || start[1] > t->table.page_size)
		return damaged(t, name, address);
	err = claim(t, start[1]);
	if (err)
		return err;
	memset(ret, 0, size);
	return memory_read(t->memory, address, ret, start[1] < size ? start[1] : size);
}

/* Read @nr addresses; fewer are an error. */
static struct error *read_list(const struct table_reading *t, uint64_t at, uint64_t nr,
			       struct addresses *ret)
{
	struct error *err = claim(t, nr * sizeof(*ret->items));
	uint64_t *items;

	if (err)
		return err;
	items = calloc(nr ? nr : 1, sizeof(*items));
	if (!items)
		return &error_no_memory;
	ret->items = items;
	ret->nr = 0;
	while (ret->nr < nr) {
		struct ktrace_vmcore_list part;

		err = memory_read(t->memory, at, &part, sizeof(part));
		if (err)
			return err;
		if (part.what != KTRACE_VMCORE_LIST || !part.nr || part.nr > nr - ret->nr)
			return damaged(t, "list", at);
		err = memory_read(t->memory, at + sizeof(part), items + ret->nr,
				  part.nr * sizeof(*items));
		if (err)
			return err;
		ret->nr += part.nr;
		at = part.next;
	}
	return NULL;
}

/* Copy @size bytes from offset @from of these pages, which are a ring. */
static struct error *read_pages(const struct table_reading *t, const struct addresses *pages,
				uint64_t from, char *data, size_t size)
{
	uint64_t page_size = t->table.page_size;

	while (size) {
		uint64_t in_page = from % page_size, n = page_size - in_page;
		struct error *err;

		n = n < size ? n : size;
		err = memory_read(t->memory,
				  pages->items[from / page_size % pages->nr] + in_page, data, n);
		if (err)
			return err;
		data += n;
		size -= n;
		from += n;
	}
	return NULL;
}

static struct error *read_ring(const struct table_reading *t, const struct ktrace_vmcore_ring *from,
			       struct vmcore_ring *ret)
{
	struct addresses pages = { 0 };
	struct ktrace_ring_meta meta;
	struct ktrace_ring_tail tail;
	struct error *err;

	ret->cpu = from->cpu;
	ret->overwrites = from->overwrites;
	if (!from->data_size || from->data_size > MAX_RING_BYTES ||
	    from->data_size & (from->data_size - 1) || from->data_size % t->table.page_size)
		return error_new(EBADMSG, "The table of sessions in %s is damaged: a ring of %" PRIu64
				 " bytes", t->path, (uint64_t)from->data_size);
	err = memory_read(t->memory, from->meta, &meta, sizeof(meta));
	if (!err)
		err = memory_read(t->memory, from->tail, &tail, sizeof(tail));
	if (err)
		return err;
	/* User space writes the tail, so it can be anything. */
	if (meta.data_head - tail.data_tail > from->data_size || tail.data_tail % 8 ||
	    meta.data_head % 8) {
		ret->is_damaged = true;
		return NULL;
	}
	ret->size = meta.data_head - tail.data_tail;
	err = claim(t, ret->size);
	if (err)
		return err;
	ret->data = malloc(ret->size ? ret->size : 1);
	if (!ret->data)
		return &error_no_memory;
	err = read_list(t, from->pages, from->data_size / t->table.page_size, &pages);
	if (!err)
		err = read_pages(t, &pages, tail.data_tail, ret->data, ret->size);
	free(pages.items);
	return err;
}

static struct error *read_rings(const struct table_reading *t, uint64_t at,
				struct vmcore_session *session)
{
	size_t alloc = 0;

	while (at) {
		struct ktrace_vmcore_ring ring;
		struct error *err;

		err = read_struct(t, at, KTRACE_VMCORE_RING, "ring", &ring, sizeof(ring));
		if (err)
			return err;
		if (session->nr_rings == MAX_RINGS)
			return damaged(t, "end of the rings", at);
		if (!array_grow((void **)&session->rings, session->nr_rings, &alloc,
				sizeof(*session->rings)))
			return &error_no_memory;
		session->rings[session->nr_rings] = (struct vmcore_ring){ 0 };
		err = read_ring(t, &ring, &session->rings[session->nr_rings++]);
		if (err)
			return err;
		at = ring.next;
	}
	return NULL;
}

static uint64_t number_at(const char *bytes, uint64_t offset)
{
	uint64_t ret;

	memcpy(&ret, bytes + offset, sizeof(ret));
	return ret;
}

static void decode_counts(const struct ktrace_vmcore_table *table, const char *bytes,
			struct vmcore_counts *ret)
{
	ret->recorded = number_at(bytes, table->recorded);
	ret->filtered = number_at(bytes, table->filtered);
	ret->out_of_scope = number_at(bytes, table->out_of_scope);
	for (uint32_t i = 0; i < table->nr_reasons; i++) {
		const char *loss = bytes + table->losses + i * table->loss_bytes;
		uint64_t first = number_at(loss, table->first), last = number_at(loss, table->last);

		ret->lost[i] = number_at(loss, table->lost);
		ret->unplaced[i] = number_at(loss, table->unplaced);
		if (!ret->unplaced[i])
			continue;
		if (!ret->first_lost || first < ret->first_lost)
			ret->first_lost = first;
		if (last > ret->last_lost)
			ret->last_lost = last;
	}
}

static struct error *read_counts(const struct table_reading *t, uint64_t list, size_t nr,
				 struct vmcore_counts *ret)
{
	struct addresses at = { 0 };
	char bytes[MAX_PAGE] = { 0 };
	struct error *err = read_list(t, list, 2 * nr, &at);

	for (size_t i = 0; i < nr && !err; i++) {
		uint64_t begin = at.items[2 * i], rest = at.items[2 * i + 1];
		uint64_t here = t->table.page_size - begin % t->table.page_size;

		here = rest && here < t->table.counts_bytes ? here : t->table.counts_bytes;
		err = memory_read(t->memory, begin, bytes, here);
		if (!err)
			err = memory_read(t->memory, rest, bytes + here,
					  t->table.counts_bytes - here);
		if (!err)
			decode_counts(&t->table, bytes, &ret[i]);
	}
	free(at.items);
	return err;
}

static struct error *read_events(const struct table_reading *t, uint64_t at,
				 struct vmcore_session *session)
{
	size_t alloc = 0;

	while (at) {
		struct ktrace_vmcore_event event;
		struct vmcore_event *to;
		struct error *err;

		err = read_struct(t, at, KTRACE_VMCORE_EVENT, "event", &event, sizeof(event));
		if (err)
			return err;
		if (session->nr_events == KTRACE_MAX_EVENTS)
			return damaged(t, "end of the events", at);
		if (!array_grow((void **)&session->events, session->nr_events, &alloc,
				sizeof(*session->events)))
			return &error_no_memory;
		to = &session->events[session->nr_events++];
		*to = (struct vmcore_event){
			.id = event.id,
			.origin = {
				.config = event.config, .id = event.id,
				.sample_type = event.sample_type, .fields = event.fields,
				.user_strings = event.user_strings,
			},
			.is_bounded = event.flags & KTRACE_STATS_BOUNDED,
			.counts = calloc(session->nr_rings + 1, sizeof(*to->counts)),
		};
		if (!to->counts)
			return &error_no_memory;
		memcpy(to->name, event.name, sizeof(to->name) - 1);
		err = read_counts(t, event.counts, session->nr_rings, to->counts);
		if (err)
			return err;
		at = event.next;
	}
	return NULL;
}

static struct error *read_description(const struct table_reading *t,
				      const struct ktrace_vmcore_session *from,
				      struct vmcore_session *session)
{
	uint64_t size = from->description_bytes, page_size = t->table.page_size;
	struct addresses pages = { 0 };
	struct error *err;

	if (!from->description)
		return NULL;
	if (!size || size > KTRACE_DESCRIBE_MAX)
		return error_new(EBADMSG, "The table of sessions in %s is damaged: a description of %"
				 PRIu64 " bytes", t->path, size);
	err = claim(t, size);
	if (err)
		return err;
	session->description = malloc(size);
	if (!session->description)
		return &error_no_memory;
	session->description_size = size;
	err = read_list(t, from->description, (size + page_size - 1) / page_size, &pages);
	if (!err)
		err = read_pages(t, &pages, 0, session->description, size);
	free(pages.items);
	return err;
}

static void session_deinit(struct vmcore_session *session)
{
	for (size_t i = 0; i < session->nr_rings; i++)
		free(session->rings[i].data);
	for (size_t i = 0; i < session->nr_events; i++)
		free(session->events[i].counts);
	free(session->rings);
	free(session->events);
	free(session->description);
}

void session_table_deinit(struct session_table *table)
{
	for (size_t i = 0; i < table->nr; i++)
		session_deinit(&table->items[i]);
	free(table->items);
}

static struct error *read_session(const struct table_reading *t,
				  const struct ktrace_vmcore_session *from,
				  struct vmcore_session *ret)
{
	struct error *err;

	*ret = (struct vmcore_session){ .pid = from->pid, .clockid = from->clockid };
	memcpy(ret->comm, from->comm, sizeof(from->comm));
	err = read_rings(t, from->rings, ret);
	if (!err)
		err = read_events(t, from->events, ret);
	return err ? err : read_description(t, from, ret);
}

static void oldest_first(struct session_table *table)
{
	for (size_t i = 0; i < table->nr / 2; i++) {
		struct vmcore_session other = table->items[table->nr - 1 - i];

		table->items[table->nr - 1 - i] = table->items[i];
		table->items[i] = other;
	}
}

static struct error *read_sessions(const struct table_reading *t, struct session_table *ret)
{
	uint64_t at = t->table.sessions;

	while (at) {
		struct ktrace_vmcore_session from;
		struct error *err;

		err = read_struct(t, at, KTRACE_VMCORE_SESSION, "session", &from, sizeof(from));
		if (err)
			return err;
		if (ret->nr == MAX_SESSIONS)
			return damaged(t, "end of the sessions", at);
		if (!array_push(ret, ((struct vmcore_session){ 0 })))
			return &error_no_memory;
		err = read_session(t, &from, &ret->items[ret->nr - 1]);
		if (err)
			return err;
		at = from.next;
	}
	oldest_first(ret);
	return NULL;
}

static bool is_table(const void *data, uint64_t address)
{
	const struct ktrace_vmcore_table *table = data;

	return !memcmp(table->magic, KTRACE_VMCORE_TABLE, sizeof(table->magic)) &&
	       table->self == address;
}

/* Whether a number of 8 bytes at this offset is inside of @size bytes. */
static bool lies_inside(uint64_t offset, uint64_t size)
{
	return size >= sizeof(uint64_t) && offset <= size - sizeof(uint64_t);
}

static bool is_layout(const struct ktrace_vmcore_table *t)
{
	return t->page_size >= 4096 && t->page_size <= MAX_PAGE &&
	       !(t->page_size & (t->page_size - 1)) && t->counts_bytes <= t->page_size &&
	       t->nr_reasons <= SESSION_MAX_REASONS && t->loss_bytes <= t->counts_bytes &&
	       t->losses <= t->counts_bytes &&
	       (uint64_t)t->nr_reasons * t->loss_bytes <= t->counts_bytes - t->losses &&
	       lies_inside(t->recorded, t->counts_bytes) &&
	       lies_inside(t->filtered, t->counts_bytes) &&
	       lies_inside(t->out_of_scope, t->counts_bytes) &&
	       lies_inside(t->lost, t->loss_bytes) && lies_inside(t->unplaced, t->loss_bytes) &&
	       lies_inside(t->first, t->loss_bytes) && lies_inside(t->last, t->loss_bytes);
}

static struct error *find_table(struct table_reading *t)
{
	uint64_t at;
	struct error *err = memory_find_page(t->memory, sizeof(t->table), is_table, &at);

	if (err)
		return err;
	if (at == UINT64_MAX)
		return error_hint(error_new(ENOENT, "There is no table of ktrace sessions in %s",
					    t->path),
				  "The ktrace module (ABI 1.6 or later) was not loaded when the kernel "
				  "died, or the core leaves out the kernel's own pages");
	err = memory_read(t->memory, at, &t->table, sizeof(t->table));
	if (err)
		return err;
	if (t->table.version != KTRACE_VMCORE_VERSION || t->table.schema != KTRACE_SCHEMA)
		return error_hint(error_new(EPROTO, "The table of sessions in %s has version %u and "
					    "record schema %u, but this tool needs %u and %u", t->path,
					    t->table.version, t->table.schema,
					    KTRACE_VMCORE_VERSION, KTRACE_SCHEMA),
				  "Use the ktrace that came with that module");
	return is_layout(&t->table) ? NULL : damaged(t, "sensible layout", at);
}

struct error *session_table_read(struct memory *memory, const char *path,
				 struct session_table *ret)
{
	uint64_t left = memory_size(memory);
	struct table_reading t = { .memory = memory, .path = path, .left = &left };
	struct error *err = find_table(&t);

	if (err)
		return err;
	memcpy(ret->release, t.table.release, sizeof(t.table.release));
	return read_sessions(&t, ret);
}

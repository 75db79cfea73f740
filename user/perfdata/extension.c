// SPDX-License-Identifier: GPL-2.0
#include "perfdata/extension.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "lib/bytes.h"
#include "perfdata/layout.h"
#include "record/common_field.h"
#include "record/common_number.h"

_Static_assert(LEDGER_LOST_NR <= 8, "struct perfdata_ledger_row has room for 8 reasons");

/* Begin a chunk; its size is filled in by end_chunk(). */
static size_t begin_chunk(struct strbuf *sb, uint32_t tag)
{
	struct perfdata_chunk_header header = { .tag = tag };
	size_t at = sb->len;

	strbuf_add(sb, &header, sizeof(header));
	return at;
}

static void end_chunk(struct strbuf *sb, size_t at)
{
	static const char zeros[8];
	size_t size = sb->len - at - sizeof(struct perfdata_chunk_header);
	uint32_t size32 = size;

	if (sb->failed)
		return;
	memcpy(sb->data + at + offsetof(struct perfdata_chunk_header, size), &size32,
	       sizeof(size32));
	strbuf_add(sb, zeros, -size & 7);
}

_Static_assert(sizeof(((struct perfdata_field_row *)0)->name) == COMMON_NAME_SIZE,
	       "names of common fields");

static uint32_t schema_of(const struct event *event)
{
	for (size_t i = 0; i < event->common.nr; i++)
		if (event->common.items[i].number > COMMON_FIELD_SEQ)
			return PERFDATA_SCHEMA_FIELDS;
	return PERFDATA_SCHEMA_MASK;
}

static void add_schema(uint32_t schema, struct strbuf *ret)
{
	size_t at = begin_chunk(ret, PERFDATA_CHUNK_SCHEMA);

	bytes_add_u32(ret, schema);
	bytes_add_u32(ret, 0);
	end_chunk(ret, at);
}

static void add_field_rows(const struct event *event, struct strbuf *ret)
{
	const struct common_layout *common = &event->common;
	size_t at;

	if (!common->nr)
		return;
	at = begin_chunk(ret, PERFDATA_CHUNK_FIELDS);
	bytes_add_u32(ret, event->index);
	bytes_add_u32(ret, common->size);
	bytes_add_u32(ret, sizeof(struct perfdata_field_row));
	bytes_add_u32(ret, 0);
	for (size_t i = 0; i < common->nr; i++) {
		const struct common_slot *slot = &common->items[i];
		struct perfdata_field_row row = {
			.number = slot->number, .offset = slot->offset,
			.size = slot->size, .type = slot->type,
		};

		memcpy(row.name, slot->name, sizeof(row.name));
		strbuf_add(ret, &row, sizeof(row));
	}
	end_chunk(ret, at);
}

static void add_event_chunk(const struct event *event, struct strbuf *ret)
{
	size_t at;

	add_field_rows(event, ret);
	at = begin_chunk(ret, PERFDATA_CHUNK_EVENT);
	bytes_add_u32(ret, event->index);
	bytes_add_u32(ret, event->source);
	bytes_add_u64(ret, common_layout_mask(&event->common));
	strbuf_addstr(ret, event->filter ? event->filter : "");
	if (event->cgroup) {
		strbuf_addch(ret, '\0');
		strbuf_addstr(ret, event->cgroup);
	}
	end_chunk(ret, at);
}

void extension_add_event(const struct event *event, struct strbuf *ret)
{
	add_schema(schema_of(event), ret);
	add_event_chunk(event, ret);
}

void extension_add_events(const struct event_list *events, struct strbuf *ret)
{
	uint32_t schema = PERFDATA_SCHEMA_MASK;

	for (size_t i = 0; i < events->nr; i++)
		if (schema_of(events->items[i]) > schema)
			schema = schema_of(events->items[i]);
	add_schema(schema, ret);
	for (size_t i = 0; i < events->nr; i++)
		add_event_chunk(events->items[i], ret);
}

void extension_add_clocks(const struct clock_pairs *clocks, struct strbuf *ret)
{
	size_t at;

	if (!clocks->nr)
		return;
	at = begin_chunk(ret, PERFDATA_CHUNK_CLOCK);
	bytes_add_u32(ret, sizeof(struct perfdata_clock_row));
	bytes_add_u32(ret, 0);
	for (size_t i = 0; i < clocks->nr; i++) {
		const struct clock_pair *pair = &clocks->items[i];
		struct perfdata_clock_row row = {
			pair->trace, pair->monotonic, pair->raw, pair->boottime, pair->realtime,
		};

		strbuf_add(ret, &row, sizeof(row));
	}
	end_chunk(ret, at);
}

void extension_add_ledger(const struct ledger_row *rows, size_t nr, size_t nr_events,
			  struct strbuf *ret)
{
	size_t at;

	if (!nr)
		return;
	at = begin_chunk(ret, PERFDATA_CHUNK_LEDGER);
	bytes_add_u32(ret, sizeof(struct perfdata_ledger_row));
	bytes_add_u32(ret, 0);
	for (size_t i = 0; i < nr; i++) {
		struct perfdata_ledger_row row = {
			.event = rows[i].event < nr_events ? rows[i].event : UINT32_MAX,
			.cpu = rows[i].cpu,
			.proof = rows[i].proof,
			.recorded = rows[i].recorded,
			.filtered = rows[i].filtered,
			.out_of_scope = rows[i].out_of_scope,
		};

		if (rows[i].event != row.event && !ledger_row_lost(&rows[i]))
			continue;
		memcpy(row.lost, rows[i].lost, sizeof(rows[i].lost));
		strbuf_add(ret, &row, sizeof(row));
	}
	end_chunk(ret, at);
}

void extension_add_note(const char *name, const char *text, struct strbuf *ret)
{
	size_t at = begin_chunk(ret, PERFDATA_CHUNK_NOTE);

	strbuf_add(ret, name, strlen(name) + 1);
	strbuf_addstr(ret, text);
	end_chunk(ret, at);
}

void extension_add_embedded(const void *data, size_t size, struct strbuf *ret)
{
	for (size_t done = 0; done < size; done += EXTENSION_PIECE) {
		size_t piece = size - done < EXTENSION_PIECE ? size - done : EXTENSION_PIECE;
		size_t at = begin_chunk(ret, PERFDATA_CHUNK_EMBEDDED);

		strbuf_add(ret, (const char *)data + done, piece);
		end_chunk(ret, at);
	}
}

bool extension_is_embedded(const void *data, size_t size, bool swapped)
{
	struct bytes b = bytes_of(data, size);

	b.swapped = swapped;
	return bytes_take_u32(&b) == PERFDATA_CHUNK_EMBEDDED;
}

void extension_without_embedded(const void *data, size_t size, struct strbuf *ret)
{
	struct bytes b = bytes_of(data, size);

	while ((size_t)(b.end - b.p) >= sizeof(struct perfdata_chunk_header)) {
		const char *start = b.p;
		uint32_t tag = bytes_take_u32(&b);
		uint32_t length = bytes_take_u32(&b);

		bytes_take(&b, length);
		bytes_take(&b, -length & 7);
		if (!b.ok)
			return;
		if (tag != PERFDATA_CHUNK_EMBEDDED)
			strbuf_add(ret, start, b.p - start);
	}
}

/* Pieces follow each other. */
static struct error *parse_embedded_piece(const struct bytes *b, struct header *header)
{
	size_t size = b->end - b->p;
	char *grown;

	if (!size || size > EXTENSION_EMBEDDED_MAX - header->embedded_size)
		return NULL;
	grown = realloc(header->embedded, header->embedded_size + size);
	if (!grown)
		return &error_no_memory;
	memcpy(grown + header->embedded_size, b->p, size);
	header->embedded = grown;
	header->embedded_size += size;
	return NULL;
}

static struct error *parse_note(const struct bytes *b, struct header *header)
{
	const char *text = memchr(b->p, '\0', b->end - b->p);

	if (!text)
		return NULL;
	text++;
	return header_add_note(header, b->p, text, b->end - text);
}

static struct error *parse_schema(struct bytes *b)
{
	uint32_t schema = bytes_take_u32(b);

	if (schema > PERFDATA_SCHEMA)
		return error_hint(error_new(EPROTO, "It was written by a newer ktrace (schema %u; "
					    "this one knows %u)", schema, PERFDATA_SCHEMA),
				  "Read it with the ktrace that recorded it, or with perf script");
	return NULL;
}

/*
 * Take the next row of a chunk.  *ret holds the bytes of it that we know; rows of a later version
 * may be longer.  Returns false if there are no more rows.
 */
static bool next_row(struct bytes *b, uint32_t row_size, struct bytes *ret)
{
	const char *at = row_size ? bytes_take(b, row_size) : NULL;

	*ret = bytes_of(at, at ? row_size : 0);
	ret->swapped = b->swapped;
	return at;
}

/* Parse the layout of an event's common fields.  EPROTO: the offsets are impossible. */
static struct error *parse_field_rows(struct bytes *b, struct event_list *events)
{
	uint32_t index = bytes_take_u32(b);
	uint32_t size = bytes_take_u32(b);
	uint32_t row_size = bytes_take_u32(b);
	struct common_layout *common;
	struct bytes from;

	bytes_take_u32(b);
	if (!b->ok || index >= events->nr)
		return NULL;
	common = &events->items[index]->common;
	/* Readers of its records keep pointers to the first layout, so that one counts. */
	if (common->nr)
		return NULL;
	while (next_row(b, row_size, &from)) {
		struct common_slot slot = { .number = bytes_take_u32(&from) };
		const char *name;
		struct error *err;

		slot.offset = bytes_take_u32(&from);
		slot.size = bytes_take_u32(&from);
		slot.type = bytes_take_u32(&from);
		name = bytes_take(&from, sizeof(slot.name));
		if (name)
			memcpy(slot.name, name, sizeof(slot.name));
		err = common_layout_add(common, &slot);
		if (err)
			return err;
	}
	return common_layout_end(common, size);
}

/* Replace a text by the next one, which ends at a zero or the end; NULL if it is empty. */
static struct error *take_limit(struct bytes *b, char **text)
{
	size_t size = strnlen(b->p, b->end - b->p);
	char *copy = NULL;

	if (size) {
		copy = strndup(b->p, size);
		if (!copy)
			return &error_no_memory;
	}
	free(*text);
	*text = copy;
	b->p += size + (b->p + size < b->end);
	return NULL;
}

static struct error *parse_event(struct bytes *b, struct event_list *events)
{
	uint32_t index = bytes_take_u32(b);
	uint32_t source = bytes_take_u32(b);
	uint64_t common_fields = bytes_take_u64(b);
	struct event *event;
	struct error *err;

	if (!b->ok || index >= events->nr)
		return NULL;
	event = events->items[index];
	if (!event->common.nr) {
		err = common_layout_set(&event->common, common_fields);
		if (err)
			return err;
	}
	event->source = source;
	event_finish(event);
	err = take_limit(b, &event->filter);
	return err ? err : take_limit(b, &event->cgroup);
}

static struct error *parse_ledger(struct bytes *b, struct ledger *ledger)
{
	uint32_t row_size = bytes_take_u32(b);
	struct bytes from;

	bytes_take_u32(b);
	while (next_row(b, row_size, &from)) {
		struct ledger_row row = { .event = bytes_take_u32(&from) };
		struct error *err;

		row.cpu = bytes_take_u32(&from);
		row.proof = bytes_take_u32(&from);
		if (row.proof > LEDGER_UNKNOWN)
			row.proof = LEDGER_UNKNOWN;
		bytes_take_u32(&from);
		row.recorded = bytes_take_u64(&from);
		row.filtered = bytes_take_u64(&from);
		row.out_of_scope = bytes_take_u64(&from);
		for (size_t i = 0; i < ARRAY_SIZE(row.lost); i++)
			row.lost[i] = bytes_take_u64(&from);
		err = ledger_add(ledger, &row);
		if (err)
			return err;
	}
	return NULL;
}

static struct error *parse_clocks(struct bytes *b, struct clock_pairs *clocks)
{
	uint32_t row_size = bytes_take_u32(b);
	struct bytes from;

	bytes_take_u32(b);
	while (next_row(b, row_size, &from)) {
		struct clock_pair pair = { .trace = bytes_take_u64(&from) };

		pair.monotonic = bytes_take_u64(&from);
		pair.raw = bytes_take_u64(&from);
		pair.boottime = bytes_take_u64(&from);
		pair.realtime = bytes_take_u64(&from);
		if (!array_push(clocks, pair))
			return &error_no_memory;
	}
	return NULL;
}

static struct error *parse_chunk(uint32_t tag, struct bytes *b, struct event_list *events,
				 struct ledger *ledger, struct clock_pairs *clocks,
				 struct header *header)
{
	switch (tag) {
	case PERFDATA_CHUNK_EMBEDDED:
		return parse_embedded_piece(b, header);
	case PERFDATA_CHUNK_NOTE:
		return parse_note(b, header);
	case PERFDATA_CHUNK_SCHEMA:
		return parse_schema(b);
	case PERFDATA_CHUNK_FIELDS:
		return parse_field_rows(b, events);
	case PERFDATA_CHUNK_EVENT:
		return parse_event(b, events);
	case PERFDATA_CHUNK_LEDGER:
		return parse_ledger(b, ledger);
	case PERFDATA_CHUNK_CLOCK:
		return parse_clocks(b, clocks);
	default:
		return NULL;
	}
}

struct error *extension_parse(const void *data, size_t size, bool swapped,
			      struct event_list *events, struct ledger *ledger,
			      struct clock_pairs *clocks, struct header *header)
{
	struct bytes b = bytes_of(data, size);

	b.swapped = swapped;
	while ((size_t)(b.end - b.p) >= sizeof(struct perfdata_chunk_header)) {
		uint32_t tag = bytes_take_u32(&b);
		uint32_t length = bytes_take_u32(&b);
		const char *at = bytes_take(&b, length);
		struct bytes chunk = bytes_of(at, at ? length : 0);
		struct error *err;

		if (!at)
			break;
		chunk.swapped = swapped;
		err = parse_chunk(tag, &chunk, events, ledger, clocks, header);
		if (err)
			return err;
		bytes_take(&b, -length & 7);
		if (!b.ok)
			break;
	}
	return NULL;
}

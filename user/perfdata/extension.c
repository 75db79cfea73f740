// SPDX-License-Identifier: GPL-2.0
#include "perfdata/extension.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "perfdata/bytes.h"
#include "perfdata/layout.h"
#include "record/common_field.h"

_Static_assert(LEDGER_LOST_NR <= 8, "struct perfdata_ledger_row has room for 8 reasons");

/* The start of a chunk; its size is set by end_chunk(). */
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

static void add_schema(struct strbuf *ret)
{
	size_t at = begin_chunk(ret, PERFDATA_CHUNK_SCHEMA);

	bytes_add_u32(ret, COMMON_FIELD_SCHEMA);
	bytes_add_u32(ret, 0);
	end_chunk(ret, at);
}

static void add_event(const struct event *event, struct strbuf *ret)
{
	size_t at = begin_chunk(ret, PERFDATA_CHUNK_EVENT);

	bytes_add_u32(ret, event->index);
	bytes_add_u32(ret, event->source);
	bytes_add_u64(ret, event->common_fields);
	strbuf_addstr(ret, event->filter ? event->filter : "");
	end_chunk(ret, at);
}

void extension_add_event(const struct event *event, struct strbuf *ret)
{
	add_schema(ret);
	add_event(event, ret);
}

void extension_add_events(const struct event_list *events, struct strbuf *ret)
{
	add_schema(ret);
	for (size_t i = 0; i < events->nr; i++)
		add_event(events->items[i], ret);
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

void extension_add_ledger(const struct ledger_row *rows, size_t nr, struct strbuf *ret)
{
	size_t at;

	if (!nr)
		return;
	at = begin_chunk(ret, PERFDATA_CHUNK_LEDGER);
	bytes_add_u32(ret, sizeof(struct perfdata_ledger_row));
	bytes_add_u32(ret, 0);
	for (size_t i = 0; i < nr; i++) {
		struct perfdata_ledger_row row = {
			.event = rows[i].event,
			.cpu = rows[i].cpu,
			.proof = rows[i].proof,
			.recorded = rows[i].recorded,
			.filtered = rows[i].filtered,
			.out_of_scope = rows[i].out_of_scope,
		};

		memcpy(row.lost, rows[i].lost, sizeof(rows[i].lost));
		strbuf_add(ret, &row, sizeof(row));
	}
	end_chunk(ret, at);
}

static struct error *parse_schema(const char *p, size_t size)
{
	uint32_t schema;

	if (size < sizeof(schema))
		return NULL;
	memcpy(&schema, p, sizeof(schema));
	if (schema > COMMON_FIELD_SCHEMA)
		return error_hint(error_new(EPROTO, "It was written by a newer ktrace (schema %u; "
					    "this one knows %u)", schema, COMMON_FIELD_SCHEMA),
				  "Read it with the ktrace that recorded it, or with perf script");
	return NULL;
}

static struct error *parse_event(const char *p, size_t size, struct event_list *events)
{
	uint32_t index, source;
	struct event *event;
	char *filter = NULL;

	if (size < 16)
		return NULL;
	memcpy(&index, p, 4);
	memcpy(&source, p + 4, 4);
	if (index >= events->nr)
		return NULL;
	event = events->items[index];
	memcpy(&event->common_fields, p + 8, 8);
	if (source <= EVENT_SOURCE_FAKE)
		event->source = source;
	if (size > 16) {
		filter = strndup(p + 16, size - 16);
		if (!filter)
			return &error_no_memory;
	}
	free(event->filter);
	event->filter = filter;
	return NULL;
}

/* The next row of a chunk of rows, cut or padded to @size; false: no more. */
static bool next_row(const char **p, const char *end, uint32_t row_size, void *ret, size_t size)
{
	memset(ret, 0, size);
	if (!row_size || (size_t)(end - *p) < row_size)
		return false;
	memcpy(ret, *p, row_size < size ? row_size : size);
	*p += row_size;
	return true;
}

static struct error *parse_ledger(const char *p, const char *end, uint32_t row_size,
				  struct ledger *ledger)
{
	struct perfdata_ledger_row from;

	while (next_row(&p, end, row_size, &from, sizeof(from))) {
		struct ledger_row row = {
			.event = from.event,
			.cpu = from.cpu,
			.proof = from.proof <= LEDGER_UNKNOWN ? from.proof : LEDGER_UNKNOWN,
			.recorded = from.recorded,
			.filtered = from.filtered,
			.out_of_scope = from.out_of_scope,
		};
		struct error *err;

		memcpy(row.lost, from.lost, sizeof(row.lost));
		err = ledger_add(ledger, &row);
		if (err)
			return err;
	}
	return NULL;
}

static struct error *parse_clocks(const char *p, const char *end, uint32_t row_size,
				  struct clock_pairs *clocks)
{
	struct perfdata_clock_row row;

	while (next_row(&p, end, row_size, &row, sizeof(row))) {
		struct clock_pair pair = {
			row.trace, row.monotonic, row.raw, row.boottime, row.realtime,
		};

		if (!array_push(clocks, pair))
			return &error_no_memory;
	}
	return NULL;
}

static struct error *parse_chunk(uint32_t tag, const char *p, size_t size,
				 struct event_list *events, struct ledger *ledger,
				 struct clock_pairs *clocks)
{
	uint32_t row_size = 0;

	if (size >= 8)
		memcpy(&row_size, p, 4);
	switch (tag) {
	case PERFDATA_CHUNK_SCHEMA:
		return parse_schema(p, size);
	case PERFDATA_CHUNK_EVENT:
		return parse_event(p, size, events);
	case PERFDATA_CHUNK_LEDGER:
		return parse_ledger(p + 8, p + size, row_size, ledger);
	case PERFDATA_CHUNK_CLOCK:
		return parse_clocks(p + 8, p + size, row_size, clocks);
	default:
		return NULL;
	}
}

struct error *extension_parse(const void *data, size_t size, struct event_list *events,
			      struct ledger *ledger, struct clock_pairs *clocks)
{
	const char *p = data, *end = p + size;

	while ((size_t)(end - p) >= sizeof(struct perfdata_chunk_header)) {
		struct perfdata_chunk_header header;
		struct error *err;
		size_t padding;

		memcpy(&header, p, sizeof(header));
		p += sizeof(header);
		if (header.size > (size_t)(end - p))
			break;
		err = header.size >= 8 || header.tag == PERFDATA_CHUNK_SCHEMA ?
			parse_chunk(header.tag, p, header.size, events, ledger, clocks) : NULL;
		if (err)
			return err;
		p += header.size;
		padding = -header.size & 7;
		p += (size_t)(end - p) < padding ? (size_t)(end - p) : padding;
	}
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * If the raw data has a fixed offset in the records, each value has one, too, and one loop over the
 * records fills a column.  Other layouts are decoded record by record.
 */
#include "columns/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns/dictionary.h"
#include "lib/array.h"
#include "lib/strbuf.h"
#include "record/common_field.h"
#include "session/callchain.h"
#include "session/session.h"

enum source {
	SOURCE_TIME, SOURCE_CPU, SOURCE_PID, SOURCE_TID, SOURCE_COMM, SOURCE_PERIOD, SOURCE_IP,
	SOURCE_ADDR,
	SOURCE_SYMBOL,
	SOURCE_DSO,
	SOURCE_CALLCHAIN,
	SOURCE_ORIGIN,
	SOURCE_FIELD,		/* of the format */
	SOURCE_COMMON_FIELD,	/* of the device's trailer */
};

/* The source of one column, and its values in the current batch. */
struct plan {
	char *name;
	enum source source;
	enum column_type type;
	uint8_t size;
	bool is_signed;
	const struct field *field;
	const struct common_slot *common;	/* COMMON_FIELD; of the event */
	int32_t at;		/* of the value in a record, bytes; -1: not fixed */
	struct dictionary *dictionary;	/* TEXT */
	char *values;
	int64_t *ends;		/* BYTES: nr_rows + 1 */
	struct strbuf bytes;	/* BYTES */
};

struct columns {
	const struct event *event;
	const struct event_format *format;
	ARRAY_OF(struct plan) plans;
	size_t nr_rows, alloc_rows;
	int32_t raw_at;		/* of the raw size in a record; -1: not fixed */
	uint32_t raw_needed;	/* raw bytes that a record needs for the fixed values */
	uint64_t damaged;
};

static const struct {
	const char *name;
	enum source source;
	enum column_type type;
	uint8_t size;
	bool is_signed;
	uint64_t sampled;	/* bits of sample_type; it needs one of them */
	bool asked;		/* only created on request by name: it is expensive */
} heads[] = {
	{ "_time", SOURCE_TIME, COLUMN_TIME, 8, true, PERF_SAMPLE_TIME, false },
	{ "_cpu", SOURCE_CPU, COLUMN_INTEGER, 4, true, PERF_SAMPLE_CPU, false },
	{ "_pid", SOURCE_PID, COLUMN_INTEGER, 4, true, PERF_SAMPLE_TID, false },
	{ "_tid", SOURCE_TID, COLUMN_INTEGER, 4, true, PERF_SAMPLE_TID, false },
	{ "_comm", SOURCE_COMM, COLUMN_TEXT, 4, true, PERF_SAMPLE_TID, false },
	{ "_period", SOURCE_PERIOD, COLUMN_INTEGER, 8, false, PERF_SAMPLE_PERIOD, false },
	{ "_ip", SOURCE_IP, COLUMN_INTEGER, 8, false, PERF_SAMPLE_IP, false },
	{ "_addr", SOURCE_ADDR, COLUMN_INTEGER, 8, false, PERF_SAMPLE_ADDR, false },
	{ "_symbol", SOURCE_SYMBOL, COLUMN_TEXT, 4, true, PERF_SAMPLE_IP, true },
	{ "_dso", SOURCE_DSO, COLUMN_TEXT, 4, true, PERF_SAMPLE_IP, true },
	{ "_callchain", SOURCE_CALLCHAIN, COLUMN_TEXT, 4, true,
	  PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER, true },
	{ "_origin", SOURCE_ORIGIN, COLUMN_TEXT, 4, true, ~0ULL, true },
};

/* Whether samples of the event have heads[@index]. */
static bool head_is_known(const struct event *event, size_t index)
{
	if (heads[index].source == SOURCE_PERIOD)
		return event_has_period(event);
	return event_sampled(event) & heads[index].sampled;
}

/* ---- batches -------------------------------------------------------------- */

static void byte_strings_deinit(struct byte_strings *strings)
{
	free(strings->offsets);
	free(strings->bytes);
}

void batch_drop_last(struct batch *batch)
{
	struct column *last;

	if (!batch->nr_columns)
		return;
	last = &batch->columns[--batch->nr_columns];
	free(last->name);
	free(last->values);
	byte_strings_deinit(&last->strings);
}

void batch_deinit(struct batch *batch)
{
	while (batch->nr_columns)
		batch_drop_last(batch);
	free(batch->columns);
	*batch = (struct batch){ 0 };
}

struct column *batch_column(struct batch *batch, const char *name)
{
	for (size_t i = 0; i < batch->nr_columns; i++)
		if (!strcmp(batch->columns[i].name, name))
			return &batch->columns[i];
	return NULL;
}

struct sort_row {
	int64_t time;
	size_t row;
};

DEFINE_COMPARISON(compare_rows, struct sort_row, array_order(x->time, y->time) ?:
		  array_order(x->row, y->row))

static struct error *sort_strings(struct byte_strings *strings, const struct sort_row *rows)
{
	struct byte_strings sorted = { .nr = strings->nr };
	size_t size = strings->offsets[strings->nr];
	int64_t at = 0;

	sorted.offsets = malloc((strings->nr + 1) * sizeof(*sorted.offsets));
	sorted.bytes = malloc(size + 1);
	if (!sorted.offsets || !sorted.bytes) {
		byte_strings_deinit(&sorted);
		return &error_no_memory;
	}
	for (size_t i = 0; i < strings->nr; i++) {
		int64_t from = strings->offsets[rows[i].row];
		int64_t len = strings->offsets[rows[i].row + 1] - from;

		sorted.offsets[i] = at;
		memcpy(sorted.bytes + at, strings->bytes + from, len);
		at += len;
	}
	sorted.offsets[strings->nr] = at;
	byte_strings_deinit(strings);
	*strings = sorted;
	return NULL;
}

static struct error *sort_column(struct column *column, const struct sort_row *rows, size_t nr)
{
	char *sorted;

	if (column->type == COLUMN_BYTES)
		return sort_strings(&column->strings, rows);
	sorted = malloc(nr * column->size);
	if (!sorted)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++)
		memcpy(sorted + i * column->size,
		       (char *)column->values + rows[i].row * column->size, column->size);
	free(column->values);
	column->values = sorted;
	return NULL;
}

struct error *batch_sort(struct batch *batch)
{
	const struct column *time = batch_column(batch, "_time");
	_cleanup_free_ struct sort_row *rows = NULL;
	const int64_t *times = time ? time->values : NULL;
	struct error *err = NULL;
	bool sorted = true;

	for (size_t i = 1; times && sorted && i < batch->nr_rows; i++)
		sorted = times[i - 1] <= times[i];
	if (!times || sorted)
		return NULL;
	rows = malloc(batch->nr_rows * sizeof(*rows));
	if (!rows)
		return &error_no_memory;
	for (size_t i = 0; i < batch->nr_rows; i++)
		rows[i] = (struct sort_row){ times[i], i };
	qsort(rows, batch->nr_rows, sizeof(*rows), compare_rows);
	for (size_t i = 0; !err && i < batch->nr_columns; i++)
		err = sort_column(&batch->columns[i], rows, batch->nr_rows);
	return err;
}

/* ---- columns --------------------------------------------------------------- */

/* The offset in a record of the member of sample_type that follows those in @before. */
static int32_t fixed_offset(const struct event *event, uint64_t before)
{
	return sizeof(struct perf_event_header) +
		8 * __builtin_popcountll(event->attr.sample_type & before);
}

#define BEFORE_IP	PERF_SAMPLE_IDENTIFIER
#define BEFORE_TID	(BEFORE_IP | PERF_SAMPLE_IP)
#define BEFORE_TIME	(BEFORE_TID | PERF_SAMPLE_TID)
#define BEFORE_ADDR	(BEFORE_TIME | PERF_SAMPLE_TIME)
#define BEFORE_CPU	(BEFORE_ADDR | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)
#define BEFORE_PERIOD	(BEFORE_CPU | PERF_SAMPLE_CPU)
#define BEFORE_READ	(BEFORE_PERIOD | PERF_SAMPLE_PERIOD)

static int32_t head_offset(const struct event *event, enum source source)
{
	switch (source) {
	case SOURCE_IP:
		return fixed_offset(event, BEFORE_IP);
	case SOURCE_PID:
		return fixed_offset(event, BEFORE_TID);
	case SOURCE_TID:
		return fixed_offset(event, BEFORE_TID) + 4;
	case SOURCE_TIME:
		return fixed_offset(event, BEFORE_TIME);
	case SOURCE_ADDR:
		return fixed_offset(event, BEFORE_ADDR);
	case SOURCE_CPU:
		return event->is_compact ? (int32_t)offsetof(struct perf_event_header, misc) :
					   fixed_offset(event, BEFORE_CPU);
	case SOURCE_PERIOD:
		return fixed_offset(event, BEFORE_PERIOD);
	default:
		return -1;
	}
}

static struct error *add_plan(struct columns *columns, struct plan plan, const char *name)
{
	struct error *err = NULL;

	plan.name = strdup(name);
	if (!plan.name)
		return &error_no_memory;
	if (plan.type == COLUMN_TEXT)
		err = dictionary_create(&plan.dictionary);
	if (!err && !array_push(&columns->plans, plan))
		err = &error_no_memory;
	if (err) {
		dictionary_destroy(plan.dictionary);
		free(plan.name);
	}
	return err;
}

static struct error *columns_add_head(struct columns *columns, size_t index)
{
	struct plan plan = {
		.source = heads[index].source,
		.type = heads[index].type,
		.size = heads[index].size,
		.is_signed = heads[index].is_signed,
		.at = head_offset(columns->event, heads[index].source),
	};

	return add_plan(columns, plan, heads[index].name);
}

static struct error *add_field(struct columns *columns, const struct field *of_event)
{
	const struct field *field = field_of_data(of_event);
	struct plan plan = { .source = SOURCE_FIELD, .field = field, .at = -1 };

	switch (field->kind) {
	case FIELD_INTEGER:
		plan.type = COLUMN_INTEGER;
		plan.size = field->size;
		plan.is_signed = field->is_signed;
		/* Other sizes do not occur; their value would be 0, as everywhere. */
		if (field->size != 1 && field->size != 2 && field->size != 4)
			plan.size = 8;
		if (columns->raw_at >= 0 && !field->is_swapped && plan.size == field->size) {
			plan.at = columns->raw_at + 4 + field->offset;
			if (field->offset + field->size > columns->raw_needed)
				columns->raw_needed = field->offset + field->size;
		}
		break;
	case FIELD_STRING:
	case FIELD_DYNAMIC_STRING:
	case FIELD_REL_STRING:
		plan.type = COLUMN_TEXT;
		plan.size = 4;
		plan.is_signed = true;
		break;
	default:
		plan.type = COLUMN_BYTES;
		break;
	}
	return add_plan(columns, plan, field->name);
}

static struct error *columns_add_common(struct columns *columns, const struct common_slot *common)
{
	bool text = common->type == COMMON_TEXT;
	struct plan plan = {
		.source = SOURCE_COMMON_FIELD, .common = common, .at = -1,
		.type = text ? COLUMN_TEXT : COLUMN_INTEGER, .size = text ? 4 : 8,
		.is_signed = text || common->type == COMMON_SIGNED,
	};
	char name[sizeof("common_") + COMMON_NAME_SIZE];

	snprintf(name, sizeof(name), "common_%s", common->name);
	return add_plan(columns, plan, name);
}

static struct error *add_all(struct columns *columns)
{
	const struct event_format *format = columns->format;
	size_t nr = format ? format->nr_fields : 0;
	struct error *err = NULL;

	for (size_t i = 0; !err && i < ARRAY_SIZE(heads); i++)
		if (head_is_known(columns->event, i) && !heads[i].asked)
			err = columns_add_head(columns, i);
	for (size_t i = 0; !err && i < columns->event->common.nr; i++)
		err = columns_add_common(columns, &columns->event->common.items[i]);
	for (size_t i = format ? format->nr_common : 0; !err && i < nr; i++)
		err = add_field(columns, &format->fields[i]);
	return err;
}

static struct error *unknown_name(const struct columns *columns, const char *name)
{
	_cleanup_(strbuf) struct strbuf known = STRBUF_INIT;
	const struct event_format *format = columns->format;

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (head_is_known(columns->event, i))
			strbuf_addf(&known, "%s%s", known.len ? ", " : "", heads[i].name);
	for (size_t i = 0; i < columns->event->common.nr; i++)
		strbuf_addf(&known, ", common_%s", columns->event->common.items[i].name);
	for (size_t i = 0; format && i < format->nr_fields; i++)
		strbuf_addf(&known, ", %s", format->fields[i].name);
	return error_hint(error_new(EINVAL, "%s has no column '%s'", columns->event->name, name),
			  "It has %s", strbuf_str(&known));
}

static struct error *add_named(struct columns *columns, const char *name)
{
	const struct common_slot *common;
	const struct field *field;

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (!strcmp(name, heads[i].name) && head_is_known(columns->event, i))
			return columns_add_head(columns, i);
	field = columns->format ? event_format_field(columns->format, name) : NULL;
	if (field)
		return add_field(columns, field);
	common = strncmp(name, "common_", 7) ? NULL :
		 common_layout_find(&columns->event->common, name + 7);
	if (common)
		return columns_add_common(columns, common);
	return unknown_name(columns, name);
}

struct error *columns_create(const struct event *event, const struct event_format *format,
			     const char *const *names, size_t nr_names, struct columns **ret)
{
	struct columns *columns = calloc(1, sizeof(*columns));
	uint64_t type = event->attr.sample_type;
	struct error *err = NULL;

	if (!columns)
		return &error_no_memory;
	columns->event = event;
	columns->format = format;
	columns->raw_at = -1;
	if (type & PERF_SAMPLE_RAW && !(type & (PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN)))
		columns->raw_at = fixed_offset(event, BEFORE_READ);
	if (!nr_names)
		err = add_all(columns);
	for (size_t i = 0; !err && i < nr_names; i++)
		err = add_named(columns, names[i]);
	if (err) {
		columns_destroy(columns);
		return err;
	}
	*ret = columns;
	return NULL;
}

struct error *columns_add_origin(struct columns *columns)
{
	return add_named(columns, "_origin");
}

void columns_destroy(struct columns *columns)
{
	if (!columns)
		return;
	for (size_t i = 0; i < columns->plans.nr; i++) {
		struct plan *plan = &columns->plans.items[i];

		free(plan->name);
		free(plan->values);
		free(plan->ends);
		strbuf_deinit(&plan->bytes);
		dictionary_destroy(plan->dictionary);
	}
	free(columns->plans.items);
	free(columns);
}

bool columns_are_sampled(const struct event *event, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (!strcmp(name, heads[i].name))
			return head_is_known(event, i);
	return false;
}

bool columns_exist(const struct event *event, const struct event_format *format, const char *name)
{
	return columns_are_sampled(event, name) || (format && event_format_field(format, name)) ||
	       (!strncmp(name, "common_", 7) && common_layout_find(&event->common, name + 7));
}

bool columns_is_place(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (heads[i].asked && heads[i].source != SOURCE_ORIGIN &&
		    !strcmp(name, heads[i].name))
			return true;
	return false;
}

bool columns_want_comm(const struct columns *columns)
{
	return array_any(&columns->plans, it, it->source == SOURCE_COMM);
}

size_t columns_rows(const struct columns *columns)
{
	return columns->nr_rows;
}

uint64_t columns_damaged(const struct columns *columns)
{
	return columns->damaged;
}

/* ---- filling ------------------------------------------------------------- */

struct error *columns_reserve(struct columns *columns, size_t extra)
{
	size_t want = columns->nr_rows + extra;

	if (want <= columns->alloc_rows)
		return NULL;
	if (want < columns->alloc_rows * 2)
		want = columns->alloc_rows * 2;
	for (size_t i = 0; i < columns->plans.nr; i++) {
		struct plan *plan = &columns->plans.items[i];
		bool bytes = plan->type == COLUMN_BYTES;
		void *grown = bytes ? reallocarray(plan->ends, want + 1, sizeof(*plan->ends)) :
				      reallocarray(plan->values, want, plan->size);

		if (!grown)
			return &error_no_memory;
		if (bytes)
			plan->ends = grown;
		else
			plan->values = grown;
	}
	columns->alloc_rows = want;
	return NULL;
}

static void store(struct plan *plan, size_t row, uint64_t value)
{
	switch (plan->size) {
	case 1:
		((uint8_t *)plan->values)[row] = value;
		break;
	case 2:
		((uint16_t *)plan->values)[row] = value;
		break;
	case 4:
		((uint32_t *)plan->values)[row] = value;
		break;
	default:
		((uint64_t *)plan->values)[row] = value;
		break;
	}
}

static struct error *store_text(struct plan *plan, size_t row, const char *text, size_t len)
{
	int32_t number = dictionary_number(plan->dictionary, text, len);

	if (number < 0)
		return &error_no_memory;
	((int32_t *)plan->values)[row] = number;
	return NULL;
}

static struct error *store_bytes(struct plan *plan, size_t row, const void *bytes, size_t len)
{
	strbuf_add(&plan->bytes, bytes ? bytes : "", bytes ? len : 0);
	if (plan->bytes.failed)
		return &error_no_memory;
	if (!row)
		plan->ends[0] = 0;
	plan->ends[row + 1] = plan->bytes.len;
	return NULL;
}

static struct error *store_common(struct columns *columns, struct plan *plan, size_t row,
				  const struct sample *sample)
{
	const void *bytes = common_slot_bytes(columns->event, sample, plan->common);

	if (plan->type == COLUMN_TEXT)
		return store_text(plan, row, bytes ? bytes : "",
				  bytes ? strnlen(bytes, plan->common->size) : 0);
	store(plan, row, bytes ? common_slot_number(bytes) : 0);
	return NULL;
}

static void find_place(const struct session_record *r, uint8_t mode, uint64_t ip,
		       struct place *ret)
{
	*ret = (struct place){ .ip = ip };
	if (r->machine)
		machine_find(r->machine, r->maps, mode, ip, ret);
}

static struct error *store_place(struct plan *plan, size_t row, const struct session_record *r)
{
	struct place place;
	const char *name;

	find_place(r, r->sample.cpumode, r->sample.ip, &place);
	if (plan->source == SOURCE_DSO)
		name = map_name(place.map);
	else
		name = place.symbol ? place.symbol->name : "[unknown]";
	return store_text(plan, row, name, strlen(name));
}

DEFINE_CLEANUP(callchain, struct callchain, callchain_deinit)

/*
 * Store a call chain.  Its text is built in plan->bytes, which is otherwise unused in text columns.
 */
static struct error *store_callchain(struct plan *plan, size_t row, const struct session_record *r)
{
	_cleanup_(callchain) struct callchain chain = { 0 };
	struct error *err = callchain_read(&chain, r, CALLCHAIN_DEPTH);

	strbuf_reset(&plan->bytes);
	for (size_t i = chain.nr; !err && i-- > 0; ) {
		struct place place;

		find_place(r, chain.items[i].mode, chain.items[i].ip, &place);
		strbuf_addf(&plan->bytes, "%s%s", plan->bytes.len ? ";" : "",
			    place.symbol ? place.symbol->name : "[unknown]");
	}
	if (!err && plan->bytes.failed)
		err = &error_no_memory;
	return err ? err : store_text(plan, row, strbuf_str(&plan->bytes), plan->bytes.len);
}

static struct error *store_value(struct columns *columns, struct plan *plan, size_t row,
				 const struct session_record *r, uint32_t raw_size)
{
	const struct sample *s = &r->sample;
	const void *bytes;
	size_t len;

	switch (plan->source) {
	case SOURCE_TIME:
		store(plan, row, s->time);
		return NULL;
	case SOURCE_CPU:
		store(plan, row, s->cpu);
		return NULL;
	case SOURCE_PID:
		store(plan, row, s->pid);
		return NULL;
	case SOURCE_TID:
		store(plan, row, s->tid);
		return NULL;
	case SOURCE_PERIOD:
		store(plan, row, s->period);
		return NULL;
	case SOURCE_IP:
		store(plan, row, s->ip);
		return NULL;
	case SOURCE_ADDR:
		store(plan, row, s->addr);
		return NULL;
	case SOURCE_COMM:
		return store_text(plan, row, r->comm, strlen(r->comm));
	case SOURCE_SYMBOL:
	case SOURCE_DSO:
		return store_place(plan, row, r);
	case SOURCE_CALLCHAIN:
		return store_callchain(plan, row, r);
	case SOURCE_ORIGIN:
		return store_text(plan, row, r->origin ? r->origin : "",
				  r->origin ? strlen(r->origin) : 0);
	case SOURCE_COMMON_FIELD:
		return store_common(columns, plan, row, s);
	case SOURCE_FIELD:
		break;
	}
	if (plan->type == COLUMN_INTEGER) {
		store(plan, row, field_u64(plan->field, s->raw, raw_size));
		return NULL;
	}
	bytes = field_bytes(plan->field, s->raw, raw_size, &len);
	if (plan->type == COLUMN_TEXT)
		return store_text(plan, row, bytes ? bytes : "", bytes ? len : 0);
	return store_bytes(plan, row, bytes, len);
}

struct error *columns_add_row(struct columns *columns, const struct session_record *r)
{
	uint32_t raw_size = common_field_raw_size(columns->event, &r->sample);
	struct error *err = columns_reserve(columns, 1);

	for (size_t i = 0; !err && i < columns->plans.nr; i++)
		err = store_value(columns, &columns->plans.items[i], columns->nr_rows, r,
				  raw_size);
	columns->nr_rows += !err;
	return err;
}

#define COPY(type) do {								\
		type *to = (type *)plan->values + columns->nr_rows;		\
		for (size_t i = 0; i < nr; i++)					\
			memcpy(&to[i], (const char *)headers[i] + plan->at, sizeof(type)); \
	} while (0)

static void copy_compact_cpus(struct columns *columns, struct plan *plan,
			      const struct perf_event_header *const *headers, size_t nr)
{
	int32_t *to = (int32_t *)plan->values + columns->nr_rows;

	for (size_t i = 0; i < nr; i++)
		to[i] = event_compact_cpu(headers[i]);
}

static void copy_fixed_period(struct columns *columns, struct plan *plan, size_t nr)
{
	uint64_t *to = (uint64_t *)plan->values + columns->nr_rows;

	for (size_t i = 0; i < nr; i++)
		to[i] = columns->event->attr.sample_period;
}

static void copy_column(struct columns *columns, struct plan *plan,
			const struct perf_event_header *const *headers, size_t nr)
{
	if (plan->source == SOURCE_PERIOD && event_has_fixed_period(columns->event)) {
		copy_fixed_period(columns, plan, nr);
		return;
	}
	if (plan->source == SOURCE_CPU && columns->event->is_compact) {
		copy_compact_cpus(columns, plan, headers, nr);
		return;
	}
	switch (plan->size) {
	case 1:
		COPY(uint8_t);
		break;
	case 2:
		COPY(uint16_t);
		break;
	case 4:
		COPY(uint32_t);
		break;
	default:
		COPY(uint64_t);
		break;
	}
}

/* Whether every fixed value of the record is inside it. */
static bool is_whole(const struct columns *columns, const struct perf_event_header *header,
		     uint32_t heads_end, uint32_t trailer)
{
	uint32_t raw_size;

	if (header->size < heads_end)
		return false;
	if (!columns->raw_needed)
		return true;
	if (header->size < columns->raw_at + 4 + columns->raw_needed)
		return false;
	memcpy(&raw_size, (const char *)header + columns->raw_at, 4);
	return raw_size >= columns->raw_needed + trailer;
}

static bool all_fixed(const struct columns *columns)
{
	return !array_any(&columns->plans, it, it->at < 0);
}

static struct error *add_decoded(struct columns *columns, const struct perf_event_header *header)
{
	struct session_record r = { .event = columns->event, .comm = "" };

	if (sample_decode(columns->event, header, &r.sample))
		return columns_add_row(columns, &r);
	columns->damaged++;
	return NULL;
}

struct error *columns_add(struct columns *columns,
			  const struct perf_event_header *const *headers, size_t nr)
{
	uint32_t trailer = columns->event->common.size;
	uint32_t heads_end = fixed_offset(columns->event, BEFORE_READ);
	bool fixed = all_fixed(columns);
	struct error *err = columns_reserve(columns, nr);

	while (!err && nr) {
		size_t run = 0;

		while (fixed && run < nr && is_whole(columns, headers[run], heads_end, trailer))
			run++;
		for (size_t i = 0; run && i < columns->plans.nr; i++)
			copy_column(columns, &columns->plans.items[i], headers, run);
		columns->nr_rows += run;
		headers += run;
		nr -= run;
		if (nr) {
			err = add_decoded(columns, headers[0]);
			headers++;
			nr--;
		}
	}
	return err;
}

/* ---- batches to hand out ------------------------------------------------- */

static struct error *take_column(struct plan *plan, size_t nr_rows, struct column *ret)
{
	*ret = (struct column){ .type = plan->type, .size = plan->size,
				.is_signed = plan->is_signed };
	ret->is_address = plan->source == SOURCE_IP || plan->source == SOURCE_ADDR ||
			  (plan->field && plan->field->is_pointer);
	ret->name = strdup(plan->name);
	if (!ret->name)
		return &error_no_memory;
	if (plan->type == COLUMN_TEXT) {
		struct error *err = dictionary_copy(plan->dictionary, &ret->strings);

		if (err)
			return err;
	}
	if (plan->type == COLUMN_BYTES) {
		ret->strings = (struct byte_strings){
			.offsets = take_ptr(plan->ends), .bytes = take_ptr(plan->bytes.data),
			.nr = nr_rows,
		};
		plan->bytes = (struct strbuf)STRBUF_INIT;
	}
	ret->values = take_ptr(plan->values);
	return NULL;
}

struct error *columns_take(struct columns *columns, struct batch *ret)
{
	struct batch batch = { .event = columns->event, .nr_rows = columns->nr_rows };
	struct error *err = columns_reserve(columns, 1);	/* so that no array is NULL */

	batch.columns = calloc(columns->plans.nr + 1, sizeof(*batch.columns));
	if (!batch.columns)
		err = &error_no_memory;
	for (size_t i = 0; !err && i < columns->plans.nr; i++) {
		if (!columns->nr_rows && columns->plans.items[i].ends)
			columns->plans.items[i].ends[0] = 0;
		batch.nr_columns = i + 1;
		err = take_column(&columns->plans.items[i], columns->nr_rows, &batch.columns[i]);
	}
	columns->nr_rows = columns->alloc_rows = 0;
	if (err) {
		batch_deinit(&batch);
		return err;
	}
	*ret = batch;
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/histogram_values.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "profile/histogram/histogram.h"
#include "session/cgroups.h"

/* Samples within this many nanoseconds have the same key `time`, as in perf. */
#define TIME_QUANTUM	100000000

struct histogram_extras {
	ARRAY_OF(char *) texts;
	struct hash_table text_table;		/* positions in texts */
	ARRAY_OF(struct histogram_value *) rows;	/* MAX_KEYS each */
	struct hash_table row_table;		/* positions in rows */
	struct histogram_types *types;		/* NULL: not needed yet */
	struct strbuf scratch;
};

struct error *histogram_extras_create(struct histogram_extras **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? NULL : &error_no_memory;
}

void histogram_extras_destroy(struct histogram_extras *extras)
{
	if (!extras)
		return;
	array_free_each(&extras->texts);
	hash_table_deinit(&extras->text_table);
	array_free_each(&extras->rows);
	hash_table_deinit(&extras->row_table);
	histogram_types_destroy(extras->types);
	strbuf_deinit(&extras->scratch);
	free(extras);
}

/* Return the only copy of a text; NULL: out of memory. */
static const char *keep_text(struct histogram_extras *extras, const char *text)
{
	uint64_t hash = hash_key_text(text);
	char *copy;

	hash_table_each(&extras->text_table, hash, n) {
		const char *known = extras->texts.items[n];

		if (!strcmp(known, text))
			return known;
	}
	copy = strdup(text);
	if (!copy || !hash_table_add(&extras->text_table, hash, extras->texts.nr) ||
	    !array_push(&extras->texts, copy)) {
		free(copy);
		return NULL;
	}
	return copy;
}

static const struct histogram_value *keep_row(struct histogram_extras *extras,
					      const struct histogram_value *row)
{
	size_t size = MAX_KEYS * sizeof(*row);
	uint64_t hash = hash_key_bytes(row, size);
	struct histogram_value *copy;

	hash_table_each(&extras->row_table, hash, n) {
		const struct histogram_value *known = extras->rows.items[n];

		if (!memcmp(known, row, size))
			return known;
	}
	copy = malloc(size);
	if (copy)
		memcpy(copy, row, size);
	if (!copy || !hash_table_add(&extras->row_table, hash, extras->rows.nr) ||
	    !array_push(&extras->rows, copy)) {
		free(copy);
		return NULL;
	}
	return copy;
}

/*
 * Find the text behind "NAME=" in the text of an event, up to the next blank.  NAME must begin a
 * word.  False: there is none.
 */
static bool find_word(struct strbuf *text, const char *name)
{
	size_t len = strlen(name);
	const char *at = strbuf_str(text);

	for (; *at; at += strcspn(at, " ")) {
		size_t end;

		at += *at == ' ';
		if (strncmp(at, name, len) || at[len] != '=')
			continue;
		at += len + 1;
		end = strcspn(at, " ");
		memmove(text->data, at, end);
		text->len = end;
		text->data[end] = '\0';
		return true;
	}
	return false;
}

static void add_field_number(struct strbuf *out, const struct field *field,
			     const struct sample *sample)
{
	uint64_t value = field_u64(field, sample->raw, sample->raw_size);

	if (field->is_pointer || (!field->is_signed && strstr(field->type, "long")))
		strbuf_addf(out, "0x%llx", (unsigned long long)value);
	else if (field->is_signed)
		strbuf_addf(out, "%lld", (long long)value);
	else
		strbuf_addf(out, "%llu", (unsigned long long)value);
}

/* Append the text of a field as in the event's own text, or its value. */
static void add_field_text(struct strbuf *out, const struct histogram_field *name,
		      const struct field *field, const struct session_record *r)
{
	const struct sample *sample = &r->sample;
	const void *bytes;
	size_t len = 0;

	if (!name->raw) {
		event_format_print(r->format, sample->raw, sample->raw_size, sample->cpu, out);
		if (find_word(out, name->name))
			return;
		strbuf_reset(out);
	}
	if (field->kind == FIELD_INTEGER) {
		add_field_number(out, field, sample);
		return;
	}
	bytes = field_bytes(field, sample->raw, sample->raw_size, &len);
	if (bytes)
		strbuf_add(out, bytes, len);
}

/* The first bytes of a field, as a number with the order of memcmp(). */
static uint64_t memory_order(const struct field *field, const struct sample *sample)
{
	const unsigned char *raw = sample->raw;
	uint64_t order = 0;

	for (uint32_t i = 0; i < 8; i++) {
		order <<= 8;
		if (i < field->size && field->offset + i < sample->raw_size)
			order |= raw[field->offset + i];
	}
	return order;
}

/* Append the text of a tracepoint, or of one of its fields; *ret: whether it has one. */
static bool add_trace_text(struct strbuf *out, enum histogram_key key,
			   const struct histogram_field *name, const struct session_record *r,
			   uint64_t *ret_order)
{
	const struct field *field;

	if (!r->format || !r->sample.raw) {
		strbuf_addstr(out, key == KEY_FIELD ? "" : "N/A");
		return key != KEY_FIELD;
	}
	if (key == KEY_TRACE && name->raw) {
		event_format_print_fields(r->format, r->sample.raw, r->sample.raw_size, out);
		return true;
	}
	if (key == KEY_TRACE) {
		event_format_print(r->format, r->sample.raw, r->sample.raw_size, r->sample.cpu,
				   out);
		return true;
	}
	field = event_format_field(r->format, name->name);
	if (!field || (name->event && name->event != r->event->index + 1))
		return false;
	add_field_text(out, name, field, r);
	*ret_order = memory_order(field, &r->sample);
	return true;
}

static const char *find_cgroup(const struct session_record *r, uint64_t *ret_id)
{
	uint64_t id = sample_cgroup(r->event, &r->sample);
	const char *path = r->machine ? machine_cgroup(r->machine, id) : NULL;

	*ret_id = id;
	return path ? path : id ? "unknown" : "N/A";
}

/* Append "EL TX SYNC :3": the result of a transaction, with perf's keywords. */
static void add_transaction(struct strbuf *out, uint64_t bits)
{
	static const struct {
		uint64_t bit;
		const char *word;
	} words[] = {
		{ PERF_TXN_ELISION, "EL " }, { PERF_TXN_TRANSACTION, "TX " },
		{ PERF_TXN_SYNC, "SYNC " }, { PERF_TXN_ASYNC, "ASYNC " },
		{ PERF_TXN_RETRY, "RETRY " }, { PERF_TXN_CONFLICT, "CON " },
		{ PERF_TXN_CAPACITY_WRITE, "CAP-WRITE " }, { PERF_TXN_CAPACITY_READ, "CAP-READ " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (bits & words[i].bit)
			strbuf_addstr(out, words[i].word);
	if (bits && !(bits & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		strbuf_addstr(out, "NEITHER ");
	if (bits & PERF_TXN_ABORT_MASK)
		strbuf_addf(out, ":%llx", (unsigned long long)((bits & PERF_TXN_ABORT_MASK) >>
							       PERF_TXN_ABORT_SHIFT));
}

/* Append the text of a key that has one; otherwise *ret_number is the value. */
static bool add_extra_text(struct histogram_extras *extras, size_t position,
			   const struct histogram_options *options,
			   const struct histogram_subject *subject, uint64_t *ret_number)
{
	enum histogram_key key = options->keys[position];
	const struct session_record *r = subject->r;
	struct strbuf *out = &extras->scratch;
	uint64_t quantum = options->time_quantum ? options->time_quantum : TIME_QUANTUM;

	switch (key) {
	case KEY_TIME:
		*ret_number = r->sample.time / quantum * quantum;
		return false;
	case KEY_PARALLELISM:
		*ret_number = subject->parallelism;
		return false;
	case KEY_WEIGHT:
	case KEY_LOCAL_WEIGHT:
		*ret_number = r->sample.weight;
		return false;
	case KEY_INS_LAT:
	case KEY_LOCAL_INS_LAT:
		*ret_number = r->sample.ins_lat;
		return false;
	case KEY_TRACE:
	case KEY_FIELD:
		return add_trace_text(out, key, &options->fields[position], r, ret_number);
	case KEY_PARENT:
		*ret_number = !subject->parent;
		strbuf_addstr(out, subject->parent ? subject->parent->name : "[other]");
		return true;
	case KEY_WAKER:
		strbuf_addstr(out, r->waker ? r->waker : "[unknown]");
		return true;
	case KEY_TASK_STATE:
		strbuf_addstr(out, r->task_state ? r->task_state : "[unknown]");
		return true;
	case KEY_ORIGIN:
		strbuf_addstr(out, r->origin ? r->origin : "");
		return true;
	case KEY_CGROUP:
		strbuf_addstr(out, find_cgroup(r, ret_number));
		return true;
	case KEY_TRANSACTION:
		*ret_number = r->sample.transaction;
		add_transaction(out, r->sample.transaction);
		return true;
	default:
		return histogram_place_text(out, key, options, subject, ret_number);
	}
}

/* Append the text of a key of data types. */
static struct error *add_type_text(struct histogram_extras *extras, enum histogram_key key,
				   const struct session_record *r)
{
	struct error *err = NULL;

	if (!r->machine) {
		strbuf_addstr(&extras->scratch, "(unknown)");
		return NULL;
	}
	if (!extras->types)
		err = histogram_types_create(&extras->types);
	return err ? err : histogram_types_add(extras->types, key, r, &extras->scratch);
}

static struct error *read_extra(struct histogram_extras *extras, size_t position,
				const struct histogram_options *options,
				const struct histogram_subject *subject,
				struct histogram_value *ret)
{
	const enum histogram_key key = options->keys[position];
	struct error *err = NULL;

	strbuf_reset(&extras->scratch);
	if (histogram_key_is_of_type(key))
		err = add_type_text(extras, key, subject->r);
	else if (!add_extra_text(extras, position, options, subject, &ret->number))
		return NULL;
	if (err)
		return err;
	if (extras->scratch.failed)
		return &error_no_memory;
	ret->text = keep_text(extras, strbuf_str(&extras->scratch));
	return ret->text ? NULL : &error_no_memory;
}

struct error *histogram_extras_read(struct histogram_extras *extras,
				    const struct histogram_options *options,
				    const struct histogram_subject *subject,
				    const struct histogram_value **ret)
{
	struct histogram_value row[MAX_KEYS];
	struct error *err = NULL;
	bool any = false;

	memset(row, 0, sizeof(row));
	for (size_t i = 0; options->keys[i] && !err; i++) {
		if (options->keys[i] < KEY_TIME)
			continue;
		err = read_extra(extras, i, options, subject, &row[i]);
		any = true;
	}
	*ret = NULL;
	if (err || !any)
		return err;
	*ret = keep_row(extras, row);
	return *ret ? NULL : &error_no_memory;
}

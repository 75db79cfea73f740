// SPDX-License-Identifier: GPL-2.0
#include "check/compare.h"

#include <ctype.h>

#include "check/firing_pair.h"

/* The outcome for one event. */
struct verdict {
	size_t nr_from, nr_to;
	size_t differ;			/* number of records that do */
	struct strbuf fields;		/* their names */
	const char *field;		/* the first of them */
	size_t nr_fields;
	struct strbuf record, count;	/* diffs of the first record that differs, or is missing */
};

static void verdict_deinit(struct verdict *verdict)
{
	strbuf_deinit(&verdict->fields);
	strbuf_deinit(&verdict->record);
	strbuf_deinit(&verdict->count);
}
DEFINE_CLEANUP(verdict, struct verdict, verdict_deinit)

/* How many bytes of a long array are shown. */
#define BYTES_SHOWN 64

/* Append a line of a diff: "-prev_pid=12". */
static void add_compared_field(struct strbuf *out, char mark, const struct field *field,
			       const void *raw, size_t size)
{
	bool is_text = field->kind == FIELD_STRING || field->kind == FIELD_DYNAMIC_STRING ||
		field->kind == FIELD_REL_STRING;
	const unsigned char *bytes;
	size_t len;

	strbuf_addf(out, "%c%s=", mark, field->name);
	if (field->kind == FIELD_INTEGER) {
		uint64_t value = field_u64(field, raw, size);

		if (field->is_pointer)
			strbuf_addf(out, "0x%llx", (unsigned long long)value);
		else if (field->is_signed)
			strbuf_addf(out, "%lld", (long long)value);
		else
			strbuf_addf(out, "%llu", (unsigned long long)value);
	} else {
		bytes = field_bytes(field, raw, size, &len);
		if (!bytes)
			strbuf_addstr(out, "outside of the record");
		for (size_t i = 0; bytes && i < len && i < BYTES_SHOWN; i++) {
			if (is_text)
				strbuf_addch(out, isprint(bytes[i]) ? bytes[i] : '?');
			else
				strbuf_addf(out, "%02x", bytes[i]);
		}
		if (len > BYTES_SHOWN)
			strbuf_addf(out, "... (%zu bytes)", len);
	}
	strbuf_addch(out, '\n');
}

static void add_compared_record(struct strbuf *out, char mark, const struct firing_pair *pair,
				const struct captured *captured,
				const struct captured_record *record)
{
	for (size_t i = 0; i < pair->format->nr_fields; i++)
		add_compared_field(out, mark, &pair->format->fields[i],
				   captured_raw(captured, record), record->size);
}

static void begin_diff(struct strbuf *out, const struct firing_pair *pair, size_t index)
{
	strbuf_addf(out, "--- %s\n+++ %s\n@@ task %d, record %zu of %zu and %zu @@\n",
		    pair->from->name, pair->to->name, pair->nr_a ? pair->a->tid : pair->b->tid,
		    index + 1, pair->nr_a, pair->nr_b);
}

static void diff_records(struct verdict *v, const struct firing_pair *pair, size_t index)
{
	const struct captured_record *a = &pair->a[index], *b = &pair->b[index];

	for (size_t i = 0; i < pair->format->nr_fields; i++) {
		const struct field *field = &pair->format->fields[i];

		if (firing_pair_same_value(pair, field, a, b))
			continue;
		if (!v->differ)
			strbuf_addf(&v->fields, "%s%s", v->nr_fields++ ? ", " : "", field->name);
		if (!v->field)
			v->field = field->name;
	}
	if (v->differ++)
		return;
	begin_diff(&v->record, pair, index);
	for (size_t i = 0; i < pair->format->nr_fields; i++) {
		const struct field *field = &pair->format->fields[i];
		bool same = firing_pair_same_value(pair, field, a, b);

		add_compared_field(&v->record, same ? ' ' : '-', field, captured_raw(pair->from, a),
				   a->size);
		if (!same)
			add_compared_field(&v->record, '+', field, captured_raw(pair->to, b),
					   b->size);
	}
}

/* Append a diff of the first record that the shorter side lacks. */
static void diff_counts(struct verdict *v, const struct firing_pair *pair)
{
	size_t common = pair->nr_a < pair->nr_b ? pair->nr_a : pair->nr_b, i = 0;

	while (i < common && firing_pair_same(pair, &pair->a[i], &pair->b[i]))
		i++;
	begin_diff(&v->count, pair, i);
	if (pair->nr_a > pair->nr_b)
		add_compared_record(&v->count, '-', pair, pair->from, &pair->a[i]);
	else
		add_compared_record(&v->count, '+', pair, pair->to, &pair->b[i]);
}

static void judge_pair(struct verdict *v, struct firing_pair *pair)
{
	firing_pair_trim(pair);
	v->nr_from += pair->nr_a;
	v->nr_to += pair->nr_b;
	if (pair->nr_a != pair->nr_b) {
		if (!v->count.len)
			diff_counts(v, pair);
		return;
	}
	for (size_t i = 0; i < pair->nr_a; i++)
		if (!firing_pair_same(pair, &pair->a[i], &pair->b[i]))
			diff_records(v, pair, i);
}

static void report_pair(struct results *results, struct result *result,
			const struct firing_pair *pair, const struct verdict *v)
{
	if (v->count.len) {
		finding_add(results, result, RULE_COUNTS_DIFFER, NULL, NO_PLACE,
			    "%s has %zu records of the workload, %s %zu", pair->from->name,
			    v->nr_from, pair->to->name, v->nr_to);
		finding_detail(result, RULE_COUNTS_DIFFER, strbuf_str(&v->count));
	}
	if (v->differ) {
		finding_add(results, result, RULE_CAPTURES_DIFFER, v->field, NO_PLACE,
			    "%s and %s differ in %s, in %zu of %zu records", pair->from->name,
			    pair->to->name, strbuf_str(&v->fields), v->differ, v->nr_from);
		finding_detail(result, RULE_CAPTURES_DIFFER, strbuf_str(&v->record));
	}
}

struct error *compare_captured(struct results *results, const struct event_format *const *formats,
			       const struct captured *from, const struct captured *to,
			       bool to_tracefs)
{
	struct firing_pair pair = { .from = from, .to = to, .to_tracefs = to_tracefs };
	size_t i = 0, j = 0;

	for (size_t event = 0; event < results->nr; event++) {
		_cleanup_(verdict) struct verdict v = { 0 };

		pair.format = formats[event];
		while (firing_pair_next(&pair, event, &i, &j))
			if (pair.format)
				judge_pair(&v, &pair);
		if (v.fields.failed || v.record.failed || v.count.failed)
			return &error_no_memory;
		report_pair(results, results->items[event], &pair, &v);
	}
	return NULL;
}

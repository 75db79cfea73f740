// SPDX-License-Identifier: GPL-2.0
#include "check/compare.h"

#include <ctype.h>
#include <string.h>

/*
 * The bits of common_flags that are the same for all observers of one firing.  Others can
 * differ: an interrupt between two observers can request a reschedule.
 */
#define STABLE_FLAGS (0x01 | 0x08 | 0x10 | 0x40)

/* Records of one event, task and context, of both sides. */
struct pair {
	const struct event_format *format;
	const struct captured *from, *to;
	const struct captured_record *a, *b;
	size_t nr_a, nr_b;
	bool to_tracefs;
};

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

static bool is_left_out(const struct pair *pair, const struct field *field)
{
	return pair->to_tracefs && !strcmp(field->name, "common_preempt_count");
}

static bool is_same_value(const struct pair *pair, const struct field *field,
			  const struct captured_record *a, const struct captured_record *b)
{
	const void *raw_a = captured_raw(pair->from, a), *raw_b = captured_raw(pair->to, b);
	const void *bytes_a, *bytes_b;
	size_t len_a, len_b;

	if (is_left_out(pair, field))
		return true;
	if (field->kind == FIELD_INTEGER) {
		uint64_t differing = field_u64(field, raw_a, a->size) ^
			field_u64(field, raw_b, b->size);

		return !strcmp(field->name, "common_flags") ? !(differing & STABLE_FLAGS) :
			!differing;
	}
	bytes_a = field_bytes(field, raw_a, a->size, &len_a);
	bytes_b = field_bytes(field, raw_b, b->size, &len_b);
	return len_a == len_b && !bytes_a == !bytes_b &&
		(!bytes_a || !memcmp(bytes_a, bytes_b, len_a));
}

static bool records_same(const struct pair *pair, const struct captured_record *a,
			 const struct captured_record *b)
{
	for (size_t i = 0; i < pair->format->nr_fields; i++)
		if (!is_same_value(pair, &pair->format->fields[i], a, b))
			return false;
	return true;
}

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

static void add_compared_record(struct strbuf *out, char mark, const struct pair *pair,
				const struct captured *captured,
				const struct captured_record *record)
{
	for (size_t i = 0; i < pair->format->nr_fields; i++)
		add_compared_field(out, mark, &pair->format->fields[i],
				   captured_raw(captured, record), record->size);
}

static void begin_diff(struct strbuf *out, const struct pair *pair, size_t index)
{
	strbuf_addf(out, "--- %s\n+++ %s\n@@ task %d, record %zu of %zu and %zu @@\n",
		    pair->from->name, pair->to->name, pair->nr_a ? pair->a->tid : pair->b->tid,
		    index + 1, pair->nr_a, pair->nr_b);
}

static void diff_records(struct verdict *v, const struct pair *pair, size_t index)
{
	const struct captured_record *a = &pair->a[index], *b = &pair->b[index];

	for (size_t i = 0; i < pair->format->nr_fields; i++) {
		const struct field *field = &pair->format->fields[i];

		if (is_same_value(pair, field, a, b))
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
		bool same = is_same_value(pair, field, a, b);

		add_compared_field(&v->record, same ? ' ' : '-', field, captured_raw(pair->from, a),
				   a->size);
		if (!same)
			add_compared_field(&v->record, '+', field, captured_raw(pair->to, b),
					   b->size);
	}
}

/* Append a diff of the first record that the shorter side lacks. */
static void diff_counts(struct verdict *v, const struct pair *pair)
{
	size_t common = pair->nr_a < pair->nr_b ? pair->nr_a : pair->nr_b, i = 0;

	while (i < common && records_same(pair, &pair->a[i], &pair->b[i]))
		i++;
	begin_diff(&v->count, pair, i);
	if (pair->nr_a > pair->nr_b)
		add_compared_record(&v->count, '-', pair, pair->from, &pair->a[i]);
	else
		add_compared_record(&v->count, '+', pair, pair->to, &pair->b[i]);
}

static size_t count_differing(const struct pair *pair)
{
	size_t nr = 0;

	for (size_t i = 0; i < pair->nr_a; i++)
		nr += !records_same(pair, &pair->a[i], &pair->b[i]);
	return nr;
}

/* Make @pair without some records at its ends. */
static struct pair trimmed(const struct pair *pair, size_t front_a, size_t front_b, size_t back_a,
			   size_t back_b)
{
	struct pair shorter = *pair;

	shorter.a += front_a;
	shorter.b += front_b;
	shorter.nr_a -= front_a + back_a;
	shorter.nr_b -= front_b + back_b;
	return shorter;
}

/*
 * For a task that existed before and after the capture, one side may have an extra firing at
 * the beginning and at the end, which was in progress when that side began or ended.  Leave
 * these out if that makes both sides equal.
 */
static void trim(struct pair *pair)
{
	static const size_t cuts[][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
	bool is_even = pair->nr_a == pair->nr_b;
	struct pair best = *pair;
	size_t fewest = SIZE_MAX;

	for (size_t i = 0; fewest && i < 3; i++) {
		for (size_t j = 0; fewest && j < 3; j++) {
			struct pair shorter;
			size_t nr;

			if (cuts[i][0] + cuts[j][0] > pair->nr_a ||
			    cuts[i][1] + cuts[j][1] > pair->nr_b)
				continue;
			shorter = trimmed(pair, cuts[i][0], cuts[i][1], cuts[j][0], cuts[j][1]);
			nr = shorter.nr_a == shorter.nr_b ? count_differing(&shorter) : SIZE_MAX;
			/*
			 * If both have the same number of records, cut only if they are all
			 * equal then.
			 */
			if (nr < fewest && (!nr || !is_even)) {
				fewest = nr;
				best = shorter;
			}
		}
	}
	*pair = best;
}

static bool is_whole_pair(const struct pair *pair)
{
	return pair->nr_a ? pair->a->is_whole : pair->b->is_whole;
}

static void judge_pair(struct verdict *v, struct pair *pair)
{
	if (!is_whole_pair(pair))
		trim(pair);
	v->nr_from += pair->nr_a;
	v->nr_to += pair->nr_b;
	if (pair->nr_a != pair->nr_b) {
		if (!v->count.len)
			diff_counts(v, pair);
		return;
	}
	for (size_t i = 0; i < pair->nr_a; i++)
		if (!records_same(pair, &pair->a[i], &pair->b[i]))
			diff_records(v, pair, i);
}

static void report_pair(struct results *results, struct result *result, const struct pair *pair,
			const struct verdict *v)
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

/* Count the records from @at on that have the same event, task and context as @first. */
static size_t count_of(const struct captured *captured, size_t at,
		       const struct captured_record *first)
{
	size_t nr = 0;

	while (at + nr < captured->nr && !captured_order(&captured->items[at + nr], first))
		nr++;
	return nr;
}

/* Make the next pair from *@i and *@j on; false: @event has no more. */
static bool next_pair(struct pair *pair, size_t event, size_t *i, size_t *j)
{
	const struct captured_record *a = &pair->from->items[*i], *b = &pair->to->items[*j];
	bool has_a = *i < pair->from->nr && a->event == event;
	bool has_b = *j < pair->to->nr && b->event == event;
	const struct captured_record *first;

	if (!has_a && !has_b)
		return false;
	first = !has_b || (has_a && captured_order(a, b) <= 0) ? a : b;
	pair->a = a;
	pair->b = b;
	pair->nr_a = count_of(pair->from, *i, first);
	pair->nr_b = count_of(pair->to, *j, first);
	*i += pair->nr_a;
	*j += pair->nr_b;
	return true;
}

struct error *compare_captured(struct results *results, const struct event_format *const *formats,
			       const struct captured *from, const struct captured *to,
			       bool to_tracefs)
{
	struct pair pair = { .from = from, .to = to, .to_tracefs = to_tracefs };
	size_t i = 0, j = 0;

	for (size_t event = 0; event < results->nr; event++) {
		_cleanup_(verdict) struct verdict v = { 0 };

		pair.format = formats[event];
		while (next_pair(&pair, event, &i, &j))
			if (pair.format)
				judge_pair(&v, &pair);
		if (v.fields.failed || v.record.failed || v.count.failed)
			return &error_no_memory;
		report_pair(results, results->items[event], &pair, &v);
	}
	return NULL;
}

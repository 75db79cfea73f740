// SPDX-License-Identifier: GPL-2.0
#include "check/compare.h"

#include <ctype.h>

#include "check/bracket.h"
#include "check/firing_pair.h"

/* The records of one event whose values differ for the same cause. */
struct difference {
	size_t nr;			/* of these records */
	struct strbuf fields;		/* names of those of the first record */
	const char *field;		/* the first of them */
	size_t nr_fields;
	struct strbuf record;		/* diff of the first record */
};

/* The outcome for one event. */
struct verdict {
	size_t nr_from, nr_to;
	struct difference differences[CAUSES_NR];
	struct strbuf count;		/* diff of the first record that is missing */
	const struct bracket *bracket;
};

static void verdict_deinit(struct verdict *verdict)
{
	for (size_t i = 0; i < CAUSES_NR; i++) {
		strbuf_deinit(&verdict->differences[i].fields);
		strbuf_deinit(&verdict->differences[i].record);
	}
	strbuf_deinit(&verdict->count);
}
DEFINE_CLEANUP(verdict, struct verdict, verdict_deinit)

static bool verdict_failed(const struct verdict *v)
{
	bool failed = v->count.failed;

	for (size_t i = 0; i < CAUSES_NR; i++)
		failed |= v->differences[i].fields.failed || v->differences[i].record.failed;
	return failed;
}

/* After how many records an assignment that always differs is its author's. */
#define ALWAYS_MIN 10

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

/* Append the values of @field that ftrace captured before and after all other methods. */
static void add_around(struct strbuf *out, const struct bracket *bracket,
		       const struct bracket_around *around, const struct field *field)
{
	const struct captured_record *before = around->before, *after = around->after;

	strbuf_addf(out, "%s, before all other methods:\n", bracket->before->name);
	add_compared_field(out, ' ', field, captured_raw(bracket->before, before), before->size);
	strbuf_addf(out, "%s, after them:\n", bracket->after->name);
	add_compared_field(out, ' ', field, captured_raw(bracket->after, after), after->size);
}

static void diff_record(struct strbuf *out, const struct bracket *bracket,
			const struct firing_pair *pair, size_t index, enum bracket_cause cause)
{
	const struct captured_record *a = &pair->a[index], *b = &pair->b[index];
	const struct bracket_around around = bracket_around(bracket, a);

	begin_diff(out, pair, index);
	for (size_t i = 0; i < pair->format->nr_fields; i++) {
		const struct field *field = &pair->format->fields[i];
		bool same = firing_pair_same_value(pair, field, a, b);

		add_compared_field(out, same ? ' ' : '-', field, captured_raw(pair->from, a),
				   a->size);
		if (!same)
			add_compared_field(out, '+', field, captured_raw(pair->to, b), b->size);
	}
	for (size_t i = 0; cause != CAUSE_UNKNOWN && i < pair->format->nr_fields; i++) {
		const struct field *field = &pair->format->fields[i];

		if (!firing_pair_same_value(pair, field, a, b) &&
		    bracket_cause(bracket, pair, field, a, b) == cause)
			add_around(out, bracket, &around, field);
	}
}

/* Add the records at @index, in which a field differs, to the differences of each cause. */
static void judge_records(struct verdict *v, const struct firing_pair *pair, size_t index)
{
	const struct captured_record *a = &pair->a[index], *b = &pair->b[index];
	bool has[CAUSES_NR] = { false };

	for (size_t i = 0; i < pair->format->nr_fields; i++) {
		const struct field *field = &pair->format->fields[i];
		struct difference *difference;
		enum bracket_cause cause;

		if (firing_pair_same_value(pair, field, a, b))
			continue;
		cause = bracket_cause(v->bracket, pair, field, a, b);
		has[cause] = true;
		difference = &v->differences[cause];
		if (difference->nr)
			continue;
		strbuf_addf(&difference->fields, "%s%s", difference->nr_fields++ ? ", " : "",
			    field->name);
		if (!difference->field)
			difference->field = field->name;
	}
	for (size_t i = 0; i < CAUSES_NR; i++)
		if (has[i] && !v->differences[i].nr++)
			diff_record(&v->differences[i].record, v->bracket, pair, index, i);
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
			judge_records(v, pair, i);
}

static enum rule_id rule_of(const struct verdict *v, enum bracket_cause cause)
{
	if (cause != CAUSE_KERNEL)
		return RULE_CAPTURES_DIFFER;
	return v->differences[cause].nr == v->nr_from && v->nr_from >= ALWAYS_MIN ?
		RULE_ASSIGNMENT_UNSTABLE : RULE_VALUE_CHANGED;
}

static void report_difference(struct results *results, struct result *result,
			      const struct firing_pair *pair, const struct verdict *v,
			      enum bracket_cause cause)
{
	static const struct { const char *word, *end; } causes[CAUSES_NR] = {
		[CAUSE_UNKNOWN] = { "unknown",
				    "; whether the kernel changed it in between is unknown" },
		[CAUSE_DECODING] = { "decoding", ": one of them decodes it wrong" },
		[CAUSE_KERNEL] = { "kernel", ": the kernel changed it in between" },
	};
	const struct difference *difference = &v->differences[cause];
	enum rule_id rule = rule_of(v, cause);

	finding_add(results, result, rule, difference->field, NO_PLACE,
		    "%s and %s differ in %s, in %zu of %zu records%s", pair->from->name,
		    pair->to->name, difference->fields.data, difference->nr, v->nr_from,
		    causes[cause].end);
	finding_cause(result, rule, causes[cause].word);
	finding_detail(result, rule, difference->record.data);
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
	for (size_t i = 0; i < CAUSES_NR; i++)
		if (v->differences[i].nr)
			report_difference(results, result, pair, v, i);
}

struct error *compare_captured(struct results *results, const struct event_format *const *formats,
			       const struct captured *from, const struct captured *to,
			       const struct bracket *bracket, bool to_tracefs)
{
	struct firing_pair pair = { .from = from, .to = to, .to_tracefs = to_tracefs };
	size_t i = 0, j = 0;

	for (size_t event = 0; event < results->nr; event++) {
		_cleanup_(verdict) struct verdict v = { .bracket = bracket };

		pair.format = formats[event];
		while (firing_pair_next(&pair, event, &i, &j))
			if (pair.format)
				judge_pair(&v, &pair);
		if (verdict_failed(&v))
			return &error_no_memory;
		report_pair(results, results->items[event], &pair, &v);
	}
	return NULL;
}

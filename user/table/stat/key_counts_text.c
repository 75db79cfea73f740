// SPDX-License-Identifier: GPL-2.0
#include "table/stat/key_counts_text.h"

#include <inttypes.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/json.h"
#include "lib/number.h"
#include "record/common_number.h"

#define NS_PER_S	1000000000ULL

#define COUNT_WIDTH	14
#define VALUE_WIDTH	14
#define STEP_WIDTH	16
#define BAR_WIDTH	40
#define FRAME_INDENT	24

/* One list of counts that is printed. */
struct key_print {
	const struct key_layout *layout;
	const char *name;
	const struct count_keys *keys;
	const struct key_list *list;
	const uint64_t *time;
	struct strbuf *out;
};

static const char *key_digits(const struct key_print *p, uint64_t number, char text[32])
{
	snprintf(text, 32, p->layout->plain_digits ? "%" PRIu64 : "%'" PRIu64, number);
	return text;
}

static const char *key_signed_digits(const struct key_print *p, uint64_t number, char text[32])
{
	if (!p->keys->value.is_signed)
		return key_digits(p, number, text);
	snprintf(text, 32, p->layout->plain_digits ? "%" PRId64 : "%'" PRId64, (int64_t)number);
	return text;
}

static uint64_t key_average(const struct key_print *p, uint64_t sum, uint64_t count)
{
	if (p->keys->value.is_signed)
		return (uint64_t)((int64_t)sum / (int64_t)count);
	return sum / count;
}

/* The extremes of an interval are not known: they are those since the beginning. */
static bool key_has_extremes(const struct key_print *p)
{
	return p->keys->has_value && !p->layout->interval;
}

static size_t key_last_part(const struct key_print *p)
{
	return p->keys->nr - key_counts_has_steps(p->keys);
}

/* ---- text ------------------------------------------------------------------------- */

static void key_add_heading(const struct key_print *p)
{
	struct strbuf *out = p->out;

	if (p->time)
		strbuf_addf(out, "%6" PRIu64 ".%09" PRIu64 " ", (uint64_t)(*p->time / NS_PER_S),
			    (uint64_t)(*p->time % NS_PER_S));
	strbuf_addf(out, " %s%s", p->name, p->layout->open ? " without an end so far" : "");
	for (size_t i = p->keys->nr_pair; i < key_last_part(p); i++)
		strbuf_addf(out, "%s%s", i > p->keys->nr_pair ? ", " : " by ",
			    p->keys->parts[i].name);
	if (key_counts_has_steps(p->keys))
		strbuf_addf(out, ": histogram of %s%s", p->keys->parts[p->keys->nr - 1].name,
			    p->keys->parts[p->keys->nr - 1].source.latency ? " in ns" : "");
	strbuf_addstr(out, "\n\n");
}

static void key_add_values(const struct key_print *p, uint64_t count, uint64_t sum, uint64_t min,
			   uint64_t max)
{
	char text[32];

	if (!p->keys->has_value)
		return;
	strbuf_addf(p->out, " %*s", VALUE_WIDTH, key_signed_digits(p, sum, text));
	strbuf_addf(p->out, " %*s", VALUE_WIDTH,
		    key_signed_digits(p, key_average(p, sum, count), text));
	if (!key_has_extremes(p))
		return;
	strbuf_addf(p->out, " %*s", VALUE_WIDTH, key_signed_digits(p, min, text));
	strbuf_addf(p->out, " %*s", VALUE_WIDTH, key_signed_digits(p, max, text));
}

/* ---- call chains ------------------------------------------------------------------- */

static void key_add_frame(const struct key_frame *frame, struct strbuf *out)
{
	size_t from = out->len;

	if (frame->symbol)
		strbuf_addstr(out, frame->symbol);
	else if (frame->binary)
		strbuf_addf(out, "%s+0x%" PRIx64, frame->binary, frame->address);
	else
		strbuf_addf(out, "0x%" PRIx64, frame->address);
	escape_controls(out, from);
}

static const struct key_stack *key_stack_of(const struct key_print *p,
					    const struct count_part *part, const char *key)
{
	return key_stacks_find(p->layout->stacks, count_part_number(part, key));
}

/* The text for a chain without frames. */
static const char *key_no_stack(const struct count_part *part, const char *key)
{
	return count_part_number(part, key) == KEY_STACK_NONE ? "[none]" : "[not named yet]";
}

/* A chain on one line, the outermost frame first. */
static void key_add_folded(const struct key_print *p, const struct count_part *part,
			   const char *key, struct strbuf *out)
{
	const struct key_stack *stack = key_stack_of(p, part, key);

	if (!stack)
		strbuf_addstr(out, key_no_stack(part, key));
	for (size_t i = stack ? stack->nr : 0; i-- > 0; ) {
		size_t from = out->len;

		key_add_frame(key_stacks_frame(p->layout->stacks, stack->frames[i]), out);
		for (size_t at = from; at < out->len; at++)
			if (out->data[at] == ';')
				out->data[at] = ':';
		if (i)
			strbuf_addch(out, ';');
	}
}

/* The frames of a chain below each other, the innermost first. */
static void key_add_frames(const struct key_print *p, const struct count_part *part,
			   const char *key)
{
	const struct key_stack *stack = key_stack_of(p, part, key);

	strbuf_addf(p->out, "%*s%s\n", FRAME_INDENT, "", part->name);
	if (!stack)
		strbuf_addf(p->out, "%*s%s\n", FRAME_INDENT + 2, "", key_no_stack(part, key));
	for (size_t i = 0; stack && i < stack->nr; i++) {
		const struct key_frame *frame = key_stacks_frame(p->layout->stacks,
								 stack->frames[i]);

		strbuf_addf(p->out, "%*s", FRAME_INDENT + 2, "");
		key_add_frame(frame, p->out);
		if (frame->symbol && frame->binary && !frame->kernel)
			strbuf_addf(p->out, " (%s)", frame->binary);
		strbuf_addstr(p->out, "\n");
	}
}

static void key_add_json_frames(const struct key_print *p, struct json_writer *json,
				const struct count_part *part, const char *key)
{
	const struct key_stack *stack = key_stack_of(p, part, key);
	char id[BUILD_ID_TEXT];

	if (!stack && count_part_number(part, key) != KEY_STACK_NONE) {
		json_add_null(json, part->name);
		return;
	}
	json_begin_array(json, part->name);
	for (size_t i = 0; stack && i < stack->nr; i++) {
		const struct key_frame *frame = key_stacks_frame(p->layout->stacks,
								 stack->frames[i]);

		json_begin_object(json, NULL);
		json_add_text(json, "symbol", frame->symbol);
		json_add_text(json, "binary", frame->binary);
		json_add_unsigned(json, "address", frame->address);
		build_id_text(&frame->id, id);
		if (frame->id.size)
			json_add_text(json, "build-id", id);
		json_end_object(json);
	}
	json_end_array(json);
}

/* ---- parts ------------------------------------------------------------------------- */

static void key_add_part(const struct key_print *p, const struct count_part *part, const char *key,
			 struct strbuf *out)
{
	const struct common_field_info *common = part->source.common;
	const char *path = NULL;
	size_t from = out->len;

	if (part->source.chain) {
		key_add_folded(p, part, key, out);
		return;
	}
	if (p->layout->cgroups && common && common->number == COMMON_FIELD_CGROUP &&
	    !part->is_step && !part->is_hex)
		path = cgroups_path(p->layout->cgroups, count_part_number(part, key));
	if (path) {
		strbuf_addstr(out, path);
		escape_controls(out, from);
	} else {
		count_part_add_text(part, key, out);
	}
}

static void key_add_parts(const struct key_print *p, const char *key)
{
	for (size_t i = p->keys->nr_pair; i < key_last_part(p); i++) {
		if (i > p->keys->nr_pair)
			strbuf_addstr(p->out, ", ");
		key_add_part(p, &p->keys->parts[i], key, p->out);
	}
}

static void key_add_titles(const struct key_print *p)
{
	strbuf_addf(p->out, "%*s %7s", COUNT_WIDTH, "count", "share");
	if (p->keys->has_value)
		strbuf_addf(p->out, " %*s %*s", VALUE_WIDTH, "sum", VALUE_WIDTH, "average");
	if (key_has_extremes(p))
		strbuf_addf(p->out, " %*s %*s", VALUE_WIDTH, "least", VALUE_WIDTH, "most");
	for (size_t i = p->keys->nr_pair, nr = 0; i < p->keys->nr; i++)
		if (!p->keys->parts[i].source.chain)
			strbuf_addf(p->out, "%s%s", nr++ ? ", " : "  ", p->keys->parts[i].name);
	strbuf_addstr(p->out, "\n");
}

static void key_add_rest(const struct key_print *p, size_t shown, size_t nr, const char *what)
{
	char text[32];

	strbuf_addf(p->out, "%*s in %zu %s%s", COUNT_WIDTH, key_digits(p, p->list->count, text), nr,
		    what, nr == 1 ? "" : "s");
	if (p->layout->chains)
		strbuf_addf(p->out, " of %" PRIu64 " call chain%s", p->layout->chains,
			    p->layout->chains == 1 ? "" : "s");
	if (shown < nr)
		strbuf_addf(p->out, "; the first %zu are shown (--top)", shown);
	strbuf_addstr(p->out, "\n\n");
}

static size_t key_nr_shown(const struct key_print *p, size_t nr)
{
	return p->layout->top && p->layout->top < nr ? p->layout->top : nr;
}

/* The parts of a key behind its count, and its call chains on lines of their own. */
static void key_add_row(const struct key_print *p, const char *key)
{
	size_t nr = 0;

	for (size_t i = p->keys->nr_pair; i < p->keys->nr; i++)
		if (!p->keys->parts[i].source.chain) {
			strbuf_addstr(p->out, nr++ ? ", " : "  ");
			key_add_part(p, &p->keys->parts[i], key, p->out);
		}
	strbuf_addstr(p->out, "\n");
	for (size_t i = p->keys->nr_pair; i < p->keys->nr; i++)
		if (p->keys->parts[i].source.chain)
			key_add_frames(p, &p->keys->parts[i], key);
}

static void key_add_table(const struct key_print *p)
{
	size_t nr = key_nr_shown(p, p->list->nr);
	char text[32];

	if (nr)
		key_add_titles(p);
	for (size_t i = 0; i < nr; i++) {
		const struct key_row *row = &p->list->rows[i];

		strbuf_addf(p->out, "%*s %6.2f%%", COUNT_WIDTH, key_digits(p, row->count, text),
			    100.0 * row->count / p->list->count);
		key_add_values(p, row->count, row->sum, row->min, row->max);
		key_add_row(p, row->key);
	}
	key_add_rest(p, nr, p->list->nr, "key");
}

static void key_add_bar(const struct key_print *p, uint64_t step, uint64_t count, uint64_t most)
{
	static const char bar[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	int len = most ? (int)((double)count * BAR_WIDTH / most) : 0;
	char text[32];

	_Static_assert(sizeof(bar) - 1 == BAR_WIDTH, "length of a bar");
	count_step_add_text(step, &name);
	strbuf_addf(p->out, " %-*s %*s |%.*s%*s|\n", STEP_WIDTH, strbuf_str(&name), COUNT_WIDTH - 2,
		    key_digits(p, count, text), len, bar, BAR_WIDTH - len, "");
}

/* The steps between two that occurred are shown, too, so that the shape can be seen. */
static void key_add_histogram(const struct key_print *p, const struct key_group *group)
{
	const struct count_part *part = &p->keys->parts[p->keys->nr - 1];
	uint64_t most = 0, next = COUNT_STEP_NEGATIVE;
	char text[32];

	for (size_t i = 0; i < group->nr; i++)
		if (group->rows[i].count > most)
			most = group->rows[i].count;
	if (p->keys->nr - p->keys->nr_pair > 1) {
		strbuf_addstr(p->out, " ");
		key_add_parts(p, group->rows[0].key);
		strbuf_addf(p->out, ": %s\n", key_digits(p, group->count, text));
	}
	for (size_t i = 0; i < group->nr; i++) {
		uint64_t step = count_part_number(part, group->rows[i].key);

		for (; i && next < step; next++)
			key_add_bar(p, next, 0, most);
		key_add_bar(p, step, group->rows[i].count, most);
		next = step + 1;
	}
	if (!p->keys->has_value)
		return;
	strbuf_addf(p->out, " average %s",
		    key_signed_digits(p, key_average(p, group->sum, group->count), text));
	if (key_has_extremes(p)) {
		strbuf_addf(p->out, ", least %s", key_signed_digits(p, group->min, text));
		strbuf_addf(p->out, ", most %s", key_signed_digits(p, group->max, text));
	}
	strbuf_addstr(p->out, "\n\n");
}

static void key_add_histograms(const struct key_print *p)
{
	size_t nr = key_nr_shown(p, p->list->nr_groups);

	for (size_t i = 0; i < nr; i++)
		key_add_histogram(p, &p->list->groups[i]);
	key_add_rest(p, nr, p->list->nr_groups, "histogram");
}

/* ---- CSV and JSON ------------------------------------------------------------------- */

static void key_add_csv_row(const struct key_print *p, const struct key_row *row)
{
	const char *sep = p->layout->separator;

	if (p->time)
		strbuf_addf(p->out, "%" PRIu64 ".%09" PRIu64 "%s", (uint64_t)(*p->time / NS_PER_S),
			    (uint64_t)(*p->time % NS_PER_S), sep);
	strbuf_addf(p->out, "%" PRIu64 "%s%s%s", row->count, sep, p->name,
		    p->layout->open ? " open" : "");
	for (size_t i = p->keys->nr_pair; i < p->keys->nr; i++) {
		strbuf_addstr(p->out, sep);
		key_add_part(p, &p->keys->parts[i], row->key, p->out);
	}
	if (p->keys->has_value) {
		const char *format = p->keys->value.is_signed ? "%s%" PRId64 : "%s%" PRIu64;

		strbuf_addf(p->out, format, sep, row->sum);
		if (key_has_extremes(p)) {
			strbuf_addf(p->out, format, sep, row->min);
			strbuf_addf(p->out, format, sep, row->max);
		}
	}
	strbuf_addstr(p->out, "\n");
}

static void key_add_json_number(const struct key_print *p, struct json_writer *json,
				const char *name, uint64_t number)
{
	if (p->keys->value.is_signed)
		json_add_signed(json, name, (int64_t)number);
	else
		json_add_unsigned(json, name, number);
}

/* Numbers are JSON numbers, but parts with names of their own are texts, as in the other forms. */
static void key_add_json_part(const struct key_print *p, struct json_writer *json,
			      const struct count_part *part, const char *key)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	uint64_t low, high;

	if (part->is_step) {
		count_step_bounds(count_part_number(part, key), &low, &high);
		json_begin_array(json, part->name);
		if (count_part_number(part, key) == COUNT_STEP_NEGATIVE)
			json_add_null(json, NULL);
		else
			json_add_unsigned(json, NULL, low);
		json_add_unsigned(json, NULL, high);
		json_end_array(json);
		return;
	}
	if (part->source.chain) {
		key_add_json_frames(p, json, part, key);
		return;
	}
	key_add_part(p, part, key, &text);
	if (part->is_text || part->is_hex || strspn(strbuf_str(&text), "-0123456789") != text.len)
		json_add_text(json, part->name, strbuf_str(&text));
	else if (part->is_signed)
		json_add_signed(json, part->name, (int64_t)count_part_number(part, key));
	else
		json_add_unsigned(json, part->name, count_part_number(part, key));
}

static void key_add_json_row(const struct key_print *p, const struct key_row *row)
{
	struct json_writer json = { .out = p->out };

	json_begin_row(&json, NULL);
	if (p->time)
		json_add_double(&json, "interval", (double)*p->time / NS_PER_S);
	json_add_text(&json, "event", p->name);
	if (p->layout->open)
		json_add_bool(&json, "open", true);
	json_begin_object(&json, "key");
	for (size_t i = p->keys->nr_pair; i < p->keys->nr; i++)
		key_add_json_part(p, &json, &p->keys->parts[i], row->key);
	json_end_object(&json);
	json_add_unsigned(&json, "count", row->count);
	if (p->keys->has_value) {
		key_add_json_number(p, &json, "sum", row->sum);
		if (key_has_extremes(p)) {
			key_add_json_number(p, &json, "min", row->min);
			key_add_json_number(p, &json, "max", row->max);
		}
	}
	json_end_object(&json);
	json_end(&json);
}

/* ---- folded ------------------------------------------------------------------------ */

/*
 * All parts as frames: first the parts that are not chains, then from the outermost function
 * inwards.
 */
static void key_add_folded_row(const struct key_print *p, const struct key_row *row)
{
	static const enum count_chain order[] = { COUNT_NO_CHAIN, COUNT_USER, COUNT_KERNEL };
	size_t nr = p->layout->open;

	if (p->layout->open)
		strbuf_addstr(p->out, "[open]");
	for (size_t k = 0; k < 3; k++)
		for (size_t i = p->keys->nr_pair; i < p->keys->nr; i++) {
			const struct count_part *part = &p->keys->parts[i];

			if (part->source.chain != order[k] ||
			    (part->source.chain && !count_part_number(part, row->key)))
				continue;
			if (nr++)
				strbuf_addch(p->out, ';');
			key_add_part(p, part, row->key, p->out);
		}
	strbuf_addf(p->out, " %" PRIu64 "\n", p->keys->has_value ? row->sum : row->count);
}

void key_counts_add_text(const struct key_layout *layout, const char *name,
			 const struct count_keys *keys, const struct key_list *list,
			 const uint64_t *time, struct strbuf *out)
{
	const struct key_print p = { layout, name, keys, list, time, out };
	bool steps = key_counts_has_steps(keys);
	size_t nr = steps ? list->nr : key_nr_shown(&p, list->nr);
	locale_t old, locale = number_locale_begin(layout->form == STAT_FORM_TEXT, &old);

	if (layout->form == STAT_FORM_TEXT) {
		key_add_heading(&p);
		if (steps)
			key_add_histograms(&p);
		else
			key_add_table(&p);
		nr = 0;
	}
	/* A histogram is never cut in two. */
	for (size_t i = 0; i < nr; i++) {
		if (layout->form == STAT_FORM_CSV)
			key_add_csv_row(&p, &list->rows[i]);
		else if (layout->form == STAT_FORM_FOLDED)
			key_add_folded_row(&p, &list->rows[i]);
		else
			key_add_json_row(&p, &list->rows[i]);
	}
	number_locale_end(locale, old);
}

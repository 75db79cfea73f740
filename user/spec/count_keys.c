// SPDX-License-Identifier: GPL-2.0
#include "spec/count_keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/number.h"
#include "spec/caret.h"
#include "spec/filter_expr.h"

/* One item of a list, while it is parsed. */
struct count_word {
	const char *list;		/* the whole list, for errors */
	size_t pos;			/* of the item in it */
	char name[128];
	char *modifier;			/* behind the dot; NULL: none */
};

static void count_part_deinit(struct count_part *part)
{
	free(part->name);
}

void count_keys_deinit(struct count_keys *keys)
{
	for (size_t i = 0; i < keys->nr; i++)
		count_part_deinit(&keys->parts[i]);
	count_part_deinit(&keys->value);
	*keys = (struct count_keys){ 0 };
}

static struct error *count_unknown_field(const struct count_word *word,
					 const struct event_format *format)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < format->nr_fields; i++)
		if (!format->fields[i].is_common)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", format->fields[i].name);
	return error_hint(caret_error(word->list, word->pos, "%s:%s has no field '%s'",
				      format->system, format->name, word->name),
			  "Its fields are: %s; all events have cpu, comm, pid, tid, uid, cgroup, "
			  "ppid, kstack, ustack", strbuf_str(&names));
}

/* Set the part's size in the key.  Error: the field cannot be in a key. */
static struct error *count_measure(const struct count_word *word, const struct field *field,
				   struct count_part *part)
{
	switch (field->kind) {
	case FIELD_INTEGER:
		part->size = sizeof(uint64_t);
		part->is_signed = field->is_signed;
		return NULL;
	case FIELD_STRING:
		part->is_text = true;
		part->size = (field->size + 7) & ~7U;
		return NULL;
	case FIELD_DYNAMIC_STRING:
	case FIELD_REL_STRING:
		part->is_text = true;
		part->size = COUNT_DYNAMIC_TEXT;
		return NULL;
	default:
		return error_hint(caret_error(word->list, word->pos, "'%s' is an array (%s) and "
					      "cannot be counted by", field->name, field->type),
				  "Only numbers and strings can be counted by");
	}
}

static struct error *count_find(const struct count_word *word, const struct event_format *format,
				bool latency, struct count_part *part)
{
	if (latency && !strcmp(word->name, "latency")) {
		part->source.latency = true;
		part->size = sizeof(uint64_t);
		return NULL;
	}
	/* As in filters, the event's own fields take precedence over common fields. */
	part->source.field = event_format_field(format, word->name);
	if (part->source.field)
		return count_measure(word, part->source.field, part);
	part->source.chain = !strcmp(word->name, "kstack") ? COUNT_KERNEL :
			     !strcmp(word->name, "ustack") ? COUNT_USER : COUNT_NO_CHAIN;
	if (part->source.chain) {
		part->size = sizeof(uint64_t);
		return NULL;
	}
	part->source.common = filter_find_common(word->name);
	if (!part->source.common)
		return count_unknown_field(word, format);
	part->is_text = part->source.common->type == COMMON_TEXT;
	part->is_signed = part->source.common->type == COMMON_SIGNED;
	part->is_hex = part->source.common->type == COMMON_FLAGS;
	part->size = part->source.common->size;
	return NULL;
}

static struct error *count_modify(const struct count_word *word, struct count_part *part)
{
	if (!word->modifier)
		return NULL;
	if (part->is_text || part->source.chain)
		return caret_error(word->list, word->pos, "'%s' is a %s, and .%s is for numbers",
				   word->name, part->is_text ? "string" : "call chain",
				   word->modifier);
	if (!strcmp(word->modifier, "log2"))
		part->is_step = true;
	else if (!strcmp(word->modifier, "hex"))
		part->is_hex = true;
	else
		return error_hint(caret_error(word->list, word->pos, "There is no .%s",
					      word->modifier),
				  ".log2 makes steps of a histogram, .hex prints numbers in "
				  "hexadecimal");
	return NULL;
}

/* Parse a field's name and its modifier.  @latency: the name may be "latency". */
static struct error *count_parse(struct count_word *word, const struct event_format *format,
				 bool latency, struct count_part *ret)
{
	struct count_part part = { 0 };
	struct error *err;

	part.name = strdup(word->name);
	word->modifier = strchr(word->name, '.');
	if (word->modifier)
		*word->modifier++ = '\0';
	if (!part.name)
		return &error_no_memory;
	err = count_find(word, format, latency, &part);
	if (!err)
		err = count_modify(word, &part);
	if (err) {
		free(part.name);
		return err;
	}
	*ret = part;
	return NULL;
}

static struct error *count_append(struct count_keys *keys, const struct count_word *word,
				  const struct count_part *part, bool pair)
{
	uint32_t *bytes = pair ? &keys->pair_bytes : &keys->key_bytes;
	uint32_t max = pair ? COUNT_MAX_PAIR : COUNT_MAX_KEY;
	struct count_part *own = &keys->parts[keys->nr];

	if (keys->nr == COUNT_MAX_PARTS)
		return caret_error(word->list, word->pos, "There can be %d fields at most",
				   COUNT_MAX_PARTS);
	if (*bytes + part->size > max)
		return caret_error(word->list, word->pos, "The fields take more than the %u bytes "
				   "that the module compares", max);
	*own = *part;
	own->offset = *bytes;
	*bytes += part->size;
	keys->nr++;
	return NULL;
}

/*
 * Parse a name with "start.": append the field to the start's own parts, where its value is kept
 * until the end.
 */
static struct error *count_parse_start(struct count_keys *keys, const struct count_word *word,
				       struct count_part *ret)
{
	struct count_word own = *word;
	struct count_part part = { 0 };
	struct error *err;
	char *name;

	if (!keys->start_keys)
		return error_hint(caret_error(word->list, word->pos, "'%s' is for events that have a "
					      "start", word->name),
				  "--latency START,END,FIELDS names the start");
	memmove(own.name, own.name + strlen("start."), strlen(own.name + strlen("start.")) + 1);
	err = count_parse(&own, keys->start_format, false, &part);
	if (err)
		return err;
	name = strdup(word->name);
	if (!name) {
		count_part_deinit(&part);
		return &error_no_memory;
	}
	err = count_append(keys->start_keys, word, &part, false);
	if (err) {
		count_part_deinit(&part);
		free(name);
		return err;
	}
	part.name = name;
	part.source.of_start = true;
	part.source.start_part = keys->start_keys->nr - 1;
	*ret = part;
	return NULL;
}

static struct error *count_parse_any(struct count_keys *keys, const struct event_format *format,
				     struct count_word *word, bool latency, struct count_part *ret)
{
	return strncmp(word->name, "start.", strlen("start.")) ?
		count_parse(word, format, latency, ret) : count_parse_start(keys, word, ret);
}

/* Cut the next item out of a list; false: the list is over, or *err. */
static bool count_next_word(const char **at, struct count_word *word, struct error **err)
{
	size_t len = strcspn(*at, ",");

	word->pos = *at - word->list;
	if (!len || len >= sizeof(word->name)) {
		*err = caret_error(word->list, word->pos, len ? "The name is too long" :
				   "A field name is missing");
		return false;
	}
	memcpy(word->name, *at, len);
	word->name[len] = '\0';
	*at += len;
	return true;
}

static struct error *count_add_list(struct count_keys *keys, const struct event_format *format,
				    const char *text, bool pair)
{
	struct count_word word = { .list = text };
	struct error *err = NULL;

	for (const char *at = text; count_next_word(&at, &word, &err); at++) {
		struct count_part part = { 0 };

		err = count_parse_any(keys, format, &word, !pair && keys->role == COUNT_END, &part);
		if (err)
			return err;
		err = count_append(keys, &word, &part, pair);
		if (err) {
			count_part_deinit(&part);
			return err;
		}
		if (!*at)
			break;
	}
	return err;
}

struct error *count_keys_add(struct count_keys *keys, const struct event_format *format,
			     const char *text)
{
	return count_add_list(keys, format, text, false);
}

struct error *count_keys_add_pair(struct count_keys *keys, const struct event_format *format,
				  const char *text)
{
	struct error *err = count_add_list(keys, format, text, true);

	keys->nr_pair = keys->nr;
	return err;
}

/* Parse a single number. */
static struct error *count_parse_number(struct count_keys *keys, const struct event_format *format,
					const char *name, struct count_word *word,
					struct count_part *ret)
{
	struct error *err;

	*word = (struct count_word){ .list = name };
	snprintf(word->name, sizeof(word->name), "%s", name);
	err = count_parse_any(keys, format, word, keys->role == COUNT_END, ret);
	if (err || (!ret->is_text && !ret->source.chain))
		return err;
	err = caret_error(name, 0, "'%s' is a %s, not a number", name,
			  ret->is_text ? "string" : "call chain");
	count_part_deinit(ret);
	*ret = (struct count_part){ 0 };
	return err;
}

struct error *count_keys_add_steps(struct count_keys *keys, const struct event_format *format,
				   const char *name)
{
	struct count_part part = { 0 };
	struct count_word word;
	struct error *err;

	err = count_parse_number(keys, format, name, &word, &part);
	if (err)
		return err;
	part.is_step = true;
	err = count_append(keys, &word, &part, false);
	if (err)
		count_part_deinit(&part);
	return err;
}

struct error *count_keys_set_value(struct count_keys *keys, const struct event_format *format,
				   const char *name)
{
	struct count_word word;
	struct error *err;

	count_part_deinit(&keys->value);
	keys->value = (struct count_part){ 0 };
	err = count_parse_number(keys, format, name, &word, &keys->value);
	if (!err && keys->value.is_step)
		return caret_error(name, 0, "A value is a number itself, not its step");
	keys->has_value = !err;
	keys->value.size = 0;
	return err;
}

bool count_keys_have_chains(const struct count_keys *keys)
{
	for (size_t i = 0; i < keys->nr; i++)
		if (keys->parts[i].source.chain)
			return true;
	return false;
}

bool count_keys_have_start(const struct count_keys *keys)
{
	for (size_t i = 0; i < keys->nr; i++)
		if (keys->parts[i].source.of_start)
			return true;
	return keys->has_value && keys->value.source.of_start;
}

/* ---- the contents of a key ----------------------------------------------------- */

uint64_t count_part_number(const struct count_part *part, const void *key)
{
	uint64_t number;

	memcpy(&number, (const char *)key + part->offset, sizeof(number));
	return number;
}

void count_step_bounds(uint64_t step, uint64_t *low, uint64_t *high)
{
	*low = *high = 0;
	if (step == COUNT_STEP_NEGATIVE || step > 64)
		return;
	*low = step ? 1ULL << (step - 1) : 0;
	*high = step > 63 ? UINT64_MAX : 1ULL << step;
}

/* Powers of two are shown in bpftrace's style: 4K is 4096. */
static void count_add_power(uint64_t number, struct strbuf *out)
{
	static const char units[] = "KMGTPE";
	int unit = -1;

	while (number >= 1024 && !(number % 1024) && units[unit + 1]) {
		number /= 1024;
		unit++;
	}
	strbuf_addf(out, "%" PRIu64, number);
	if (unit >= 0)
		strbuf_addf(out, "%c", units[unit]);
}

void count_step_add_text(uint64_t step, struct strbuf *out)
{
	uint64_t low, high;

	count_step_bounds(step, &low, &high);
	if (step == COUNT_STEP_NEGATIVE) {
		strbuf_addstr(out, "(..., 0)");
	} else if (step < 2) {
		strbuf_addf(out, "[%" PRIu64 "]", low);
	} else {
		strbuf_addstr(out, "[");
		count_add_power(low, out);
		strbuf_addstr(out, ", ");
		if (step > 63)
			strbuf_addstr(out, "...");
		else
			count_add_power(high, out);
		strbuf_addstr(out, ")");
	}
}

static const char *count_name_of(const struct field *field, uint64_t number)
{
	if (!field || !field->is_symbolic)
		return NULL;
	for (size_t i = 0; i < field->nr_names; i++)
		if (field->names[i].value == number)
			return field->names[i].name;
	return NULL;
}

void count_part_add_text(const struct count_part *part, const void *key, struct strbuf *out)
{
	const char *text = (const char *)key + part->offset, *name;
	size_t from = out->len;
	uint64_t number;

	if (part->is_text) {
		strbuf_add(out, text, strnlen(text, part->size));
		escape_controls(out, from);
		return;
	}
	number = count_part_number(part, key);
	name = part->is_hex ? NULL : count_name_of(part->source.field, number);
	if (part->is_step)
		count_step_add_text(number, out);
	else if (name)
		strbuf_addstr(out, name);
	else if (part->is_hex || (part->source.field && part->source.field->is_pointer))
		strbuf_addf(out, "0x%" PRIx64, number);
	else if (part->is_signed)
		number_add_signed(out, (int64_t)number, 0, ' ');
	else
		number_add_unsigned(out, number, 0, ' ');
}

// SPDX-License-Identifier: GPL-2.0
#include "made_up.h"

#include <string.h>

static uint64_t next_random(struct made_up *m)
{
	m->state ^= m->state << 13;
	m->state ^= m->state >> 7;
	m->state ^= m->state << 17;
	return m->state;
}

void made_up_seed(struct made_up *m, uint64_t seed)
{
	m->state = seed * 0x9E3779B97F4A7C15ULL | 1;
}

static uint64_t random_number(struct made_up *m)
{
	switch (next_random(m) % 8) {
	case 0:
		return 0;
	case 1:
		return next_random(m) % 16;
	case 2:
		return 1ULL << (next_random(m) % 64);
	case 3:
		return -(next_random(m) % 200);
	case 4:
	case 5:
		if (m->nr_functions)
			return m->functions[next_random(m) % m->nr_functions] + next_random(m) % 9;
		/* fall through */
	case 6:
		return next_random(m) % 100000;
	default:
		return next_random(m);
	}
}

static uint64_t make_number(struct made_up *m, enum made_up_kind kind)
{
	return kind == MADE_UP_ZEROS ? 0 : kind == MADE_UP_ONES ? ~0ULL : random_number(m);
}

/* At most @max bytes, with a NUL where there is room. */
static size_t make_text(struct made_up *m, enum made_up_kind kind, char *to, size_t max)
{
	static const char *const words[] = { "", "a", "sda1", "kworker/0:1", "eth0", "\xc3\xa4\xff",
		"/usr/bin/with space", "0123456789abcdef0123456789abcdef", "100%", "back\\slash" };
	const char *word = kind == MADE_UP_ZEROS ? "" : kind == MADE_UP_ONES ? "1" :
			   words[next_random(m) % (sizeof(words) / sizeof(words[0]))];
	size_t len = strlen(word) + 1;

	if (kind == MADE_UP_LONG) {
		memset(to, 'x', max);
		return max;
	}
	if (len > max)
		len = max;
	memcpy(to, word, len);
	return len;
}

static void fill_array(struct made_up *m, enum made_up_kind kind, char *to, size_t size,
		       size_t element)
{
	if (element != 1 && element != 2 && element != 4 && element != 8)
		element = 1;
	for (size_t i = 0; i + element <= size; i += element) {
		uint64_t value = make_number(m, kind);

		memcpy(to + i, &value, element);
	}
}

/* Place the dynamic array of @field behind the used bytes. */
static void fill_dynamic(struct made_up *m, enum made_up_kind kind, const struct field *field,
			 char *raw, size_t *used)
{
	bool is_string = field->kind == FIELD_DYNAMIC_STRING || field->kind == FIELD_REL_STRING;
	size_t len, from = *used;
	uint32_t where;

	if (is_string) {
		len = make_text(m, kind, raw + from, 200);
		raw[from + len - 1] = '\0';
	} else {
		size_t element = field->element_size ? field->element_size : 8;
		size_t nr = kind == MADE_UP_ZEROS ? 0 : kind == MADE_UP_ONES ? 1 :
			    kind == MADE_UP_LONG ? 64 / element : next_random(m) % 5;

		len = element * nr;
		fill_array(m, kind, raw + from, len, element);
	}
	where = len << 16 | from;
	if (field->kind >= FIELD_REL_STRING)
		where = len << 16 | (from - field->offset - 4);
	memcpy(raw + field->offset, &where, 4);
	*used += len;
}

uint32_t made_up_record(struct made_up *m, enum made_up_kind kind,
			const struct event_format *format, char *raw)
{
	size_t used = (format->record_size + 7) & ~7U;

	memset(raw, 0, MADE_UP_MAX);
	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];
		uint64_t value;

		switch (field->kind) {
		case FIELD_INTEGER:
			value = !strcmp(field->name, "common_type") ? format->id :
								      make_number(m, kind);
			memcpy(raw + field->offset, &value, field->size);
			break;
		case FIELD_STRING:
			make_text(m, kind, raw + field->offset, field->size);
			break;
		case FIELD_ARRAY:
			fill_array(m, kind, raw + field->offset, field->size, field->element_size);
			break;
		default:
			fill_dynamic(m, kind, field, raw, &used);
			break;
		}
	}
	/* As the kernel: with its own u32 size, a multiple of 8. */
	return ((used + 4 + 7) & ~7U) - 4;
}

bool made_up_is_usable(const struct event_format *format)
{
	size_t dynamic = 0;

	for (size_t i = 0; i < format->nr_fields; i++)
		dynamic += format->fields[i].kind >= FIELD_DYNAMIC_STRING ? 200 : 0;
	return format->record_size + dynamic < MADE_UP_MAX - 512 && strcmp(format->system, "ftrace");
}

bool made_up_next_format(char **at, struct made_up_format *ret)
{
	char *line = *at, *end, *next;

	if (strncmp(line, "# ", 2) || !(end = strchr(line, '\n')))
		return false;
	*end++ = '\0';
	next = strstr(end, "\n# ");
	*ret = (struct made_up_format){
		.system = line + 2,
		.text = end,
		.len = next ? (size_t)(next + 1 - end) : strlen(end),
	};
	*at = end + ret->len;
	return true;
}

// SPDX-License-Identifier: GPL-2.0
#include "format/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/number.h"

enum kind {
	ITEM_LITERAL, ITEM_NUMBER, ITEM_TEXT, ITEM_POINTER, ITEM_FUNCTION, ITEM_ADDRESS, ITEM_BYTES,
};

/* Literals up to this size are copied with this fixed size. */
#define LITERAL_SHORT	16

/* The longest "%..." that is supported. */
#define SPEC_MAX	32

struct item {
	enum kind kind;
	char conversion;	/* d i u x X o */
	bool plain;		/* a constant width without flags: printed without printf() */
	bool with_offset;	/* %pS: name+0x1 */
	bool is_size;		/* %z: perf prints its low 32 bits as a large number */
	int8_t longs;		/* -2 char, -1 short, 0 int, 1 long, 2 long long */
	char pad;
	char delimiter;		/* between bytes; NUL: none */
	unsigned int width;
	char spec[SPEC_MAX];	/* as written, for printf() */
	const char *literal;	/* borrowed from program->literals */
	size_t literal_len;
	struct print_width placed;
	struct print_value *star;	/* the argument of '*'; NULL: none */
	bool star_is_precision;
	struct print_value *value;
	bool is_stored;			/* for numbers: the value is stored at offset */
	uint8_t size;
	uint32_t offset;
	struct print_text *text;
	struct print_address *address;
	struct print_bytes bytes;
};

struct print_program {
	struct item *items;
	size_t nr, alloc;
	char *literals;
	size_t literals_len;
};

/* The state while a print fmt is compiled. */
struct builder {
	struct print_program *program;
	const struct print_target *target;
	const struct print_node *arg;	/* the next one; NULL: no more */
	size_t literal_start;
};

static void item_deinit(struct item *item)
{
	print_value_destroy(item->star);
	print_value_destroy(item->value);
	print_text_destroy(item->text);
	print_address_destroy(item->address);
}

void print_program_destroy(struct print_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->nr; i++)
		item_deinit(&program->items[i]);
	free(program->items);
	free(program->literals);
	free(program);
}

static void add_literal(struct builder *b, char c)
{
	b->program->literals[b->program->literals_len++] = c;
}

static bool end_literal(struct builder *b)
{
	struct print_program *program = b->program;
	struct item item = {
		.kind = ITEM_LITERAL,
		.literal = program->literals + b->literal_start,
		.literal_len = program->literals_len - b->literal_start,
	};

	b->literal_start = program->literals_len;
	return !item.literal_len || array_push(program, item);
}

static char unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return c;
	}
}

static const struct print_node *next_arg(struct builder *b)
{
	const struct print_node *arg = b->arg;

	if (arg)
		b->arg = arg->next;
	return arg;
}

static struct print_value *next_value(struct builder *b)
{
	const struct print_node *arg = next_arg(b);

	return arg ? print_value_create(b->target, arg) : NULL;
}

/* Parse the flags, width and precision, if they are constants. */
static void take_placement(struct item *item)
{
	const char *p = item->spec + 1;
	bool other = false;

	item->pad = ' ';
	item->placed.precision = -1;
	for (; *p && strchr("-+ #0", *p); p++) {
		if (*p == '-')
			item->placed.left = true;
		else if (*p == '0')
			item->pad = '0';
		else
			other = true;
	}
	if (*p == '*')
		p++;
	item->width = strtoul(p, (char **)&p, 10);
	item->placed.width = item->width;
	if (*p == '.') {
		other = true;
		p++;
		item->placed.precision = *p == '*' ? -1 : (int)strtoul(p, NULL, 10);
	}
	item->plain = !other && !item->placed.left && !item->star && item->width < 64;
}

static bool take_number(struct builder *b, struct item *item)
{
	item->kind = ITEM_NUMBER;
	item->value = next_value(b);
	item->is_stored = item->value &&
		print_value_is_stored(item->value, &item->offset, &item->size);
	return item->value;
}

static bool take_text(struct builder *b, struct item *item)
{
	const struct print_node *arg = next_arg(b);

	item->kind = ITEM_TEXT;
	item->text = arg ? print_text_create(b->target, arg) : NULL;
	return item->text;
}

/* Compile "%*ph" or "%6phC", which print bytes as hex digits. */
static bool print_take_bytes(struct builder *b, const struct print_node *arg, char letter,
			     struct item *item, size_t *ret_used)
{
	item->kind = ITEM_BYTES;
	item->delimiter = letter == 'C' ? ':' : letter == 'D' ? '-' : letter == 'N' ? '\0' : ' ';
	*ret_used = item->delimiter == ' ' ? 1 : 2;
	return print_bytes_of(b->target, arg, &item->bytes);
}

/* Compile the letters behind "%p"; *ret_used is the number of letters that are used. */
static bool take_pointer(struct builder *b, struct item *item, const char *letters,
			 size_t *ret_used)
{
	const struct print_node *arg = next_arg(b);

	*ret_used = 0;
	if (!arg)
		return false;
	if (*letters && strchr("FfSs", *letters)) {
		item->kind = ITEM_FUNCTION;
		item->with_offset = *letters == 'F' || *letters == 'S';
		*ret_used = 1;
		item->value = print_value_create(b->target, arg);
		return item->value;
	}
	if (*letters == 'h')
		return print_take_bytes(b, arg, letters[1], item, ret_used);
	item->kind = ITEM_ADDRESS;
	item->address = print_address_create(b->target, arg, letters, ret_used);
	if (item->address)
		return true;
	if (*ret_used)
		return false;
	item->kind = ITEM_POINTER;
	item->value = print_value_create(b->target, arg);
	return item->value;
}

/* Compile one "%..." at @p.  Returns its end, or NULL if it is not supported. */
static const char *take_spec(struct builder *b, const char *p)
{
	struct item item = { 0 };
	const char *start = p++;
	size_t used = 0;
	bool ok;

	for (;; p++) {
		if (*p == 'h')
			item.longs--;
		else if (*p == 'l')
			item.longs++;
		else if (*p == 'L')
			item.longs = 2;
		else if (*p == 'z' || *p == 'Z')
			item.is_size = true;
		else if (*p == '*') {
			if (item.star)
				goto err_free;
			item.star = next_value(b);
			item.star_is_precision = p[-1] == '.';
			if (!item.star)
				goto err_free;
		} else if (!*p || !strchr("#-. +0123456789", *p))
			break;
	}
	if (*p == '%') {
		add_literal(b, '%');
		item_deinit(&item);
		return p + 1;
	}
	if (!*p || p + 1 - start >= SPEC_MAX || item.longs < -2 || item.longs > 2)
		goto err_free;
	if (!strchr("diuxXops", *p)) {
		/* perf shows an unknown conversion like this, and does not consume the argument. */
		add_literal(b, '>');
		add_literal(b, *p);
		add_literal(b, '<');
		item_deinit(&item);
		return p + 1;
	}
	if (!end_literal(b))
		goto err_free;
	item.conversion = *p;
	memcpy(item.spec, start, p + 1 - start);
	take_placement(&item);
	switch (*p++) {
	case 's':
		ok = take_text(b, &item);
		break;
	case 'p':
		ok = take_pointer(b, &item, p, &used);
		p += used;
		break;
	default:
		ok = take_number(b, &item);
		break;
	}
	if (ok && array_push(b->program, item))
		return p;
err_free:
	item_deinit(&item);
	return NULL;
}

static bool print_build(struct builder *b, const char *p)
{
	while (p && *p) {
		if (*p == '\\' && p[1]) {
			add_literal(b, unescape(p[1]));
			p += 2;
		} else if (*p == '%') {
			p = take_spec(b, p);
		} else {
			add_literal(b, *p++);
		}
	}
	return p && end_literal(b);
}

struct print_program *print_program_create(const struct print_target *target,
					   const struct print_tree *tree)
{
	struct builder b = { .target = target, .arg = tree->args };

	b.program = calloc(1, sizeof(*b.program));
	if (!b.program)
		return NULL;
	/* Only an unknown conversion gets longer: "%c" becomes ">c<", one byte more. */
	b.program->literals = calloc(1, 2 * strlen(tree->format) + 1 + LITERAL_SHORT);
	if (!b.program->literals || !print_build(&b, tree->format)) {
		print_program_destroy(b.program);
		return NULL;
	}
	return b.program;
}

bool print_program_stands_alone(const struct print_program *program)
{
	for (size_t i = 0; i < program->nr; i++) {
		const struct item *item = &program->items[i];

		if (item->kind == ITEM_FUNCTION || (item->text && print_text_asks(item->text)))
			return false;
	}
	return true;
}

static void add_printf(const struct item *item, int64_t value, int star, struct strbuf *out)
{
	bool wide = item->longs > 0 || item->is_size;
	char text[256];
	int len;

/* take_spec() has checked the spec, so it is safe as a format. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (item->star && wide)
		len = snprintf(text, sizeof(text), item->spec, star, (long long)value);
	else if (item->star)
		len = snprintf(text, sizeof(text), item->spec, star, (int)value);
	else if (wide)
		len = snprintf(text, sizeof(text), item->spec, (long long)value);
	else
		len = snprintf(text, sizeof(text), item->spec, (int)value);
#pragma GCC diagnostic pop
	if (len > 0)
		strbuf_add(out, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

/* Truncate the value to the size that the length modifiers give. */
static int64_t print_cut(uint64_t value, int longs)
{
	switch (longs) {
	case -2:
		return (signed char)value;
	case -1:
		return (short)value;
	case 0:
		return (int)value;
	default:
		return value;
	}
}

static void print_add_number(const struct item *item, const struct print_record *record,
			     struct strbuf *out)
{
	int64_t value = item->is_stored ? print_read_number(record, item->offset, item->size) :
					  print_value_get(item->value, record);

	value = item->is_size ? (uint32_t)value : print_cut(value, item->longs);
	if (!item->plain) {
		add_printf(item, value, item->star ? print_value_get(item->star, record) : 0, out);
		return;
	}
	switch (item->conversion) {
	case 'd':
	case 'i':
		number_add_signed(out, value, item->width, item->pad);
		break;
	case 'u':
		number_add_unsigned(out, item->longs > 0 || item->is_size ? (uint64_t)value :
				    item->longs == 0 ? (uint32_t)value :
				    item->longs == -1 ? (uint16_t)value : (uint8_t)value,
				    item->width, item->pad);
		break;
	case 'x':
		number_add_hex(out, item->longs > 0 ? (uint64_t)value :
			       item->longs == 0 ? (uint32_t)value :
			       item->longs == -1 ? (uint16_t)value : (uint8_t)value,
			       item->width, item->pad);
		break;
	default:
		add_printf(item, value, 0, out);
	}
}

static void print_add_text(const struct item *item, const struct print_record *record,
			   const struct print_context *context, struct strbuf *out)
{
	struct print_width width = item->placed;
	int star;

	if (item->star) {
		star = print_value_get(item->star, record);
		if (item->star_is_precision)
			width.precision = star;
		else
			width.width = star;
	}
	print_text_add(item->text, record, &width, context->text, context->owner, out);
}

static void add_hex_address(uint64_t value, struct strbuf *out)
{
	strbuf_add(out, "0x", 2);
	number_add_hex(out, value, 0, ' ');
}

static void add_function(const struct item *item, const struct print_record *record,
			 const struct print_context *context, struct strbuf *out)
{
	uint64_t value = print_value_get(item->value, record), start = value;
	const char *name = context->function(context->owner, value, &start);

	if (!name) {
		add_hex_address(value, out);
		return;
	}
	strbuf_addstr(out, name);
	if (item->with_offset) {
		strbuf_addch(out, '+');
		add_hex_address(value - start, out);
	}
}

static void add_pointer(const struct item *item, const struct print_record *record,
			struct strbuf *out)
{
	uint64_t value = print_value_get(item->value, record);

	if (value)
		add_hex_address(value, out);
	else
		strbuf_addstr(out, "(nil)");
}

/* Append as many bytes as the width, or one without a width, but only within a dynamic array. */
static void print_add_bytes(const struct item *item, const struct print_record *record,
			    struct strbuf *out)
{
	int32_t count = item->star ? (int32_t)print_value_get(item->star, record) :
			item->width ? (int32_t)item->width : 1;
	size_t size;
	const char *data = item->bytes.is_dynamic ?
		print_dynamic(record, item->bytes.offset, item->bytes.is_relative, &size) :
		print_bytes_find(&item->bytes, record, &size);

	for (int32_t i = 0; i < count && (size_t)i < size; i++) {
		if (i && item->delimiter)
			strbuf_addch(out, item->delimiter);
		number_add_hex(out, (unsigned char)data[i], 2, '0');
	}
}

/* Most literals are short, so we copy a fixed size; the next text overwrites the excess. */
static void add_literal_text(const struct item *item, struct strbuf *out)
{
	if (item->literal_len > LITERAL_SHORT || !strbuf_reserve(out, LITERAL_SHORT)) {
		strbuf_add(out, item->literal, item->literal_len);
		return;
	}
	memcpy(out->data + out->len, item->literal, LITERAL_SHORT);
	out->len += item->literal_len;
	out->data[out->len] = '\0';
}

void print_program_run(const struct print_program *program, const struct print_record *record,
		       const struct print_context *context, struct strbuf *out)
{
	for (size_t i = 0; i < program->nr; i++) {
		const struct item *item = &program->items[i];

		switch (item->kind) {
		case ITEM_LITERAL:
			add_literal_text(item, out);
			break;
		case ITEM_NUMBER:
			print_add_number(item, record, out);
			break;
		case ITEM_TEXT:
			print_add_text(item, record, context, out);
			break;
		case ITEM_POINTER:
			add_pointer(item, record, out);
			break;
		case ITEM_FUNCTION:
			add_function(item, record, context, out);
			break;
		case ITEM_ADDRESS:
			print_address_add(item->address, record, out);
			break;
		case ITEM_BYTES:
			print_add_bytes(item, record, out);
			break;
		}
	}
}

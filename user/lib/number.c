// SPDX-License-Identifier: GPL-2.0
#include "lib/number.h"

#include <string.h>

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

#define DIGITS_MAX	20

/* Digits of @value before @end; where they begin. */
static char *digits_before(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, pairs + value * 2, 2);
	} else {
		*--end = '0' + value;
	}
	return end;
}

static void add_padded(struct strbuf *sb, const char *text, size_t len, unsigned int width,
		       char pad)
{
	size_t fill = width > len ? width - len : 0;
	char *to;

	if (!strbuf_reserve(sb, fill + len))
		return;
	to = sb->data + sb->len;
	memset(to, pad, fill);
	memcpy(to + fill, text, len);
	to[fill + len] = '\0';
	sb->len += fill + len;
}

void number_add_unsigned(struct strbuf *sb, uint64_t value, unsigned int width, char pad)
{
	char text[DIGITS_MAX], *end = text + sizeof(text);
	char *start = digits_before(end, value);

	add_padded(sb, start, end - start, width, pad);
}

void number_add_signed(struct strbuf *sb, int64_t value, unsigned int width, char pad)
{
	char text[DIGITS_MAX + 1], *end = text + sizeof(text);
	char *start;

	if (value >= 0) {
		number_add_unsigned(sb, value, width, pad);
		return;
	}
	start = digits_before(end, -(uint64_t)value);
	if (pad == '0') {
		/* The sign stands before the zeros. */
		strbuf_addch(sb, '-');
		add_padded(sb, start, end - start, width ? width - 1 : 0, pad);
		return;
	}
	*--start = '-';
	add_padded(sb, start, end - start, width, pad);
}

void number_add_hex(struct strbuf *sb, uint64_t value, unsigned int width, char pad)
{
	char text[16], *start = text + sizeof(text), *end = start;

	do {
		*--start = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	add_padded(sb, start, end - start, width, pad);
}

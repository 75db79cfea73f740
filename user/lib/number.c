// SPDX-License-Identifier: GPL-2.0
#include "lib/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

#define HEX_ROW(high) \
	high "0" high "1" high "2" high "3" high "4" high "5" high "6" high "7" \
	high "8" high "9" high "a" high "b" high "c" high "d" high "e" high "f"

static const char hex_pairs[] =
	HEX_ROW("0") HEX_ROW("1") HEX_ROW("2") HEX_ROW("3")
	HEX_ROW("4") HEX_ROW("5") HEX_ROW("6") HEX_ROW("7")
	HEX_ROW("8") HEX_ROW("9") HEX_ROW("a") HEX_ROW("b")
	HEX_ROW("c") HEX_ROW("d") HEX_ROW("e") HEX_ROW("f");

static const uint64_t powers[] = {
	0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
	100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
	10000000000000000, 100000000000000000, 1000000000000000000, 10000000000000000000U,
};

static unsigned int count_bits(uint64_t value)
{
	return 64 - __builtin_clzll(value | 1);
}

static unsigned int count_digits(uint64_t value)
{
	/* log10(2) is 1233 / 4096, nearly. */
	unsigned int least = count_bits(value) * 1233 >> 12;

	return least + (value >= powers[least]);
}

/* Write the digits of @value so that they end at @end; the caller has made room. */
static void put_digits(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10)
		memcpy(end - 2, pairs + value * 2, 2);
	else
		end[-1] = '0' + value;
}

/* Append the padding and @len uninitialised characters, and return where those begin. */
static char *add_room(struct strbuf *sb, size_t len, unsigned int width, char pad)
{
	size_t fill = width > len ? width - len : 0;
	char *to;

	if (!strbuf_reserve(sb, fill + len))
		return NULL;
	to = sb->data + sb->len;
	for (size_t i = 0; i < fill; i++)
		to[i] = pad;
	to[fill + len] = '\0';
	sb->len += fill + len;
	return to + fill;
}

void number_add_unsigned(struct strbuf *sb, uint64_t value, unsigned int width, char pad)
{
	unsigned int len = count_digits(value);
	char *to = add_room(sb, len, width, pad);

	if (to)
		put_digits(to + len, value);
}

void number_add_digits(struct strbuf *sb, uint64_t value, unsigned int digits)
{
	char *to;

	if (!strbuf_reserve(sb, digits))
		return;
	to = sb->data + sb->len;
	sb->len += digits;
	to[digits] = '\0';
	for (; digits > 1; digits -= 2, value /= 100)
		memcpy(to + digits - 2, pairs + value % 100 * 2, 2);
	if (digits)
		*to = '0' + value % 10;
}

void number_add_signed(struct strbuf *sb, int64_t value, unsigned int width, char pad)
{
	uint64_t absolute = -(uint64_t)value;
	unsigned int len;
	char *to;

	if (value >= 0) {
		number_add_unsigned(sb, value, width, pad);
		return;
	}
	if (pad == '0') {
		/* The sign comes before the padding zeros. */
		strbuf_addch(sb, '-');
		number_add_unsigned(sb, absolute, width ? width - 1 : 0, pad);
		return;
	}
	len = count_digits(absolute) + 1;
	to = add_room(sb, len, width, pad);
	if (!to)
		return;
	*to = '-';
	put_digits(to + len, absolute);
}

void number_add_hex(struct strbuf *sb, uint64_t value, unsigned int width, char pad)
{
	unsigned int len = (count_bits(value) + 3) / 4;
	char *to = add_room(sb, len, width, pad);

	if (!to)
		return;
	for (; len > 1; len -= 2, value >>= 8)
		memcpy(to + len - 2, hex_pairs + (value & 255) * 2, 2);
	if (len)
		*to = hex_pairs[value * 2 + 1];
}

void number_add_ms(struct strbuf *sb, uint64_t ns, unsigned int width)
{
	uint64_t us = ns / 1000 + (ns % 1000 > 500);

	/* Which of the two neighbours printf() takes then depends on the bits of the quotient. */
	if (ns % 1000 == 500 || ns >> 53) {
		strbuf_addf(sb, "%*.3f", (int)width, ns / 1e6);
		return;
	}
	number_add_unsigned(sb, us / 1000, width > 4 ? width - 4 : 0, ' ');
	strbuf_addch(sb, '.');
	number_add_digits(sb, us % 1000, 3);
}

void number_add_double(struct strbuf *sb, double value)
{
	char digits[32];

	/* 17 digits are enough for every double, and 15 for most that people write. */
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	strbuf_addstr(sb, digits);
	if (!strpbrk(digits, ".e"))
		strbuf_addstr(sb, ".0");
}

bool parse_u64(const char *text, unsigned long long *ret)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 0);
	return !errno && !*end;
}

locale_t number_locale_begin(bool wanted, locale_t *ret_old)
{
	locale_t locale = wanted ? newlocale(LC_NUMERIC_MASK, "", (locale_t)0) : (locale_t)0;

	*ret_old = locale ? uselocale(locale) : (locale_t)0;
	return locale;
}

void number_locale_end(locale_t locale, locale_t old)
{
	if (!locale)
		return;
	uselocale(old);
	freelocale(locale);
}

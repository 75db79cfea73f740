/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers as text.  number_add_*() append them to a strbuf.  They give the output of printf() at a
 * tenth of its cost, for lines that are printed by the million.
 */
#ifndef KTRACE_LIB_NUMBER_H
#define KTRACE_LIB_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"

/* "%*lu": at least @width characters, filled up with @pad on the left. */
void number_add_unsigned(struct strbuf *sb, uint64_t value, unsigned int width, char pad);

/* "%*ld". */
void number_add_signed(struct strbuf *sb, int64_t value, unsigned int width, char pad);

/* "%0*lu" for a value that has at most @digits digits. */
void number_add_digits(struct strbuf *sb, uint64_t value, unsigned int digits);

/* "%*lx". */
void number_add_hex(struct strbuf *sb, uint64_t value, unsigned int width, char pad);

/* "%*.3f" of @ns / 1e6: milliseconds. */
void number_add_ms(struct strbuf *sb, uint64_t ns, unsigned int width);

/*
 * Append the shortest digits that give the same finite number when they are read, always with a '.'
 * or an 'e'.
 */
void number_add_double(struct strbuf *sb, double value);

/*
 * Between these calls, printf() uses the decimal point and digit groups of the user's locale.
 * number_locale_end() takes the returned and the stored locale.  If @wanted is false, nothing
 * changes.
 */
locale_t number_locale_begin(bool wanted, locale_t *ret_old);
void number_locale_end(locale_t locale, locale_t old);

/* Parse all of @text as an unsigned number.  Returns false if it is not one. */
bool parse_u64(const char *text, unsigned long long *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts and their numbers, in the order in which they were first seen.
 */
#ifndef KTRACE_COLUMNS_DICTIONARY_H
#define KTRACE_COLUMNS_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "columns/columns.h"

struct dictionary;

struct error *dictionary_create(struct dictionary **ret);
void dictionary_destroy(struct dictionary *dictionary);

/* Give the number of a text, which is a new one if the text is; -1: out of memory. */
int32_t dictionary_number(struct dictionary *dictionary, const char *text, size_t len);

/* Give the number of a text that was seen before; -1: it was not. */
int32_t dictionary_find(const struct dictionary *dictionary, const char *text, size_t len);

/* All texts have numbers below this one. */
size_t dictionary_nr(const struct dictionary *dictionary);

/* The bytes of all texts. */
size_t dictionary_bytes(const struct dictionary *dictionary);

/* The text with a number, *len bytes; valid until the next text is added. */
const char *dictionary_text(const struct dictionary *dictionary, int32_t number, size_t *len);

/* Copy all texts so far, by number. */
struct error *dictionary_copy(const struct dictionary *dictionary, struct byte_strings *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts and their numbers, in the order of their first occurrence.
 */
#ifndef KTRACE_COLUMNS_DICTIONARY_H
#define KTRACE_COLUMNS_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "columns/columns.h"

struct dictionary;

struct error *dictionary_create(struct dictionary **ret);
void dictionary_destroy(struct dictionary *dictionary);

/* Returns the number of a text, which is added if it is new; -1: out of memory. */
int32_t dictionary_number(struct dictionary *dictionary, const char *text, size_t len);

/* Returns the number of a known text; -1: it is not known. */
int32_t dictionary_find(const struct dictionary *dictionary, const char *text, size_t len);

/* The number of texts; all their numbers are below it. */
size_t dictionary_nr(const struct dictionary *dictionary);

/* The total size of all texts, bytes. */
size_t dictionary_bytes(const struct dictionary *dictionary);

/* The text with a number, *len bytes; valid until the next text is added. */
const char *dictionary_text(const struct dictionary *dictionary, int32_t number, size_t *len);

/* Copy all current texts, by number. */
struct error *dictionary_copy(const struct dictionary *dictionary, struct byte_strings *ret);

#endif

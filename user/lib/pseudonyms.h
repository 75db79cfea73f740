/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that stand for others: the same text gets the same pseudonym, and with the same key it
 * does so every time.  Who does not have the key cannot tell what a pseudonym stands for, nor
 * whether it stands for a text that he has in mind.
 *
 * A pseudonym is made of lower-case letters and digits.  Each part of a path gets its own, so that
 * files of one folder stay together; "." and ".." stay.  It is as long as the text, or shorter.
 */
#ifndef KTRACE_LIB_PSEUDONYMS_H
#define KTRACE_LIB_PSEUDONYMS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"

struct pseudonyms;

#define PSEUDONYMS_KEY_MIN	16	/* bytes of a key */

/*
 * Make an empty collection.  The key is @size bytes at @key, or random with NULL.  EINVAL: a key is
 * too short.
 */
struct error *pseudonyms_create(const void *key, size_t size, struct pseudonyms **ret);
void pseudonyms_destroy(struct pseudonyms *pseudonyms);

/*
 * Append the pseudonym of @len bytes at @text.  There are so few short ones that two texts of one
 * or two bytes may get the same one; two longer texts of a collection never do, but which of two
 * gets which may then depend on the order in which they came.
 */
struct error *pseudonyms_add(struct pseudonyms *pseudonyms, const char *text, size_t len,
			     struct strbuf *out);

/* How many different texts, or parts of paths, have got one. */
size_t pseudonyms_count(const struct pseudonyms *pseudonyms);

#endif

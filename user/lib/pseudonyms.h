/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces names by pseudonyms.  The same text gets the same pseudonym, and with the same key it
 * does so in every run.  Without the key, nobody can find the text of a pseudonym, nor check a
 * guess.
 *
 * A pseudonym consists of lower-case letters and digits.  It is as long as the text, or shorter.
 * Each part of a path gets its own, so that files of one folder stay together; "." and ".." are
 * kept.
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
 * Create an empty collection.  The key is @size bytes at @key; with NULL it is random.  EINVAL: the
 * key is too short.
 */
struct error *pseudonyms_create(const void *key, size_t size, struct pseudonyms **ret);
void pseudonyms_destroy(struct pseudonyms *pseudonyms);

/*
 * Append the pseudonym of @len bytes at @text.  There are few short pseudonyms, so two texts of one
 * or two bytes may share one.  Longer texts of a collection never do.  If two of them collide, the
 * order in which they came decides which pseudonym each gets.
 */
struct error *pseudonyms_add(struct pseudonyms *pseudonyms, const char *text, size_t len,
			     struct strbuf *out);

/* The number of different texts, or parts of paths, that have a pseudonym. */
size_t pseudonyms_count(const struct pseudonyms *pseudonyms);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The options --redact and --redact-key, and redacted copies of recordings. */
#ifndef KTRACE_CMD_DATA_REDACTION_WORDS_H
#define KTRACE_CMD_DATA_REDACTION_WORDS_H

#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "perfdata/reader.h"
#include "perfdata/redact/redaction.h"

/* All zero: nothing is redacted. */
struct redaction_words {
	ARRAY_OF(const char *) rules;	/* borrowed strings */
	const char *key;		/* the file that holds it; NULL: a random key */
};

/* For an option table; @data is a struct redaction_words. */
struct error *redaction_words_add(void *data, const char *rule);
void redaction_words_deinit(struct redaction_words *words);

/* EINVAL: there is a key, and no rule. */
struct error *redaction_words_check(const struct redaction_words *words);

/* Create the redaction of the rules; *ret is NULL if there are no rules. */
struct error *redaction_words_create(const struct redaction_words *words, struct redaction **ret);

/*
 * Open redacted copies of all inputs as one recording.  The copies are written below $TMPDIR and
 * are already unlinked when this returns, so they end with the reader.
 */
struct error *redaction_words_open(const struct redaction_words *words,
				   const struct recording_inputs *inputs, struct reader **ret);

#define REDACTION_WORDS_OPTIONS(words) \
	OPT_CALL("redact", &(words), redaction_words_add), \
	OPT_STRING("redact-key", &(words).key)

#endif

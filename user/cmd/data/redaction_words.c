// SPDX-License-Identifier: GPL-2.0
#include "cmd/data/redaction_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/data/redacted_copy.h"
#include "lib/array.h"
#include "lib/ending.h"

struct error *redaction_words_add(void *data, const char *rule)
{
	struct redaction_words *words = data;

	return array_push(&words->rules, rule) ? NULL : &error_no_memory;
}

void redaction_words_deinit(struct redaction_words *words)
{
	free(words->rules.items);
}

struct error *redaction_words_check(const struct redaction_words *words)
{
	if (!words->key || words->rules.nr)
		return NULL;
	return error_hint(error_new(EINVAL, "--redact-key is the key of pseudonyms, and none "
				    "are wanted"), "--redact all asks for them");
}

struct error *redaction_words_create(const struct redaction_words *words, struct redaction **ret)
{
	struct error *err;

	*ret = NULL;
	if (!words->rules.nr)
		return NULL;
	err = redaction_create(words->key, ret);
	for (size_t i = 0; i < words->rules.nr && !err; i++)
		err = redaction_add_rule(*ret, words->rules.items[i]);
	return err;
}

static struct error *open_copies(const struct redaction_words *words,
				 const struct recording_inputs *inputs, struct reader **ret)
{
	_cleanup_(redaction) struct redaction *redaction = NULL;
	_cleanup_(redacted_copies) struct redacted_copies copies = REDACTED_COPIES_INIT;
	const char *only = recording_given(inputs);
	struct error *err = redaction_words_create(words, &redaction);

	if (!err)
		err = redacted_copies_create(&copies);
	if (!err && inputs->nr < 2)
		err = redacted_copies_add(&copies, redaction, only ? only : RECORDING_DEFAULT);
	for (size_t i = 0; i < inputs->nr && inputs->nr > 1 && !err; i++)
		err = redacted_copies_add(&copies, redaction, inputs->items[i]);
	if (!err)
		err = redacted_copies_open(&copies, recording_traffic(inputs), ret);
	if (!err)
		redaction_tell(redaction);
	return err;
}

struct error *redaction_words_open(const struct redaction_words *words,
				   const struct recording_inputs *inputs, struct reader **ret)
{
	struct error *err;

	/* A signal must not leave copies behind. */
	ending_begin();
	err = open_copies(words, inputs, ret);
	ending_finish();
	return err;
}

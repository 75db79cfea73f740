// SPDX-License-Identifier: GPL-2.0
#include "columns/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/strbuf.h"

struct dictionary {
	int64_t *items;		/* ends in bytes */
	size_t nr, alloc;
	struct strbuf bytes;
	int32_t *slots;		/* number + 1; 0: free */
	size_t mask;
	int32_t last;		/* the last returned number: equal texts often follow each other */
};

struct error *dictionary_create(struct dictionary **ret)
{
	struct dictionary *dictionary = calloc(1, sizeof(*dictionary));

	if (!dictionary)
		return &error_no_memory;
	dictionary->mask = 63;
	dictionary->last = -1;
	dictionary->slots = calloc(dictionary->mask + 1, sizeof(*dictionary->slots));
	if (!dictionary->slots) {
		free(dictionary);
		return &error_no_memory;
	}
	*ret = dictionary;
	return NULL;
}

void dictionary_destroy(struct dictionary *dictionary)
{
	if (!dictionary)
		return;
	free(dictionary->items);
	strbuf_deinit(&dictionary->bytes);
	free(dictionary->slots);
	free(dictionary);
}

const char *dictionary_text(const struct dictionary *dictionary, int32_t number, size_t *len)
{
	int64_t start = number ? dictionary->items[number - 1] : 0;

	*len = dictionary->items[number] - start;
	return strbuf_str(&dictionary->bytes) + start;
}

static bool is_text(const struct dictionary *dictionary, int32_t number, const char *text,
		    size_t len)
{
	const char *known;
	size_t known_len;

	known = dictionary_text(dictionary, number, &known_len);
	return known_len == len && !memcmp(known, text, len);
}

size_t dictionary_nr(const struct dictionary *dictionary)
{
	return dictionary->nr;
}

size_t dictionary_bytes(const struct dictionary *dictionary)
{
	return dictionary->bytes.len;
}

static uint64_t hash(const char *text, size_t len)
{
	uint64_t h = hash_key_bytes(text, len);

	return h ^ h >> 32;
}

static bool dictionary_grow(struct dictionary *dictionary)
{
	size_t mask = dictionary->mask * 2 + 1, len;
	int32_t *slots = calloc(mask + 1, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < dictionary->nr; i++) {
		const char *text = dictionary_text(dictionary, i, &len);
		size_t slot = hash(text, len) & mask;

		while (slots[slot])
			slot = (slot + 1) & mask;
		slots[slot] = i + 1;
	}
	free(dictionary->slots);
	dictionary->slots = slots;
	dictionary->mask = mask;
	return true;
}

/* Find the slot of the text, or a free one for it. */
static size_t dictionary_slot(const struct dictionary *dictionary, const char *text, size_t len)
{
	size_t slot = hash(text, len) & dictionary->mask;

	while (dictionary->slots[slot] &&
	       !is_text(dictionary, dictionary->slots[slot] - 1, text, len))
		slot = (slot + 1) & dictionary->mask;
	return slot;
}

int32_t dictionary_find(const struct dictionary *dictionary, const char *text, size_t len)
{
	return dictionary->slots[dictionary_slot(dictionary, text, len)] - 1;
}

int32_t dictionary_number(struct dictionary *dictionary, const char *text, size_t len)
{
	size_t slot;

	if (dictionary->last >= 0 && is_text(dictionary, dictionary->last, text, len))
		return dictionary->last;
	if (dictionary->nr * 2 > dictionary->mask && !dictionary_grow(dictionary))
		return -1;
	slot = dictionary_slot(dictionary, text, len);
	if (dictionary->slots[slot])
		return dictionary->last = dictionary->slots[slot] - 1;
	strbuf_add(&dictionary->bytes, text, len);
	if (dictionary->bytes.failed || dictionary->nr == INT32_MAX ||
	    !array_push(dictionary, (int64_t)dictionary->bytes.len))
		return -1;
	dictionary->slots[slot] = dictionary->nr;
	return dictionary->last = dictionary->nr - 1;
}

struct error *dictionary_copy(const struct dictionary *dictionary, struct byte_strings *ret)
{
	size_t nr = dictionary->nr;

	ret->offsets = calloc(nr + 1, sizeof(*ret->offsets));
	ret->bytes = malloc(dictionary->bytes.len + 1);
	ret->nr = nr;
	if (!ret->offsets || !ret->bytes)	/* freed with the column */
		return &error_no_memory;
	if (nr)
		memcpy(ret->offsets + 1, dictionary->items, nr * sizeof(*ret->offsets));
	memcpy(ret->bytes, strbuf_str(&dictionary->bytes), dictionary->bytes.len);
	return NULL;
}

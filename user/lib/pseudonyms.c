// SPDX-License-Identifier: GPL-2.0
#include "lib/pseudonyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/siphash.h"

/* Twelve of 36 characters are 62 bits, about the size of the hash. */
#define LENGTH_MAX	12

/* The number of names to try before two texts share one. */
#define TRIES	4096

struct pseudonym {
	char *text;		/* owned */
	size_t len;		/* bytes of text, which may include NUL */
	char name[LENGTH_MAX + 1];
};

struct pseudonyms {
	uint64_t key[2];
	ARRAY_OF(struct pseudonym) all;
	struct hash_table by_text, by_name;	/* positions in all */
};

struct error *pseudonyms_create(const void *key, size_t size, struct pseudonyms **ret)
{
	static const uint64_t halves[2][2] = { { 1, 2 }, { 3, 4 } };
	struct pseudonyms *p;

	if (key && size < PSEUDONYMS_KEY_MIN)
		return error_hint(error_new(EINVAL, "The key has %zu bytes, and %d are needed", size,
					    PSEUDONYMS_KEY_MIN),
				  "'head -c 32 /dev/urandom' makes one");
	p = calloc(1, sizeof(*p));
	if (!p)
		return &error_no_memory;
	for (int i = 0; key && i < 2; i++)
		p->key[i] = siphash(halves[i], 0, key, size);
	if (!key && getrandom(p->key, sizeof(p->key), 0) != sizeof(p->key)) {
		free(p);
		return error_errno(errno, "The kernel gives no random key");
	}
	*ret = p;
	return NULL;
}

void pseudonyms_destroy(struct pseudonyms *p)
{
	if (!p)
		return;
	array_free_each(&p->all, .text);
	hash_table_deinit(&p->by_text);
	hash_table_deinit(&p->by_name);
	explicit_bzero(p->key, sizeof(p->key));
	free(p);
}

size_t pseudonyms_count(const struct pseudonyms *p)
{
	return p->all.nr;
}

static bool name_is_taken(const struct pseudonyms *p, const char *name)
{
	hash_table_each(&p->by_name, hash_key_text(name), n)
		if (!strcmp(p->all.items[n].name, name))
			return true;
	return false;
}

/* The name begins with a letter, so that it does not look like a number. */
static void make_pseudonym(const struct pseudonyms *p, uint64_t attempt, const char *text,
			   size_t len, char *ret)
{
	static const char characters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint64_t hash = siphash(p->key, attempt, text, len);
	size_t size = len < LENGTH_MAX ? len : LENGTH_MAX;

	for (size_t i = 0; i < size; i++) {
		unsigned int base = i ? 36 : 26;

		ret[i] = characters[hash % base];
		hash /= base;
	}
	ret[size] = '\0';
}

static const struct pseudonym *pseudonyms_find(const struct pseudonyms *p, uint64_t hash,
					       const char *text, size_t len)
{
	hash_table_each(&p->by_text, hash, n) {
		const struct pseudonym *found = &p->all.items[n];

		if (found->len == len && !memcmp(found->text, text, len))
			return found;
	}
	return NULL;
}

/* Two texts share a name only if no free name of that length is found. */
static struct error *add_part(struct pseudonyms *p, const char *text, size_t len,
			      struct strbuf *out)
{
	uint64_t hash = hash_key_bytes(text, len);
	const struct pseudonym *found = pseudonyms_find(p, hash, text, len);
	struct pseudonym added = { .len = len };

	if (found) {
		strbuf_addstr(out, found->name);
		return NULL;
	}
	added.text = malloc(len);
	if (!added.text)
		return &error_no_memory;
	memcpy(added.text, text, len);
	for (uint64_t attempt = 0; attempt < TRIES; attempt++) {
		make_pseudonym(p, attempt, text, len, added.name);
		if (!name_is_taken(p, added.name))
			break;
	}
	if (!array_push(&p->all, added)) {
		free(added.text);
		return &error_no_memory;
	}
	if (!hash_table_add(&p->by_text, hash, p->all.nr - 1) ||
	    !hash_table_add(&p->by_name, hash_key_text(added.name), p->all.nr - 1))
		return &error_no_memory;
	strbuf_addstr(out, added.name);
	return NULL;
}

struct error *pseudonyms_add(struct pseudonyms *p, const char *text, size_t len,
			     struct strbuf *out)
{
	const char *end = text + len;
	struct error *err = NULL;

	while (!err && text < end) {
		const char *slash = memchr(text, '/', end - text);
		size_t part = (slash ? slash : end) - text;

		if ((part == 1 && *text == '.') || (part == 2 && !memcmp(text, "..", 2)))
			strbuf_add(out, text, part);
		else if (part)
			err = add_part(p, text, part, out);
		if (slash)
			strbuf_addch(out, '/');
		text += part + !!slash;
	}
	return err ? err : out->failed ? &error_no_memory : NULL;
}

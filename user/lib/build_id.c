// SPDX-License-Identifier: GPL-2.0
#include "lib/build_id.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"

static size_t padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

bool build_id_find(const void *data, size_t size, struct build_id *ret)
{
	const char *p = data;
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t desc, next;

		memcpy(&note, p + at, sizeof(note));
		at += sizeof(note);
		desc = at + padded(note.n_namesz);
		next = desc + padded(note.n_descsz);
		if (next > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(p + at, "GNU", 4) && note.n_descsz <= BUILD_ID_BYTES) {
			*ret = (struct build_id){ .size = note.n_descsz };
			memcpy(ret->bytes, p + desc, note.n_descsz);
			return true;
		}
		at = next;
	}
	return false;
}

static bool build_id_in_file(const char *path, struct build_id *ret)
{
	_cleanup_free_ char *notes = NULL;
	struct error *err;
	size_t len;

	err = file_read(path, &notes, &len);
	if (err) {
		error_free(err);
		return false;
	}
	return build_id_find(notes, len, ret);
}

bool build_id_of_kernel(struct build_id *ret)
{
	return build_id_in_file("/sys/kernel/notes", ret);
}

bool build_id_of_module(const char *module, struct build_id *ret)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	return build_id_in_file(path, ret);
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

void build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	*text = '\0';
	for (size_t i = 0; i < id->size; i++)
		sprintf(text + 2 * i, "%02x", id->bytes[i]);
}

// SPDX-License-Identifier: GPL-2.0
#include "perfdata/binaries.h"

#include <stdlib.h>
#include <string.h>

#include "lib/build_id.h"
#include "lib/bytes.h"
#include "lib/file.h"
#include "lib/hash.h"
#include "perfdata/layout.h"
#include "symbol/elf_file.h"

struct binary {
	char *name;	/* NULL: the slot is free */
	uint8_t mode;
};

void binaries_deinit(struct binaries *binaries)
{
	for (size_t i = 0; binaries->slots && i <= binaries->mask; i++)
		free(binaries->slots[i].name);
	free(binaries->slots);
	*binaries = (struct binaries){ 0 };
}

static struct binary *binary_slot(const struct binaries *binaries, const char *name)
{
	size_t i = hash_key_text(name) & binaries->mask;

	while (binaries->slots[i].name && strcmp(binaries->slots[i].name, name))
		i = (i + 1) & binaries->mask;
	return &binaries->slots[i];
}

static bool binaries_grow(struct binaries *binaries)
{
	struct binaries larger = { .mask = binaries->slots ? binaries->mask * 2 + 1 : 255 };

	larger.slots = calloc(larger.mask + 1, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	larger.nr = binaries->nr;
	for (size_t i = 0; binaries->slots && i <= binaries->mask; i++)
		if (binaries->slots[i].name)
			*binary_slot(&larger, binaries->slots[i].name) = binaries->slots[i];
	free(binaries->slots);
	*binaries = larger;
	return true;
}

static void binaries_add(struct binaries *binaries, const char *name, uint8_t mode)
{
	struct binary *slot;

	if (binaries->nr * 2 >= binaries->mask && !binaries_grow(binaries)) {
		binaries->failed = true;
		return;
	}
	slot = binary_slot(binaries, name);
	if (slot->name)
		return;
	*slot = (struct binary){ strdup(name), mode };
	binaries->failed |= !slot->name;
	binaries->nr++;
}

void binaries_watch(struct binaries *binaries, const struct perf_event_header *header)
{
	const struct body_mmap *mmap = body_of(header, struct body_mmap);
	const struct body_mmap2 *mmap2 = body_of(header, struct body_mmap2);
	const char *name = NULL;
	size_t left;

	if (header->type == PERF_RECORD_MMAP && mmap)
		name = mmap->filename;
	else if (header->type == PERF_RECORD_MMAP2 && mmap2)
		name = mmap2->filename;
	left = name ? body_left(header, name) : 0;
	if (!left || header->misc & PERF_RECORD_MISC_MMAP_DATA ||
	    *name != '/' || name[1] == '/' || !memchr(name, '\0', left))
		return;
	binaries_add(binaries, name, header->misc & PERF_RECORD_MISC_CPUMODE_MASK);
}

bool binaries_matter(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->items[i]->attr;

		/* An event that is only there to deliver map records has no samples. */
		if (event_is_dummy(events->items[i]))
			continue;
		if (attr->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER) ||
		    (attr->type != PERF_TYPE_TRACEPOINT && attr->sample_type & PERF_SAMPLE_IP))
			return true;
	}
	return false;
}

void binaries_add_entry(const char *name, uint8_t mode, const struct build_id *id,
			struct strbuf *ret)
{
	size_t len = strlen(name) + 1;
	size_t padded = (len + PERFDATA_STRING_ALIGN - 1) & ~(size_t)(PERFDATA_STRING_ALIGN - 1);
	struct perfdata_build_id entry = {
		.header.misc = mode | BODY_MISC_BUILD_ID_SIZE,
		.header.size = sizeof(entry) + padded,
		.body.pid = -1,
		.body.build_id_size = id->size,
	};

	memcpy(entry.body.build_id, id->bytes, id->size);
	strbuf_add(ret, &entry, sizeof(entry));
	strbuf_add(ret, name, len);
	bytes_add_zeros(ret, padded - len);
}

/*
 * The kernel gives the build id of a loaded module in sysfs, under the module's name:
 * "ext4" for "/lib/modules/.../ext4.ko.xz".
 */
static bool find_module_id(const char *path, struct build_id *ret)
{
	const char *slash = strrchr(path, '/'), *dot = strstr(slash, ".ko");
	_cleanup_(strbuf) struct strbuf notes = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	struct error *err;
	size_t size;

	if (!dot)
		return false;
	strbuf_addf(&notes, "/sys/module/%.*s/notes/.note.gnu.build-id", (int)(dot - slash - 1),
		    slash + 1);
	if (notes.failed)
		return false;
	for (char *c = notes.data + strlen("/sys/module/"); *c != '/'; c++)
		if (*c == '-')
			*c = '_';
	err = file_read(notes.data, &text, &size);
	if (err) {
		error_free(err);
		return false;
	}
	return build_id_find(text, size, ret);
}

static bool find_binary_id(const struct binary *binary, struct build_id *ret)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };

	if (binary->mode == PERF_RECORD_MISC_KERNEL)
		return find_module_id(binary->name, ret);
	return elf_file_open(&file, binary->name) && elf_file_build_id(&file, ret);
}

void binaries_add_build_ids(const struct binaries *binaries, struct strbuf *ret)
{
	for (size_t i = 0; binaries->slots && i <= binaries->mask; i++) {
		const struct binary *binary = &binaries->slots[i];
		struct build_id id;

		if (binary->name && find_binary_id(binary, &id))
			binaries_add_entry(binary->name, binary->mode, &id, ret);
	}
}

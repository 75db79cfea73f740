// SPDX-License-Identifier: GPL-2.0
#include "perfdata/binaries.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/build_id.h"
#include "lib/bytes.h"
#include "lib/file.h"
#include "lib/hash.h"
#include "perfdata/layout.h"
#include "symbol/elf/elf_file.h"
#include "symbol/task_files.h"

struct binary {
	char *name;		/* owned */
	uint8_t mode;
	struct build_id id;	/* of the record; size 0: it has none */
	struct file_numbers numbers;	/* used if there is no id */
	struct task_map map;	/* the first one */
};

void binaries_deinit(struct binaries *binaries)
{
	array_free_each(binaries, .name);
	hash_table_deinit(&binaries->table);
	*binaries = (struct binaries){ 0 };
}

static bool is_same_binary(const struct binary *a, const struct binary *b)
{
	return !strcmp(a->name, b->name) && a->id.size == b->id.size &&
	       !memcmp(a->id.bytes, b->id.bytes, a->id.size) &&
	       a->numbers.inode == b->numbers.inode && a->numbers.device == b->numbers.device;
}

/* Add a binary that is not in the list; its name is borrowed. */
static void binaries_add(struct binaries *binaries, const struct binary *binary)
{
	uint64_t hash = hash_key_join(hash_key_text(binary->name),
				      hash_key_bytes(binary->id.bytes, binary->id.size));
	const struct hash_table *table = &binaries->table;
	struct binary copy = *binary;

	hash = hash_key_join(hash_key_join(hash, binary->numbers.inode), binary->numbers.device);
	hash_table_each(table, hash, n)
		if (is_same_binary(&binaries->items[n], binary))
			return;
	copy.name = strdup(binary->name);
	if (!copy.name || !array_push(binaries, copy)) {
		free(copy.name);
		binaries->failed = true;
		return;
	}
	binaries->failed |= !hash_table_add(&binaries->table, hash, binaries->nr - 1);
}

void binaries_watch(struct binaries *binaries, const struct perf_event_header *header)
{
	const struct body_mmap *mmap = body_of(header, struct body_mmap);
	const struct body_mmap2 *mmap2 = NULL;
	struct binary binary = { .mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK };
	size_t left;

	if (header->type == PERF_RECORD_MMAP2)
		mmap2 = body_of(header, struct body_mmap2);
	if (mmap2)
		binary.name = (char *)mmap2->filename;
	else if (header->type == PERF_RECORD_MMAP && mmap)
		binary.name = (char *)mmap->filename;
	left = binary.name ? body_left(header, binary.name) : 0;
	if (!left || header->misc & PERF_RECORD_MISC_MMAP_DATA || *binary.name != '/' ||
	    binary.name[1] == '/' || !memchr(binary.name, '\0', left))
		return;
	binary.map = (struct task_map){ mmap->pid, mmap->addr, mmap->addr + mmap->len };
	if (mmap2 && !body_mmap2_has_build_id(header, mmap2)) {
		binary.numbers = (struct file_numbers){
			mmap2->inode, (uint64_t)mmap2->major << 32 | mmap2->minor,
		};
	} else if (mmap2) {
		binary.id.size = mmap2->build_id_size;
		memcpy(binary.id.bytes, mmap2->build_id, binary.id.size);
	}
	binaries_add(binaries, &binary);
}

bool binaries_matter(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->items[i]->attr;

		/* An event that exists only to deliver map records has no samples. */
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
 * sysfs has the build id of a loaded module under the module's name: "ext4" for
 * "/lib/modules/.../ext4.ko.xz".
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

/* Whether the file at @path is the mapped one; then its build id is that of the binary. */
static bool take_id_of(const char *path, const struct binary *binary, struct build_id *ret)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };

	return elf_file_open(&file, path) && file_match(file.fd, &binary->numbers) == FILE_SAME &&
	       elf_file_build_id(&file, ret);
}

/*
 * The path may lead elsewhere by now, or in the mount namespace of the task.  Only the file that
 * was mapped has the right id.
 */
static bool find_file_id(const struct binary *binary, struct build_id *ret)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;

	if (!binary->numbers.inode)
		return false;
	if (take_id_of(binary->name, binary, ret))
		return true;
	for (unsigned int i = 0; i < TASK_MAP_PATHS; i++)
		if (task_map_path(&binary->map, binary->name, i, &path) &&
		    take_id_of(path.data, binary, ret))
			return true;
	return false;
}

static bool find_binary_id(const struct binary *binary, struct build_id *ret)
{
	if (binary->id.size)
		return true;
	if (binary->mode == PERF_RECORD_MISC_KERNEL)
		return find_module_id(binary->name, ret);
	return find_file_id(binary, ret);
}

/* Whether @names, positions in items, has the name of the binary @i. */
static bool has_name_of(const struct binaries *binaries, const struct hash_table *names, size_t i)
{
	const char *name = binaries->items[i].name;

	hash_table_each(names, hash_key_text(name), n)
		if (!strcmp(binaries->items[n].name, name))
			return true;
	return false;
}

void binaries_add_build_ids(struct binaries *binaries, struct strbuf *ret)
{
	struct hash_table unknown = { .nr = 0 };

	for (size_t i = 0; i < binaries->nr; i++) {
		struct binary *binary = &binaries->items[i];

		if (find_binary_id(binary, &binary->id))
			continue;
		binary->id.size = 0;
		if (!hash_table_add(&unknown, hash_key_text(binary->name), i))
			binaries->failed = true;
	}
	/* Readers would give the id to all binaries of the name. */
	for (size_t i = 0; i < binaries->nr; i++)
		if (!has_name_of(binaries, &unknown, i))
			binaries_add_entry(binaries->items[i].name, binaries->items[i].mode,
					   &binaries->items[i].id, ret);
	hash_table_deinit(&unknown);
}

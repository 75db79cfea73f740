// SPDX-License-Identifier: GPL-2.0
#include "symbol/jit/jitdump.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "lib/file.h"

#define JITDUMP_MAGIC		0x4A695444	/* "JiTD" */
#define JITDUMP_VERSION		1

/* Flags: the times are those of the processor's clock. */
#define JITDUMP_FLAG_PROCESSOR	(1ULL << 0)

/* More than any function has, so a damaged size does not take all memory. */
#define JITDUMP_RECORD_MAX	(256UL * 1024 * 1024)

/* Replaces the name of a file: the same as in the line before. */
#define JITDUMP_SAME_FILE	"\xff"

enum jitdump_type {
	JITDUMP_LOAD		= 0,
	JITDUMP_MOVE		= 1,
	JITDUMP_DEBUG_INFO	= 2,
	JITDUMP_CLOSE		= 3,
	JITDUMP_TABLES		= 4,
};

struct jitdump_header {
	uint32_t magic, version;
	uint32_t size;		/* of this header */
	uint32_t machine;
	uint32_t reserved, pid;
	uint64_t time, flags;
};

struct jitdump_prefix {
	uint32_t type, size;	/* size: with this prefix */
	uint64_t time;
};

/* LOAD: a name and the code follow. */
struct jitdump_load {
	struct jitdump_prefix prefix;
	uint32_t pid, tid;
	uint64_t mapped_at, address, size, index;
};

struct jitdump_move {
	struct jitdump_prefix prefix;
	uint32_t pid, tid;
	uint64_t mapped_at, old_address, new_address, size, index;
};

/* DEBUG_INFO: entries follow, each with a name of a file. */
struct jitdump_debug_info {
	struct jitdump_prefix prefix;
	uint64_t address, nr;
};

struct jitdump_debug_entry {
	uint64_t address;
	uint32_t line, column;
};

/* UNWINDING_INFO: .eh_frame and, in the last hdr_size bytes, .eh_frame_hdr follow. */
struct jitdump_tables {
	struct jitdump_prefix prefix;
	uint64_t size, hdr_size, mapped_size;
};

static uint32_t order32(const struct jitdump *dump, uint32_t value)
{
	return dump->swapped ? bswap_32(value) : value;
}

static uint64_t order64(const struct jitdump *dump, uint64_t value)
{
	return dump->swapped ? bswap_64(value) : value;
}

static struct error *jitdump_damaged(const struct jitdump *dump, const char *what)
{
	return error_new(EBADMSG, "%s is damaged: the record at byte %" PRIu64 " %s", dump->path,
			 dump->record_at, what);
}

static struct error *jitdump_cannot_read(const struct jitdump *dump, ssize_t n)
{
	return error_errno(n < 0 ? -n : EIO, "Cannot read %s", dump->path);
}

static struct error *check_version(struct jitdump *dump, const struct jitdump_header *header)
{
	uint32_t version = order32(dump, header->version);
	uint64_t flags = order64(dump, header->flags);

	if (version != JITDUMP_VERSION)
		return error_new(ENOTSUP, "%s has version %u of the jitdump format, and ktrace reads "
				 "version %u", dump->path, version, JITDUMP_VERSION);
	if (flags & JITDUMP_FLAG_PROCESSOR)
		return error_hint(error_new(ENOTSUP, "The times in %s are from the processor's "
					    "clock, which no recording uses", dump->path),
				  "Make the JIT compiler use CLOCK_MONOTONIC");
	if (flags)
		return error_new(ENOTSUP, "%s has flags that ktrace does not know, %#" PRIx64,
				 dump->path, flags);
	return NULL;
}

static struct error *jitdump_take_header(struct jitdump *dump, const struct jitdump_header *header)
{
	struct error *err;

	dump->swapped = bswap_32(header->magic) == JITDUMP_MAGIC;
	if (order32(dump, header->magic) != JITDUMP_MAGIC)
		return error_new(EBADMSG, "%s is no jitdump: it begins with other bytes", dump->path);
	err = check_version(dump, header);
	if (err)
		return err;
	dump->at = order32(dump, header->size);
	dump->machine = order32(dump, header->machine);
	dump->pid = order32(dump, header->pid);
	if (dump->at < sizeof(*header) || dump->at > dump->size ||
	    dump->machine != order32(dump, header->machine) || dump->pid <= 0)
		return error_new(EBADMSG, "The header of %s is damaged", dump->path);
	return NULL;
}

struct error *jitdump_open(const char *path, struct jitdump *ret)
{
	struct jitdump_header header;
	struct stat st;
	ssize_t n;

	*ret = (struct jitdump){ .path = path };
	ret->fd = file_open_regular(path, O_NOFOLLOW, &st);
	if (ret->fd < 0 && errno == EINVAL)
		return error_new(EBADMSG, "%s is no jitdump: it is empty, or no regular file", path);
	if (ret->fd < 0)
		return error_errno(errno, "Cannot open %s", path);
	ret->size = st.st_size;
	n = fd_pread_all(ret->fd, &header, sizeof(header), 0);
	if (n < 0)
		return jitdump_cannot_read(ret, n);
	if ((size_t)n < sizeof(header))
		return error_new(EBADMSG, "%s is no jitdump: it is shorter than the header of one",
				 path);
	return jitdump_take_header(ret, &header);
}

/* Read the record at @dump->at; the caller has checked that it is in the file. */
static struct error *read_whole(struct jitdump *dump, size_t size, struct strbuf *ret)
{
	ssize_t n;

	strbuf_reset(ret);
	if (!strbuf_reserve(ret, size))
		return &error_no_memory;
	n = fd_pread_all(dump->fd, ret->data, size, dump->at);
	if (n < 0 || (size_t)n < size)
		return jitdump_cannot_read(dump, n);
	ret->len = size;
	ret->data[size] = '\0';
	dump->at += size;
	return NULL;
}

static bool jitdump_add_line(struct jitdump *dump, const struct jitdump_debug_entry *entry,
		     const char *file)
{
	struct jitdump_line line = {
		order64(dump, entry->address), order32(dump, entry->line), file,
	};

	if (!strcmp(file, JITDUMP_SAME_FILE))
		line.file = dump->lines.nr ? dump->lines.items[dump->lines.nr - 1].file : "";
	return array_push(&dump->lines, line);
}

static struct error *jitdump_take_lines(struct jitdump *dump)
{
	const struct strbuf *record = &dump->line_record;
	struct jitdump_debug_info info;
	struct jitdump_debug_entry entry;
	size_t at = sizeof(info);

	dump->lines.nr = 0;
	dump->lines_are_new = true;
	if (record->len < sizeof(info))
		return jitdump_damaged(dump, "is too short for its lines");
	memcpy(&info, record->data, sizeof(info));
	dump->lines_address = order64(dump, info.address);
	for (uint64_t left = order64(dump, info.nr); left; left--) {
		if (record->len - at <= sizeof(entry))
			return jitdump_damaged(dump, "has fewer lines than it says");
		memcpy(&entry, record->data + at, sizeof(entry));
		at += sizeof(entry);
		/* A name without a NUL ends with the record. */
		if (!jitdump_add_line(dump, &entry, record->data + at))
			return &error_no_memory;
		at += strlen(record->data + at) + 1;
		if (at > record->len)
			return jitdump_damaged(dump, "has a name without end");
	}
	return NULL;
}

/* Check a record with unwind tables, which belong to the next function. */
static struct error *jitdump_take_tables(struct jitdump *dump)
{
	const struct strbuf *record = &dump->tables_record;
	struct jitdump_tables tables;

	dump->tables_are_new = true;
	if (record->len < sizeof(tables))
		return jitdump_damaged(dump, "is too short for its unwind tables");
	memcpy(&tables, record->data, sizeof(tables));
	if (order64(dump, tables.size) > record->len - sizeof(tables) ||
	    order64(dump, tables.hdr_size) > order64(dump, tables.size))
		return jitdump_damaged(dump, "has smaller unwind tables than it says");
	return NULL;
}

static void jitdump_give_tables(struct jitdump *dump, struct jitdump_record *ret)
{
	struct jitdump_tables tables;

	if (!dump->tables_are_new)
		return;
	dump->tables_are_new = false;
	memcpy(&tables, dump->tables_record.data, sizeof(tables));
	ret->hdr_size = order64(dump, tables.hdr_size);
	ret->frame_size = order64(dump, tables.size) - ret->hdr_size;
	ret->mapped_size = order64(dump, tables.mapped_size);
	/* If there are no tables, V8 writes an empty .eh_frame_hdr. */
	if (ret->frame_size)
		ret->tables = dump->tables_record.data + sizeof(tables);
}

static bool is_place(uint64_t address, uint64_t size)
{
	return address + size >= address;
}

static struct error *jitdump_take_load(struct jitdump *dump, struct jitdump_record *ret)
{
	const struct strbuf *record = &dump->record;
	struct jitdump_load load;
	size_t name_size;

	if (record->len < sizeof(load))
		return jitdump_damaged(dump, "is too short for a function");
	memcpy(&load, record->data, sizeof(load));
	*ret = (struct jitdump_record){
		.time = order64(dump, load.prefix.time), .pid = order32(dump, load.pid),
		.tid = order32(dump, load.tid), .index = order64(dump, load.index),
		.address = order64(dump, load.address), .size = order64(dump, load.size),
		.name = record->data + sizeof(load),
	};
	name_size = strlen(ret->name) + 1;
	if (name_size > record->len - sizeof(load))
		return jitdump_damaged(dump, "has a name without end");
	if (ret->size > record->len - sizeof(load) - name_size)
		return jitdump_damaged(dump, "is too short for its code");
	if (!is_place(ret->address, ret->size))
		return jitdump_damaged(dump, "has code beyond the last address");
	/* There may be padding before the code. */
	ret->code = (const uint8_t *)record->data + record->len - ret->size;
	if (dump->lines_are_new && dump->lines.nr && dump->lines_address == ret->address)
		ret->lines = &dump->lines;
	/* They belong only to the function that follows them. */
	dump->lines_are_new = false;
	jitdump_give_tables(dump, ret);
	return is_place(ret->address, ret->size + 7) &&
	       is_place(ret->address + ret->size + 7, ret->mapped_size) ? NULL :
	       jitdump_damaged(dump, "has unwind tables beyond the last address");
}

static struct error *jitdump_take_move(struct jitdump *dump, struct jitdump_record *ret)
{
	struct jitdump_move move;

	if (dump->record.len < sizeof(move))
		return jitdump_damaged(dump, "is too short for a move");
	memcpy(&move, dump->record.data, sizeof(move));
	*ret = (struct jitdump_record){
		.is_move = true, .time = order64(dump, move.prefix.time),
		.pid = order32(dump, move.pid), .tid = order32(dump, move.tid),
		.index = order64(dump, move.index), .address = order64(dump, move.new_address),
		.size = order64(dump, move.size),
	};
	return is_place(ret->address, ret->size) ? NULL :
	       jitdump_damaged(dump, "has code beyond the last address");
}

/* Read the record that @prefix begins.  *ret has a size if it is of code. */
static struct error *jitdump_take_record(struct jitdump *dump, const struct jitdump_prefix *prefix,
				 struct jitdump_record *ret)
{
	size_t size = order32(dump, prefix->size);
	struct error *err;

	switch (order32(dump, prefix->type)) {
	case JITDUMP_LOAD:
		err = read_whole(dump, size, &dump->record);
		return err ? err : jitdump_take_load(dump, ret);
	case JITDUMP_MOVE:
		err = read_whole(dump, size, &dump->record);
		return err ? err : jitdump_take_move(dump, ret);
	case JITDUMP_DEBUG_INFO:
		err = read_whole(dump, size, &dump->line_record);
		return err ? err : jitdump_take_lines(dump);
	case JITDUMP_TABLES:
		err = read_whole(dump, size, &dump->tables_record);
		return err ? err : jitdump_take_tables(dump);
	default:
		dump->at += size;
		return NULL;
	}
}

/* Returns false if no whole record is left. */
static bool read_prefix(struct jitdump *dump, struct jitdump_prefix *ret, struct error **err)
{
	uint64_t left = dump->size - dump->at;
	size_t size;
	ssize_t n;

	dump->record_at = dump->at;
	dump->is_cut = left && left < sizeof(*ret);
	if (left < sizeof(*ret))
		return false;
	n = fd_pread_all(dump->fd, ret, sizeof(*ret), dump->at);
	if (n < (ssize_t)sizeof(*ret)) {
		*err = jitdump_cannot_read(dump, n);
		return false;
	}
	size = order32(dump, ret->size);
	if (size < sizeof(*ret) || size > JITDUMP_RECORD_MAX) {
		*err = jitdump_damaged(dump, "has no possible size");
		return false;
	}
	dump->is_cut = size > left;
	return !dump->is_cut && order32(dump, ret->type) != JITDUMP_CLOSE;
}

bool jitdump_next(struct jitdump *dump, struct jitdump_record *ret, struct error **err)
{
	struct jitdump_prefix prefix;

	*err = NULL;
	while (read_prefix(dump, &prefix, err)) {
		*ret = (struct jitdump_record){ .size = 0 };
		*err = jitdump_take_record(dump, &prefix, ret);
		if (*err)
			return false;
		if (ret->size)
			return true;
	}
	return false;
}

void jitdump_close(struct jitdump *dump)
{
	if (dump->fd >= 0)
		close(dump->fd);
	strbuf_deinit(&dump->record);
	strbuf_deinit(&dump->line_record);
	strbuf_deinit(&dump->tables_record);
	free(dump->lines.items);
	*dump = (struct jitdump)JITDUMP_INIT;
}

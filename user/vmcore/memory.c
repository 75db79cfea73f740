// SPDX-License-Identifier: GPL-2.0
#include "vmcore/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "terminal/progress.h"
#include "vmcore/flat_file.h"
#include "vmcore/kdump.h"

#define OWN_BYTE_ORDER	(__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)
#define SMALLEST_PAGE	4096
/* Bytes that are read at once to find a page. */
#define FIND_BYTES	(1024 * 1024)

struct memory_segment {
	uint64_t address, offset;
	uint64_t file_size, size;	/* in the file and in memory, bytes */
};

struct memory {
	int fd;
	char *path;
	uint64_t file_size;
	struct flat_file file;
	struct kdump *kdump;	/* NULL: it is an ELF file, with these segments */
	ARRAY_OF(struct memory_segment) segments;
};

void memory_close(struct memory *memory)
{
	if (!memory)
		return;
	kdump_close(memory->kdump);
	flat_file_close(&memory->file);
	if (memory->fd >= 0)
		close(memory->fd);
	free(memory->segments.items);
	free(memory->path);
	free(memory);
}

/* Formats of dumps that are not read here, by how the file begins. */
static const struct {
	const char *begins, *is, *hint;
} other_dumps[] = {
	{ "DISKDUMP", "is in the format of diskdump", NULL },
	{ "makedumpfile", "is an ELF file in makedumpfile's form for pipes",
	  "'makedumpfile -R NEW <FILE' puts it in order" },
};

static struct error *not_elf(const struct memory *memory)
{
	char start[16] = { 0 };
	ssize_t n = fd_pread_all(memory->fd, start, sizeof(start), 0);

	if (n < 0)
		return error_errno(-n, "Cannot read %s", memory->path);
	for (size_t i = 0; i < ARRAY_SIZE(other_dumps); i++) {
		struct error *err;

		if (strncmp(start, other_dumps[i].begins, strlen(other_dumps[i].begins)))
			continue;
		err = error_new(ENOTSUP, "%s %s, which is not read", memory->path, other_dumps[i].is);
		return other_dumps[i].hint ? error_hint(err, "%s", other_dumps[i].hint) : err;
	}
	return error_hint(error_new(EBADMSG, "%s is no vmcore: it is not an ELF file", memory->path),
			  "A vmcore is a copy of /proc/vmcore after kexec, or a file of QEMU's "
			  "dump-guest-memory");
}

static struct error *add_segments(struct memory *memory, Elf *elf)
{
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return error_new(EBADMSG, "%s is damaged: %s", memory->path, elf_errmsg(-1));
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, i, &header))
			return error_new(EBADMSG, "%s is cut within its list of segments",
					 memory->path);
		/* /proc/vmcore has -1 where the address is not known. */
		if (header.p_type != PT_LOAD || header.p_paddr + 1 == 0 ||
		    header.p_paddr + header.p_memsz < header.p_paddr ||
		    header.p_filesz > header.p_memsz)
			continue;
		if (!array_push(&memory->segments, ((struct memory_segment){
			.address = header.p_paddr, .offset = header.p_offset,
			.file_size = header.p_filesz, .size = header.p_memsz,
		})))
			return &error_no_memory;
	}
	return memory->segments.nr ? NULL :
		error_new(EBADMSG, "%s is no vmcore: it has no memory in it", memory->path);
}

static struct error *read_elf(struct memory *memory, Elf *elf)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return not_elf(memory);
	if (header.e_type != ET_CORE)
		return error_hint(error_new(EBADMSG, "%s is no vmcore: it is an ELF file, but not a core",
					    memory->path),
				  "Name the core, not the vmlinux");
	if (header.e_ident[EI_DATA] != OWN_BYTE_ORDER)
		return error_hint(error_new(ENOTSUP, "%s is of a machine with the other byte order",
					    memory->path),
				  "Recover it on a machine of that kind");
	return add_segments(memory, elf);
}

struct error *memory_open(const char *path, struct memory **ret)
{
	_cleanup_(memory) struct memory *memory = calloc(1, sizeof(*memory));
	struct error *err;
	struct stat st;
	Elf *elf;

	if (!memory)
		return &error_no_memory;
	memory->fd = -1;
	memory->path = strdup(path);
	if (!memory->path)
		return &error_no_memory;
	memory->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (memory->fd < 0 || fstat(memory->fd, &st))
		return error_errno(errno, "Cannot open %s", path);
	if (S_ISDIR(st.st_mode))
		return error_hint(error_errno(EISDIR, "Cannot read %s", path), "Name the core in it");
	if (!S_ISREG(st.st_mode))
		return error_hint(error_new(ESPIPE, "%s is no file, so it cannot be searched", path),
				  "Keep the core in a file");
	memory->file_size = st.st_size;

	err = flat_file_open(memory->fd, path, memory->file_size, &memory->file);
	if (err)
		return err;
	if (kdump_is(&memory->file)) {
		err = kdump_open(&memory->file, memory->path, &memory->kdump);
		if (!err)
			*ret = take_ptr(memory);
		return err;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(memory->fd, ELF_C_READ, NULL);
	if (!elf)
		return not_elf(memory);
	err = read_elf(memory, elf);
	elf_end(elf);
	if (err)
		return err;
	*ret = take_ptr(memory);
	return NULL;
}

static const struct memory_segment *segment_at(const struct memory *memory, uint64_t address)
{
	for (size_t i = 0; i < memory->segments.nr; i++) {
		const struct memory_segment *segment = &memory->segments.items[i];

		if (address >= segment->address && address - segment->address < segment->size)
			return segment;
	}
	return NULL;
}

/* Read bytes at offset @at of a segment. */
static struct error *read_segment(const struct memory *memory, const struct memory_segment *segment,
				  uint64_t at, char *data, size_t size)
{
	size_t there = at < segment->file_size ? segment->file_size - at : 0;
	uint64_t offset = segment->offset + at;
	ssize_t n;

	there = there < size ? there : size;
	memset(data + there, 0, size - there);
	if (!there)
		return NULL;
	if (offset < at || offset > memory->file_size || there > memory->file_size - offset)
		return error_hint(error_new(EBADMSG, "%s is cut: it ends at offset %" PRIu64
					    ", and the needed data is at %" PRIu64, memory->path,
					    memory->file_size, offset),
				  "Copy the core again");
	n = fd_pread_all(memory->fd, data, there, offset);
	if (n < 0)
		return error_errno(-n, "Cannot read %s", memory->path);
	return (size_t)n == there ? NULL :
		error_new(EIO, "%s became shorter while it was read", memory->path);
}

static struct error *memory_read_pages(struct memory *memory, uint64_t address, char *data,
				       size_t size)
{
	size_t page_size = kdump_page_size(memory->kdump);

	while (size) {
		size_t at = address % page_size;
		size_t n = page_size - at < size ? page_size - at : size;
		const char *page;
		struct error *err = kdump_read_page(memory->kdump, address / page_size, &page);

		if (err)
			return err;
		memcpy(data, page + at, n);
		data += n;
		size -= n;
		address += n;
	}
	return NULL;
}

struct error *memory_read(struct memory *memory, uint64_t address, void *data, size_t size)
{
	char *p = data;

	if (memory->kdump)
		return memory_read_pages(memory, address, data, size);

	while (size) {
		const struct memory_segment *segment = segment_at(memory, address);
		uint64_t at, n;
		struct error *err;

		if (!segment)
			return error_new(ENODATA, "%s does not have the memory at %#" PRIx64,
					 memory->path, address);
		at = address - segment->address;
		n = segment->size - at < size ? segment->size - at : size;
		err = read_segment(memory, segment, at, p, n);
		if (err)
			return err;
		p += n;
		size -= n;
		address += n;
	}
	return NULL;
}

/* Search the pages of one segment that are in the file. */
static struct error *find_in(const struct memory *memory, const struct memory_segment *segment,
			     size_t size, char *buffer,
			     bool (*is_wanted)(const void *data, uint64_t address), uint64_t *ret)
{
	uint64_t at = -segment->address & (SMALLEST_PAGE - 1), end = segment->file_size;

	while (*ret == UINT64_MAX && at < end && end - at >= size) {
		size_t n = end - at < FIND_BYTES ? end - at : FIND_BYTES;
		struct error *err = read_segment(memory, segment, at, buffer, n);

		if (err)
			return err;
		for (size_t page = 0; page + size <= n && *ret == UINT64_MAX; page += SMALLEST_PAGE)
			if (is_wanted(buffer + page, segment->address + at + page))
				*ret = segment->address + at + page;
		progress_advance(n);
		at += n;
	}
	return NULL;
}

static struct error *find_in_pages(struct memory *memory, size_t size,
				   bool (*is_wanted)(const void *data, uint64_t address),
				   uint64_t *ret)
{
	size_t page_size = kdump_page_size(memory->kdump);
	uint64_t number = kdump_next_page(memory->kdump, 0);
	struct error *err = NULL;

	for (; !err && number != UINT64_MAX; number = kdump_next_page(memory->kdump, number + 1)) {
		const char *page;

		err = kdump_read_page(memory->kdump, number, &page);
		for (size_t at = 0; !err && at + size <= page_size; at += SMALLEST_PAGE) {
			if (!is_wanted(page + at, number * page_size + at))
				continue;
			*ret = number * page_size + at;
			return NULL;
		}
		progress_advance(page_size);
	}
	return err;
}

struct error *memory_find_page(struct memory *memory, size_t size,
			       bool (*is_wanted)(const void *data, uint64_t address),
			       uint64_t *ret)
{
	_cleanup_free_ char *buffer = malloc(FIND_BYTES);
	struct error *err = NULL;

	*ret = UINT64_MAX;
	if (!buffer)
		return &error_no_memory;
	progress_begin("Searching", memory->file_size);
	if (memory->kdump)
		err = find_in_pages(memory, size, is_wanted, ret);
	for (size_t i = 0; i < memory->segments.nr && !err && *ret == UINT64_MAX; i++)
		err = find_in(memory, &memory->segments.items[i], size, buffer, is_wanted, ret);
	progress_end();
	return err;
}

uint64_t memory_size(const struct memory *memory)
{
	return memory->kdump ? kdump_bytes(memory->kdump) : memory->file_size;
}

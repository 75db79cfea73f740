// SPDX-License-Identifier: GPL-2.0
#include "vmcore/kdump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/library.h"
#include "with/zstd.h"

#ifdef HAVE_LZO
#include <lzo/lzo1x.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define SMALLEST_BLOCK	4096
#define LARGEST_BLOCK	65536
/* A map of 8 TiB of memory; a larger one is damage. */
#define LARGEST_MAP	(256 * 1024 * 1024)
/* Number of pages of the map per rank. */
#define RANK_PAGES	512

/* makedumpfile's struct disk_dump_header, of machines with 64 bits. */
struct kdump_header {
	char signature[8];
	int32_t version;
	char uts[6][65];	/* as in struct new_utsname */
	char padding[6];
	int64_t seconds, microseconds;
	uint32_t status;
	int32_t block_size;
	int32_t sub_header_blocks;
	uint32_t bitmap_blocks;	/* of two maps: the memory's pages, and those in the file */
	uint32_t max_pages;
	uint32_t ram_blocks, device_blocks, written_blocks, current_cpu;
	int32_t nr_cpus;
};

_Static_assert(offsetof(struct kdump_header, block_size) == 428, "as makedumpfile has it");

/* Its struct kdump_sub_header, at the second block. */
struct kdump_sub_header {
	uint64_t phys_base;
	int32_t dump_level, split;
	uint64_t start_page, end_page;
	uint64_t vmcoreinfo[2], note[2], erased[2];
	uint64_t start_page_64, end_page_64, max_pages_64;	/* from version 6 on */
};

enum {
	KDUMP_ZLIB = 0x1, KDUMP_LZO = 0x2, KDUMP_SNAPPY = 0x4, KDUMP_ZSTD = 0x20,
	KDUMP_COMPRESSED = KDUMP_ZLIB | KDUMP_LZO | KDUMP_SNAPPY | KDUMP_ZSTD,
};

/* An entry for each page in the file, in the order of their numbers. */
struct kdump_page {
	uint64_t offset;
	uint32_t size, flags;
	uint64_t page_flags;
};

struct kdump {
	const struct flat_file *file;
	const char *path;	/* borrowed */
	size_t block;		/* the size of a page */
	uint64_t pages;		/* numbers of pages are below this */
	uint64_t table;		/* where the structs kdump_page are */
	uint64_t nr_here;	/* pages in the file */
	unsigned char *memory, *here;	/* a bit for each page */
	uint64_t *ranks;	/* how many pages are there before each RANK_PAGES */
	char *page, *packed;
	uint64_t number;	/* of the page in `page`; UINT64_MAX: none */
};

void kdump_close(struct kdump *kdump)
{
	if (!kdump)
		return;
	free(kdump->memory);
	free(kdump->here);
	free(kdump->ranks);
	free(kdump->page);
	free(kdump->packed);
	free(kdump);
}

bool kdump_is(const struct flat_file *file)
{
	char start[8];

	return flat_file_read(file, start, sizeof(start), 0) == sizeof(start) &&
	       !memcmp(start, "KDUMP   ", sizeof(start));
}

static struct error *kdump_cut(const struct kdump *kdump, const char *what)
{
	return error_hint(error_new(EBADMSG, "%s is cut or damaged: %s", kdump->path, what),
			  "Copy the core again");
}

static struct error *kdump_read(const struct kdump *kdump, void *data, size_t size, uint64_t at,
				const char *what)
{
	ssize_t n = flat_file_read(kdump->file, data, size, at);

	if (n < 0)
		return error_errno(-n, "Cannot read %s", kdump->path);
	return (size_t)n == size ? NULL : kdump_cut(kdump, what);
}

static bool kdump_has_bit(const unsigned char *map, uint64_t bit)
{
	return map[bit / 8] >> bit % 8 & 1;
}

static struct error *read_maps(struct kdump *kdump, uint64_t at, uint64_t bytes)
{
	uint64_t nr_ranks = kdump->pages / RANK_PAGES + 1, rank = 0;
	struct error *err;

	if (bytes > kdump->file->size || bytes > LARGEST_MAP || bytes * 8 < kdump->pages)
		return kdump_cut(kdump, "its map of pages does not fit into it");
	kdump->memory = malloc(bytes);
	kdump->here = malloc(bytes);
	kdump->ranks = calloc(nr_ranks, sizeof(*kdump->ranks));
	if (!kdump->memory || !kdump->here || !kdump->ranks)
		return &error_no_memory;
	err = kdump_read(kdump, kdump->memory, bytes, at, "it ends in its map of pages");
	if (!err)
		err = kdump_read(kdump, kdump->here, bytes, at + bytes,
				 "it ends in its map of pages");
	for (uint64_t page = 0; !err && page < kdump->pages; page++) {
		if (page % RANK_PAGES == 0)
			kdump->ranks[page / RANK_PAGES] = rank;
		rank += kdump_has_bit(kdump->here, page);
	}
	kdump->nr_here = rank;
	return err;
}

static struct error *read_header(struct kdump *kdump)
{
	struct kdump_header header;
	struct kdump_sub_header sub = { 0 };
	struct error *err;
	uint64_t maps;

	err = kdump_read(kdump, &header, sizeof(header), 0, "it ends in its header");
	if (err)
		return err;
	if (header.block_size < SMALLEST_BLOCK || header.block_size > LARGEST_BLOCK ||
	    header.block_size & (header.block_size - 1) || header.sub_header_blocks < 0)
		return error_hint(error_new(ENOTSUP, "%s is of a machine with another byte order or "
					    "word size, or damaged", kdump->path),
				  "Recover it on a machine of that kind");
	kdump->block = header.block_size;
	err = kdump_read(kdump, &sub, sizeof(sub), kdump->block, "it ends in its header");
	if (err)
		return err;
	if (header.version >= 2 && sub.split)
		return error_hint(error_new(ENOTSUP, "%s is a part of a core (makedumpfile --split)",
					    kdump->path),
				  "'makedumpfile --reassemble PARTS... NEW' makes one file of them");
	kdump->pages = header.version >= 6 ? sub.max_pages_64 : header.max_pages;
	maps = kdump->block * (1 + (uint64_t)header.sub_header_blocks);
	kdump->table = maps + kdump->block * (uint64_t)header.bitmap_blocks;
	return read_maps(kdump, maps, kdump->block * (uint64_t)(header.bitmap_blocks / 2));
}

struct error *kdump_open(const struct flat_file *file, const char *path, struct kdump **ret)
{
	_cleanup_(kdump) struct kdump *kdump = calloc(1, sizeof(*kdump));
	struct error *err;

	if (!kdump)
		return &error_no_memory;
	kdump->file = file;
	kdump->path = path;
	kdump->number = UINT64_MAX;
	err = read_header(kdump);
	if (err)
		return err;
	kdump->page = malloc(kdump->block);
	/* A page that compression does not make smaller is stored uncompressed. */
	kdump->packed = malloc(kdump->block);
	if (!kdump->page || !kdump->packed)
		return &error_no_memory;
	*ret = take_ptr(kdump);
	return NULL;
}

size_t kdump_page_size(const struct kdump *kdump)
{
	return kdump->block;
}

uint64_t kdump_bytes(const struct kdump *kdump)
{
	uint64_t size = kdump->file->size;
	uint64_t room = kdump->table < size ? (size - kdump->table) / sizeof(struct kdump_page) : 0;

	return (kdump->nr_here < room ? kdump->nr_here : room) * kdump->block;
}

uint64_t kdump_next_page(const struct kdump *kdump, uint64_t number)
{
	while (number < kdump->pages && !kdump_has_bit(kdump->here, number))
		number++;
	return number < kdump->pages ? number : UINT64_MAX;
}

/* Which of the pages in the file it is. */
static uint64_t rank_of(const struct kdump *kdump, uint64_t number)
{
	uint64_t rank = kdump->ranks[number / RANK_PAGES];

	for (uint64_t page = number - number % RANK_PAGES; page < number; page++)
		rank += kdump_has_bit(kdump->here, page);
	return rank;
}

static bool unpack_lzo(struct kdump *kdump, size_t size)
{
#ifdef HAVE_LZO
	lzo_uint len = kdump->block;

	return lzo1x_decompress_safe((const unsigned char *)kdump->packed, size,
				     (unsigned char *)kdump->page, &len, NULL) == LZO_E_OK &&
	       len == kdump->block;
#else
	return false;
#endif
}

static bool unpack_zlib(struct kdump *kdump, size_t size)
{
#ifdef HAVE_ZLIB
	uLongf len = kdump->block;

	return uncompress((Bytef *)kdump->page, &len, (const Bytef *)kdump->packed, size) == Z_OK &&
	       len == kdump->block;
#else
	return false;
#endif
}

static bool unpack_page(struct kdump *kdump, size_t size, uint32_t flags)
{
	switch (flags & KDUMP_COMPRESSED) {
	case KDUMP_ZLIB:
		return unpack_zlib(kdump, size);
	case KDUMP_LZO:
		return unpack_lzo(kdump, size);
	case KDUMP_ZSTD:
		return ZSTD_decompress(kdump->page, kdump->block, kdump->packed, size) ==
		       kdump->block;
	case 0:
		memcpy(kdump->page, kdump->packed, kdump->block);
		return size == kdump->block;
	default:
		return false;
	}
}

static struct error *check_method(const struct kdump *kdump, uint32_t flags)
{
	struct error *err = NULL;

	if (flags & KDUMP_SNAPPY)
		return error_hint(error_new(ENOTSUP, "%s is compressed by snappy, which is not read here",
					    kdump->path),
				  "'makedumpfile -c -d 31 FILE NEW' compresses it by zlib");
	if (flags & KDUMP_ZLIB)
		err = library_missing(LIBRARY_ZLIB);
	if (flags & KDUMP_LZO)
		err = library_missing(LIBRARY_LZO);
	if (flags & KDUMP_ZSTD)
		err = library_missing(LIBRARY_ZSTD);
	return err ? error_prefix(err, "%s is compressed", kdump->path) : NULL;
}

struct error *kdump_read_page(struct kdump *kdump, uint64_t number, const char **ret)
{
	struct kdump_page page;
	struct error *err;

	*ret = kdump->page;
	if (number >= kdump->pages || !kdump_has_bit(kdump->memory, number))
		return error_new(ENODATA, "%s does not have the memory at %#" PRIx64, kdump->path,
				 number * kdump->block);
	if (number == kdump->number)
		return NULL;
	kdump->number = UINT64_MAX;
	if (!kdump_has_bit(kdump->here, number)) {
		memset(kdump->page, 0, kdump->block);
		kdump->number = number;
		return NULL;
	}
	err = kdump_read(kdump, &page, sizeof(page),
			 kdump->table + sizeof(page) * rank_of(kdump, number),
			 "it ends in its table of pages");
	if (!err && (!page.size || page.size > kdump->block))
		err = kdump_cut(kdump, "a page in it has no size or is too large");
	if (!err)
		err = check_method(kdump, page.flags);
	if (!err)
		err = kdump_read(kdump, kdump->packed, page.size, page.offset,
				 "it ends before a page that is needed");
	if (!err && !unpack_page(kdump, page.size, page.flags))
		err = kdump_cut(kdump, "a page in it cannot be decompressed");
	if (!err)
		kdump->number = number;
	return err;
}

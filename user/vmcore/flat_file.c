// SPDX-License-Identifier: GPL-2.0
#include "vmcore/flat_file.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/file.h"

/* The numbers are those of makedumpfile; all of them are big-endian. */
#define FLAT_SIGNATURE		"makedumpfile"
#define FLAT_HEADER_BYTES	4096

struct flat_header {
	char signature[16];
	uint64_t type, version;
};

struct flat_piece_header {
	uint64_t at, size;	/* both -1: the end */
};

void flat_file_close(struct flat_file *file)
{
	free(file->items);
	*file = (struct flat_file){ 0 };
}

DEFINE_COMPARISON(compare_pieces, struct flat_piece, array_order(x->at, y->at) ?:
		  array_order(x->order, y->order))

static struct error *read_pieces(const char *path, uint64_t file_size, struct flat_file *file)
{
	uint64_t offset = FLAT_HEADER_BYTES;

	for (;;) {
		struct flat_piece_header header;
		struct flat_piece piece = { .order = file->nr };

		if (fd_pread_all(file->fd, &header, sizeof(header), offset) != sizeof(header))
			break;
		offset += sizeof(header);
		piece.at = be64toh(header.at);
		piece.size = be64toh(header.size);
		piece.offset = offset;
		if (piece.at == UINT64_MAX && piece.size == UINT64_MAX)
			break;
		if (!piece.size || piece.at + piece.size < piece.at)
			return error_new(EBADMSG, "%s is damaged: a piece of it has no size", path);
		/* The file was cut; the existing part of the piece counts. */
		if (piece.size > file_size - offset)
			piece.size = file_size - offset;
		if (piece.size && !array_push(file, piece))
			return &error_no_memory;
		offset += piece.size;
		if (piece.at + piece.size > file->size)
			file->size = piece.at + piece.size;
	}
	array_sort(file, compare_pieces);
	return file->nr ? NULL : error_new(EBADMSG, "%s is cut: it has no piece of a core", path);
}

struct error *flat_file_open(int fd, const char *path, uint64_t size, struct flat_file *ret)
{
	struct flat_header header = { 0 };
	ssize_t n = fd_pread_all(fd, &header, sizeof(header), 0);

	*ret = (struct flat_file){ .fd = fd, .size = size };
	if (n < 0)
		return error_errno(-n, "Cannot read %s", path);
	if (n != sizeof(header) || size < FLAT_HEADER_BYTES ||
	    strncmp(header.signature, FLAT_SIGNATURE, sizeof(header.signature)))
		return NULL;
	if (be64toh(header.type) != 1 || be64toh(header.version) != 1)
		return error_new(ENOTSUP, "%s is in a version of makedumpfile's form for pipes that is "
				 "not known", path);
	ret->size = 0;
	return read_pieces(path, size, ret);
}

/* The last piece that begins at or before @at; NULL: there is none. */
static const struct flat_piece *piece_before(const struct flat_file *file, uint64_t at)
{
	size_t nr = array_count_until(file, at, at);

	return nr ? &file->items[nr - 1] : NULL;
}

ssize_t flat_file_read(const struct flat_file *file, void *data, size_t size, uint64_t at)
{
	size_t done = 0;

	if (!file->items)
		return fd_pread_all(file->fd, data, size, at);
	/* Bytes outside of all pieces are zero, as in a file with holes. */
	if (at >= file->size)
		return 0;
	size = file->size - at < size ? file->size - at : size;
	memset(data, 0, size);
	while (done < size) {
		const struct flat_piece *piece = piece_before(file, at + done);
		const struct flat_piece *next = piece ? piece + 1 : file->items;
		uint64_t in = piece ? at + done - piece->at : 0;
		size_t here = size - done;
		ssize_t n;

		/* The next piece may begin inside of this one, and replaces its bytes. */
		if (next < file->items + file->nr && next->at - at - done < here)
			here = next->at - at - done;
		if (!piece || in >= piece->size) {
			done += here;
			continue;
		}
		here = piece->size - in < here ? piece->size - in : here;
		n = fd_pread_all(file->fd, (char *)data + done, here, piece->offset + in);
		if (n <= 0)
			return n < 0 ? n : (ssize_t)done;
		done += n;
	}
	return done;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that may be in makedumpfile's form for pipes (-F): pieces of another file, each with its
 * offset there, in the order in which they were written.  The file is not trusted.
 */
#ifndef KTRACE_VMCORE_FLAT_FILE_H
#define KTRACE_VMCORE_FLAT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct flat_piece {
	uint64_t at, size;	/* in the represented file */
	uint64_t offset;	/* of its bytes in this one */
	size_t order;		/* later ones replace earlier ones */
};

struct flat_file {
	int fd;			/* not owned */
	uint64_t size;		/* of the represented file, without missing pieces at its end */
	struct flat_piece *items;	/* NULL: the file represents itself */
	size_t nr, alloc;
};

/* Prepare to read @fd, which has @size bytes; it must stay open.  @path is for messages. */
struct error *flat_file_open(int fd, const char *path, uint64_t size, struct flat_file *ret);
void flat_file_close(struct flat_file *file);

/* Read bytes at @at of the represented file; returns their number, or -errno. */
ssize_t flat_file_read(const struct flat_file *file, void *data, size_t size, uint64_t at);

#endif

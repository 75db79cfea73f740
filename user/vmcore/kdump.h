/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compressed format of kdump, makedumpfile's default: the pages of the memory, each by itself,
 * behind a map of the existing pages.  The file is not trusted.
 */
#ifndef KTRACE_VMCORE_KDUMP_H
#define KTRACE_VMCORE_KDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "vmcore/flat_file.h"

struct kdump;

/* Whether a file begins as this format does. */
bool kdump_is(const struct flat_file *file);

/* Open @file, which must be kept open and has this machine's byte order.  @path is for messages. */
struct error *kdump_open(const struct flat_file *file, const char *path, struct kdump **ret);
void kdump_close(struct kdump *kdump);
DEFINE_CLEANUP_PTR(kdump, struct kdump, kdump_close)

size_t kdump_page_size(const struct kdump *kdump);

/* Bytes of all pages in the file, uncompressed. */
uint64_t kdump_bytes(const struct kdump *kdump);

/* The number of the first page from @number on that is in the file; UINT64_MAX: none. */
uint64_t kdump_next_page(const struct kdump *kdump, uint64_t number);

/*
 * Set *ret to the bytes of a page, until the next call.  Memory of the machine that the file leaves
 * out is zero.  A page that the machine did not have is an error (ENODATA).
 */
struct error *kdump_read_page(struct kdump *kdump, uint64_t number, const char **ret);

#endif

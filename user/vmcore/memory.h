/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The physical memory of a kernel that has died, from a vmcore.  It is an ELF file with a segment
 * for each range of memory, as /proc/vmcore after kexec, makedumpfile -E and QEMU's
 * dump-guest-memory write it, or a file in the compressed format of kdump.
 */
#ifndef KTRACE_VMCORE_MEMORY_H
#define KTRACE_VMCORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct memory;

/* Open a vmcore of this machine's byte order.  Errors name the file and the reason. */
struct error *memory_open(const char *path, struct memory **ret);
void memory_close(struct memory *memory);
DEFINE_CLEANUP_PTR(memory, struct memory, memory_close)

/* Bytes of memory in the vmcore, at most. */
uint64_t memory_size(const struct memory *memory);

/*
 * Read @size bytes at a physical address.  Parts of a segment that the vmcore leaves out are zero,
 * as in any core.  It is an error if no segment has the address, or if the file is cut before it.
 */
struct error *memory_read(struct memory *memory, uint64_t address, void *data, size_t size);

/*
 * Find the first page that @is_wanted accepts by its first @size bytes.  A page has 4 KiB or a
 * multiple of it, and begins at a multiple of its size.  Sets *ret to its address, or to UINT64_MAX
 * if there is none.
 */
struct error *memory_find_page(struct memory *memory, size_t size,
			       bool (*is_wanted)(const void *data, uint64_t address),
			       uint64_t *ret);

#endif

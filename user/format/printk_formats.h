/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel strings that fields point to, from tracefs' printk_formats.  Used only inside format/.
 */
#ifndef KTRACE_FORMAT_PRINTK_FORMATS_H
#define KTRACE_FORMAT_PRINTK_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct printk_formats {
	struct printk_format *items;	/* ascending by address */
	size_t nr, alloc;
};

void printk_formats_deinit(struct printk_formats *formats);

/* Add the lines of the form 'ADDRESS : "TEXT"'; others are ignored. */
struct error *printk_formats_parse(struct printk_formats *formats, const char *text);

/* Returns the string at @address, or NULL if none is known. */
const char *printk_formats_find(const struct printk_formats *formats, uint64_t address);

#endif

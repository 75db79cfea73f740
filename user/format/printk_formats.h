/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The texts of the kernel that fields point to: tracefs' printk_formats.
 * Inside format/ only.
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

/* Take in the lines 'ADDRESS : "TEXT"'; others are ignored. */
struct error *printk_formats_parse(struct printk_formats *formats, const char *text);

/* NULL: nothing known lies there. */
const char *printk_formats_find(const struct printk_formats *formats, uint64_t address);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The texts in a print fmt: what an argument of %s shows of a record.  Inside
 * format/ only.
 */
#ifndef KTRACE_FORMAT_PRINT_TEXT_H
#define KTRACE_FORMAT_PRINT_TEXT_H

#include <stdbool.h>

#include "format/print_value.h"
#include "lib/strbuf.h"

/* How a text is placed: "%-16.8s". */
struct print_width {
	bool left;
	int width;		/* 0: as it is */
	int precision;		/* -1: all of it */
};

/* The text behind an address of the kernel (printk_formats); NULL: unknown. */
typedef const char *(*print_address_fn)(void *context, uint64_t address);

struct print_text;

/* NULL: the tree has something this cannot show, or memory is out. */
struct print_text *print_text_create(const struct print_target *target,
				     const struct print_node *node);
void print_text_destroy(struct print_text *text);

/* Whether it may ask for the text behind an address. */
bool print_text_asks(const struct print_text *text);

void print_text_add(const struct print_text *text, const struct print_record *record,
		    const struct print_width *width, print_address_fn known, void *context,
		    struct strbuf *out);

/* Append @len bytes of @data, placed by @width. */
void print_placed_add(const char *data, size_t len, const struct print_width *width,
		      struct strbuf *out);

/* Where a dynamic array is, cut to the record; *ret_len 0: nowhere. */
const char *print_dynamic(const struct print_record *record, size_t offset, bool relative,
			  size_t *ret_len);

#endif

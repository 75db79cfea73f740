/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The strings in a print fmt: what an argument of %s shows of a record.  Used only inside
 * format/.
 */
#ifndef KTRACE_FORMAT_PRINT_TEXT_H
#define KTRACE_FORMAT_PRINT_TEXT_H

#include <stdbool.h>

#include "format/print_value.h"
#include "lib/strbuf.h"

/* How a string is padded and cut: "%-16.8s". */
struct print_width {
	bool left;
	int width;		/* 0: as it is */
	int precision;		/* -1: all of it */
};

/* Returns the string that the kernel has at this address (printk_formats), or NULL. */
typedef const char *(*print_address_fn)(void *context, uint64_t address);

struct print_text;

/* Returns NULL if the tree has something that cannot be shown, or if memory is out. */
struct print_text *print_text_create(const struct print_target *target,
				     const struct print_node *node);
void print_text_destroy(struct print_text *text);

/* Whether printing may call the function for strings at addresses. */
bool print_text_asks(const struct print_text *text);

void print_text_add(const struct print_text *text, const struct print_record *record,
		    const struct print_width *width, print_address_fn known, void *context,
		    struct strbuf *out);

/* Find a dynamic array, cut to the record.  *ret_len is 0 if it lies outside. */
const char *print_dynamic(const struct print_record *record, size_t offset, bool relative,
			  size_t *ret_len);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The texts of a histogram's keys: the titles of their columns, and their values.
 */
#ifndef KTRACE_TABLE_PROFILE_HISTOGRAM_KEY_TEXT_H
#define KTRACE_TABLE_PROFILE_HISTOGRAM_KEY_TEXT_H

#include "lib/strbuf.h"
#include "profile/histogram/histogram.h"

/* The width of "0x" and 16 digits, with "[k] " before them. */
#define ADDRESS_WIDTH	22

struct histogram_cell {
	size_t width;		/* bytes; values that are shorter are padded */
	bool cut_end;		/* wider names lose their ends; else ".." replaces the middle */
};

/* The title of the key at @position, which lives as long as @options. */
const char *histogram_key_text_title(const struct histogram_options *options, size_t position);

/* The width of a column without any values, and the width of a value. */
size_t histogram_key_text_least(enum histogram_key key);
size_t histogram_key_text_width(const struct histogram_options *options, size_t position,
				const struct histogram_entry *entry);

/* Append the value of the key at @position.  Those of symbols are not padded. */
void histogram_key_text_add(struct strbuf *ret, const struct histogram_options *options,
			    size_t position, const struct histogram_cell *cell,
			    const struct histogram_entry *entry);

/* The same, in its own width. */
void histogram_key_text_add_whole(struct strbuf *ret, const struct histogram_options *options,
				  size_t position, const struct histogram_entry *entry);

/* Pad the cell that begins at @from of @ret; colour sequences have no width. */
void histogram_key_text_pad(struct strbuf *ret, size_t from, size_t width);

void histogram_key_text_add_left(struct strbuf *ret, const char *text,
				 const struct histogram_cell *cell);
void histogram_key_text_add_right(struct strbuf *ret, const char *text,
				  const struct histogram_cell *cell);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages of Arrow's format for files and streams, which describe the bytes that follow them:
 * flatbuffers of Message.fbs, Schema.fbs and File.fbs, version 5.
 */
#ifndef KTRACE_OUTPUT_COLUMNS_ARROW_MESSAGE_H
#define KTRACE_OUTPUT_COLUMNS_ARROW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "output/columns/typed_rows.h"

#define ARROW_ALIGNMENT 64	/* of the parts of a body, bytes */

/* What follows a message: the buffers of its columns, one behind the other. */
struct arrow_body {
	struct {
		struct arrow_node {
			int64_t rows, nulls;
		} *items;
		size_t nr, alloc;
	} nodes;
	struct {
		struct arrow_buffer {
			const void *data;	/* borrowed; NULL: zeros */
			size_t size;
		} *items;
		size_t nr, alloc;
	} buffers;
	bool failed;			/* memory is out */
};

void arrow_body_deinit(struct arrow_body *body);
DEFINE_CLEANUP(arrow_body, struct arrow_body, arrow_body_deinit)

/* Append a column, and one of its buffers; each column has a fixed number of them. */
void arrow_body_add_node(struct arrow_body *body, size_t rows, size_t nulls);
void arrow_body_add(struct arrow_body *body, const void *data, size_t size);

/*
 * All buffers of zeros are the same bytes, which come last.  Returns their size, and the size of
 * the whole body, a multiple of ARROW_ALIGNMENT.
 */
size_t arrow_body_zeros(const struct arrow_body *body);
size_t arrow_body_size(const struct arrow_body *body);

/* Each function appends a message to an empty @out.  The dictionary of a column has its number. */
void arrow_message_add_schema(struct strbuf *out, const struct typed_rows *rows);
void arrow_message_add_rows(struct strbuf *out, size_t rows, const struct arrow_body *body);
void arrow_message_add_words(struct strbuf *out, size_t column, size_t words, bool more,
			     const struct arrow_body *body);

/* Where a message is in a file, as its end lists it. */
struct arrow_block {
	int64_t at;
	int32_t head;		/* bytes in front of the body */
	int32_t unused;
	int64_t body;		/* bytes */
};

struct arrow_blocks {
	struct arrow_block *items;
	size_t nr, alloc;
};

void arrow_message_add_footer(struct strbuf *out, const struct typed_rows *rows,
			      const struct arrow_blocks *words, const struct arrow_blocks *pieces);

#endif

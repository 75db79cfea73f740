/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines made by several threads, and put out in the order of their records.
 *
 * The thread that reads fills batches.  The other threads make text of them,
 * and so does the reading one when all batches are full; it alone writes.  What
 * stands alone (text_line.h) is given as records, everything else as text that
 * is made where it was read.  The batches are all the memory there is: about
 * 200 kB each, 2 and 8 for each thread beside the caller's.
 */
#ifndef KTRACE_OUTPUT_TEXT_THREADS_H
#define KTRACE_OUTPUT_TEXT_THREADS_H

#include <stdio.h>

#include "output/text_line.h"

/* More are no use: one thread reads for all. */
#define TEXT_THREADS_MAX	16

struct text_threads;

/*
 * @nr: threads that make lines, that of the caller included; at least 1.  They
 * begin with the first full batch; one that cannot be made is done without.
 * @out and @style are borrowed.
 */
struct error *text_threads_create(FILE *out, const struct text_style *style, unsigned int nr,
				  struct text_threads **ret);

/* Nothing more is written; what was not, is lost. */
void text_threads_destroy(struct text_threads *threads);

/*
 * A sample that stands alone.  Copied, but for its event, its format and its
 * comm, which must stay until text_threads_finish().  Errors: the output cannot be
 * written, or memory is out.
 */
struct error *text_threads_add_sample(struct text_threads *threads,
				      const struct session_record *r);

/* Any text; copied. */
struct error *text_threads_add_text(struct text_threads *threads, const char *text, size_t len);

/* Write everything that was added. */
struct error *text_threads_finish(struct text_threads *threads);

#endif

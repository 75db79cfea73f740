/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several threads make lines, which are written in the order of their records.
 *
 * The reading thread fills batches.  The other threads turn them into text; so does the
 * reading thread when all batches are full; only that one writes.  Samples that stand alone
 * (text_line.h) are passed as records, everything else as text that the reading thread has
 * made.  The batches are all the memory that is used, about 200 kB each: 2, and 8 for each
 * thread beside the caller's.
 */
#ifndef KTRACE_OUTPUT_TEXT_TEXT_THREADS_H
#define KTRACE_OUTPUT_TEXT_TEXT_THREADS_H

#include <stdio.h>

#include "output/text/text_line.h"

/* More threads do not help: one thread reads for all. */
#define TEXT_THREADS_MAX	16

struct text_threads;

/*
 * @nr is the number of threads that make lines, including the caller's; at least 1.  They
 * start with the first full batch; if one cannot be created, we go on without it.  @out and
 * @style are borrowed.
 */
struct error *text_threads_create(FILE *out, const struct text_style *style, unsigned int nr,
				  struct text_threads **ret);

/* Destroy without writing anything more: text that was not written is lost. */
void text_threads_destroy(struct text_threads *threads);

/*
 * Add a sample that stands alone.  It is copied, except for its event, its format and its
 * comm, which must stay until text_threads_finish().  It is an error if the output cannot be
 * written, or if memory is out.
 */
struct error *text_threads_add_sample(struct text_threads *threads,
				      const struct session_record *r);

/* Add any text, which is copied. */
struct error *text_threads_add_text(struct text_threads *threads, const char *text, size_t len);

/* Write everything that was added. */
struct error *text_threads_finish(struct text_threads *threads);

#endif

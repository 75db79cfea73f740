/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several threads format lines, which are written in the order of their records.
 *
 * The reading thread fills batches.  The other threads turn them into text.  When all batches are
 * full, the reading thread does so, too; it alone writes.  Samples whose lines stand alone
 * (text_line.h) are passed as records.  Everything else is passed as text, which the reading thread
 * has formatted.  All memory is in the batches, about 200 kB each: 2, and 8 for each thread beside
 * the caller's.
 */
#ifndef KTRACE_OUTPUT_TEXT_TEXT_THREADS_H
#define KTRACE_OUTPUT_TEXT_TEXT_THREADS_H

#include <stdio.h>

#include "output/text/text_line.h"

/* More threads gain nothing: one thread reads for all. */
#define TEXT_THREADS_MAX	16

struct text_threads;

/*
 * @nr is the number of threads that format lines, including the caller's; at least 1.  They start
 * with the first full batch.  If one cannot be created, work goes on without it.  @out and @style
 * are borrowed.
 */
struct error *text_threads_create(FILE *out, const struct text_style *style, unsigned int nr,
				  struct text_threads **ret);

/* Destroy without further writing: unwritten text is lost. */
void text_threads_destroy(struct text_threads *threads);

/*
 * Add a sample whose line stands alone.  It is copied, except for its event, its format and its
 * comm, which must be kept until text_threads_finish().  It is an error if the output cannot be
 * written, or if memory is out.
 */
struct error *text_threads_add_sample(struct text_threads *threads,
				      const struct session_record *r);

/* Add any text, which is copied. */
struct error *text_threads_add_text(struct text_threads *threads, const char *text, size_t len);

/* Write everything that was added. */
struct error *text_threads_finish(struct text_threads *threads);

#endif

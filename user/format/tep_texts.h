/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What libtraceevent prints of records.  Made in a child process, as
 * tep_verdict.h's: it can crash, and what it then did not print is not known.
 */
#ifndef KTRACE_FORMAT_TEP_TEXTS_H
#define KTRACE_FORMAT_TEP_TEXTS_H

#include <stddef.h>

#include "lib/error.h"

struct tep_text_format {
	const char *system;
	const char *text;	/* of the format file */
};

struct tep_bytes {
	const void *raw;
	size_t size;
};

/*
 * @texts has @nr pointers: NULL where libtraceevent has no text, because it does
 * not understand the print fmt; the rest are to be freed.  *ret_done: how many
 * were tried before it crashed; @nr: it did not.
 */
struct error *tep_texts_make(const struct tep_text_format *formats, size_t nr_formats,
			     const struct tep_bytes *records, size_t nr, char **texts,
			     size_t *ret_done);

#endif

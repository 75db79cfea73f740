/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The texts that libtraceevent prints for records.  A child process prints them, as in
 * tep_verdict.h, because libtraceevent can crash; the remaining texts are then unknown.
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
 * Fill the @nr pointers of @texts; the caller frees them.  NULL: libtraceevent has no text because
 * it does not understand the print fmt.  *ret_done is the number of records that were tried before
 * it crashed, or @nr if it did not.
 */
struct error *tep_texts_make(const struct tep_text_format *formats, size_t nr_formats,
			     const struct tep_bytes *records, size_t nr, char **texts,
			     size_t *ret_done);

#endif

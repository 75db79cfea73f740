/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of a file that describes a machine, and errors in it.
 */
#ifndef KTRACE_MACHINE_MODEL_TEXT_H
#define KTRACE_MACHINE_MODEL_TEXT_H

#include <stddef.h>

#include "lib/error.h"

/* The maximum size of a model, bytes. */
#define MODEL_TEXT_MAX	(1 << 20)

struct model_text {
	char *path;	/* for errors; owned */
	char *text;	/* owned, ends in a NUL and has none before it */
	size_t len;
};

void model_text_deinit(struct model_text *text);

/* Copy @path and the @len bytes.  EINVAL: the text is too long, or has a NUL. */
struct error *model_text_init(struct model_text *ret, const char *path, const char *text,
			      size_t len);

/* "PATH:LINE: message", the line, and a caret under byte @pos of the text; EINVAL. */
struct error *model_text_error(const struct model_text *text, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "PATH:LINE: " in front of an error; the line is that of @pos. */
struct error *model_text_prefix(const struct model_text *text, size_t pos, struct error *err);

#endif

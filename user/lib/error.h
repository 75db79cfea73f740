/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An error is an object with one sentence, which gives the cause, and the next step.
 *
 * Every function that can fail returns `struct error *`, which is NULL for success.  It stores its
 * result through a last parameter `ret`, on success only.  The caller owns the error: it returns
 * the error to its own caller, or passes it to error_free() or to error_report() of lib/log.h.  The
 * error for running out of memory is a static object, so creating it cannot fail.
 */
#ifndef KTRACE_LIB_ERROR_H
#define KTRACE_LIB_ERROR_H

#include <stddef.h>

struct error {
	int code;	/* an errno value, or 0 where none fits */
	char *message;	/* a sentence without a final dot or newline */
	char *hint;	/* the next step, same form; NULL: none is known */
};

/* The only error that is not allocated; error_free() ignores it. */
extern struct error error_no_memory;

/* Create an error.  @code is 0 if no errno value fits. */
struct error *error_new(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* As error_new(), with ": " and the text of the errno value @code appended. */
struct error *error_errno(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Put "<fmt>: " before the message of @err; returns @err. */
struct error *error_prefix(struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Set the next step, replacing an older one; returns @err. */
struct error *error_hint(struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void error_free(struct error *err);

#endif

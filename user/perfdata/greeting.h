/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is said on a socket before a recording goes over it.  The recorder sends the line
 * "ktrace-stream 1 TOKEN", with "-" if it has no token, and then waits.  The listener answers
 * "ktrace-stream 1 " and one of these words: "ok", and the stream begins; "token" if it wants
 * another one; "version" if it does not know the number.  To anything else it answers nothing.
 */
#ifndef KTRACE_PERFDATA_GREETING_H
#define KTRACE_PERFDATA_GREETING_H

#include "lib/error.h"

/* Bytes of a token: printable characters without spaces. */
#define TOKEN_MIN	16
#define TOKEN_MAX	256

/* Where a token is taken from if no file has it. */
#define TOKEN_VARIABLE	"KTRACE_TOKEN"

/*
 * Read the token: the first line of the file @path, or with NULL the variable of the environment,
 * which is then removed, so that no program that we execute gets it.  *ret is NULL if there is no
 * such variable; free() it.
 */
struct error *token_read(const char *path, char **ret);

/*
 * Greet the listener at the other end of @fd, which @name names in messages.  Errors: EACCES: it
 * wants another token; ECONNRESET: it ended the connection; ETIMEDOUT.
 */
struct error *greeting_send(int fd, const char *name, const char *token);

/*
 * Read the greeting of a recorder and answer it.  @token NULL: any will do.  @wait is called
 * before every read, and returns 0 when @fd is readable, or -errno.  The error says what is wrong
 * with the recorder.
 */
struct error *greeting_check(int fd, const char *token, int (*wait)(void *data, int fd),
			     void *data);

#endif

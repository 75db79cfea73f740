/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is said on a socket before a recording goes over it, in lines that begin with
 * "ktrace-stream 2 ".  The recorder sends a random number, or "-" if it has no token.  If both have
 * one, the listener sends its proof that it knows the token, and a random number, and the recorder
 * its own proof, or "-" if it does not take that of the listener.  Proofs are keyed hashes of both
 * numbers, so that the token is never sent, and what was heard once is of no use later.
 *
 * At the end the listener says "ok", and the stream begins; "token" if it wants another one;
 * "version" if it does not know the number.  To anything else it answers nothing.
 */
#ifndef KTRACE_PERFDATA_GREETING_H
#define KTRACE_PERFDATA_GREETING_H

#include <stdbool.h>
#include <stddef.h>

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
 * wants another token, or does not know ours; ECONNRESET: it ended the connection; ETIMEDOUT.
 */
struct error *greeting_send(int fd, const char *name, const char *token);

/* 128 bits in hexadecimal digits. */
#define GREETING_WORD	32

/* What a recorder has said so far; zero but for fd at first. */
struct greeting {
	int fd;
	char line[512];
	size_t len;
	char numbers[2][GREETING_WORD + 1];	/* the recorder's and ours; "": not yet */
};

/*
 * Read what has come of the greeting of a recorder and answer it; never blocks.  @token NULL: any
 * will do.  Returns true when all is said: *ret is NULL if the recorder may send its stream, or
 * says what is wrong with it.
 */
bool greeting_advance(struct greeting *greeting, const char *token, struct error **ret);

#endif

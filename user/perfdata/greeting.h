/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The greeting on a socket before a recording is sent over it: lines that begin with "ktrace-stream
 * 2 ".  The recorder sends a random number, or "-" if it has no token.  If both sides have a token,
 * the listener sends a random number and its proof that it knows the token.  The recorder answers
 * with its own proof, or with "-" if the listener's is wrong.  Proofs are keyed hashes of both
 * numbers, so the token is never sent, and a recorded greeting cannot be replayed.
 *
 * At the end the listener sends "ok", and the stream begins.  It sends "token" if it wants another
 * token, and "version" if it does not know the version.  It does not answer anything else.
 */
#ifndef KTRACE_PERFDATA_GREETING_H
#define KTRACE_PERFDATA_GREETING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/* Bytes of a token: printable characters without spaces. */
#define TOKEN_MIN	16
#define TOKEN_MAX	256

/* The environment variable with the token, used if no file is given. */
#define TOKEN_VARIABLE	"KTRACE_TOKEN"

/*
 * Read the token: the first line of the file @path.  With NULL, it is taken from the environment
 * variable, which is then removed, so that no program that we execute gets it.  *ret is NULL if the
 * variable is not set; free() it.
 */
struct error *token_read(const char *path, char **ret);

/*
 * Greet the listener at the other end of @fd; messages call it @name.  EACCES: it wants another
 * token, or does not know ours.  ECONNRESET: it ended the connection.  ETIMEDOUT: it did not
 * answer.
 */
struct error *greeting_send(int fd, const char *name, const char *token);

/* 128 bits in hexadecimal digits. */
#define GREETING_WORD	32

/* The state of a recorder's greeting.  Initialize all but fd to zero. */
struct greeting {
	int fd;
	char line[512];
	size_t len;
	char numbers[2][GREETING_WORD + 1];	/* the recorder's and ours; "": not there yet */
};

/*
 * Read the received part of a recorder's greeting and answer it; never blocks.  @token NULL: accept
 * any recorder.  Returns true when the greeting is complete.  *ret is then NULL if the recorder may
 * send its stream, else the reason to refuse it.
 */
bool greeting_advance(struct greeting *greeting, const char *token, struct error **ret);

#endif

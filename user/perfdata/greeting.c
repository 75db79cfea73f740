// SPDX-License-Identifier: GPL-2.0
#include "perfdata/greeting.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/siphash.h"
#include "lib/strbuf.h"

#define GREETING	"ktrace-stream "
#define VERSION		"2"

/* The limit of the wait for an answer.  A listener gives each recorder less time. */
#define ANSWER_MS	15000

static struct error *token_check(const char *token, const char *from)
{
	size_t len = strlen(token);

	if (len < TOKEN_MIN || len > TOKEN_MAX)
		return error_hint(error_new(EINVAL, "The token of %s has %zu characters, not %d to "
					    "%d", from, len, TOKEN_MIN, TOKEN_MAX),
				  "'head -c 16 /dev/urandom | base64' makes one");
	for (const char *p = token; *p; p++)
		if (!isgraph((unsigned char)*p))
			return error_hint(error_new(EINVAL, "The token of %s has an unprintable "
						    "character", from),
					  "'head -c 16 /dev/urandom | base64' makes one");
	return NULL;
}

struct error *token_read(const char *path, char **ret)
{
	_cleanup_free_ char *token = NULL;
	const char *variable = getenv(TOKEN_VARIABLE);
	struct error *err = NULL;

	*ret = NULL;
	if (path) {
		err = file_read(path, &token, &(size_t){ 0 });
		if (!err)
			token[strcspn(token, "\r\n")] = '\0';
	} else if (variable) {
		token = strdup(variable);
		err = token ? NULL : &error_no_memory;
	}
	if (!err && token)
		err = token_check(token, path ? path : TOKEN_VARIABLE);
	unsetenv(TOKEN_VARIABLE);
	if (!err)
		*ret = take_ptr(token);
	return err;
}

static int send_line(int fd, const char *word)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;
	ssize_t n;

	strbuf_addf(&line, GREETING VERSION " %s\n", word);
	if (line.failed)
		return -ENOMEM;
	/* A new connection has room for a line. */
	n = send(fd, line.data, line.len, MSG_NOSIGNAL | MSG_DONTWAIT);
	return n < 0 ? -errno : (size_t)n == line.len ? 0 : -ECONNRESET;
}

/*
 * Read the received part of a line, which must be the end of the received data.  The newline is
 * replaced by a NUL.  Returns 0 or -errno.  -EAGAIN: the rest has not come yet.  -EPROTO: bytes
 * follow the line, or it is too long.
 */
static int read_line(struct greeting *g)
{
	ssize_t n = recv(g->fd, g->line + g->len, sizeof(g->line) - g->len, MSG_DONTWAIT);
	char *newline;

	if (n <= 0)
		return !n ? -ECONNRESET : errno == EINTR ? -EAGAIN : -errno;
	newline = memchr(g->line + g->len, '\n', n);
	g->len += n;
	if (!newline)
		return g->len == sizeof(g->line) ? -EPROTO : -EAGAIN;
	*newline = '\0';
	if (newline + 1 != g->line + g->len || strlen(g->line) + 1 != g->len)
		return -EPROTO;
	g->len = 0;
	return 0;
}

/*
 * Returns the words behind the version.  NULL: the line is no greeting of ktrace, or it has another
 * version (*ret_other).
 */
static const char *words_of(const char *line, bool *ret_other)
{
	const char *version = line + strlen(GREETING), *end;

	*ret_other = false;
	if (strncmp(line, GREETING, strlen(GREETING)) != 0)
		return NULL;
	end = strchr(version, ' ');
	*ret_other = !end || end - version != (ptrdiff_t)strlen(VERSION) ||
		     strncmp(version, VERSION, strlen(VERSION)) != 0;
	return *ret_other ? NULL : end + 1;
}

static bool is_greeting_number(const char *word)
{
	return strlen(word) == GREETING_WORD &&
	       strspn(word, "0123456789abcdef") == GREETING_WORD;
}

static int make_number(char ret[GREETING_WORD + 1])
{
	uint64_t random[2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -errno;
	snprintf(ret, GREETING_WORD + 1, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
	return 0;
}

/* Create the proof that @who ("listener" or "recorder") knows the token. */
static void make_proof(const char *token, const char *who, const struct greeting *g,
		       char ret[GREETING_WORD + 1])
{
	static const uint64_t known[2] = { 1, 2 };
	uint64_t key[4], halves[2];
	char text[96];
	int len = snprintf(text, sizeof(text), "%s %s %s", who, g->numbers[0], g->numbers[1]);

	for (size_t i = 0; i < 4; i++)
		key[i] = siphash(known, i, token, strlen(token));
	for (size_t i = 0; i < 2; i++)
		halves[i] = siphash(key + 2 * i, i, text, len);
	snprintf(ret, GREETING_WORD + 1, "%016" PRIx64 "%016" PRIx64, halves[0], halves[1]);
}

/* Compares in constant time, so that the time does not reveal the first difference. */
static bool is_proof(const char *word, const char *token, const char *who,
		     const struct greeting *g)
{
	char right[GREETING_WORD + 1];
	volatile unsigned char difference = 0;

	make_proof(token, who, g, right);
	if (strlen(word) != GREETING_WORD)
		return false;
	for (size_t i = 0; i < GREETING_WORD; i++)
		difference |= word[i] ^ right[i];
	return !difference;
}

static int read_answer(struct greeting *g)
{
	struct pollfd pollfd = { .fd = g->fd, .events = POLLIN };
	int n, code = -EAGAIN;

	while (code == -EAGAIN) {
		do
			n = interrupt_poll(&pollfd, 1, ANSWER_MS);
		while (n < 0 && errno == EINTR && !interrupt_signal());
		code = n > 0 ? read_line(g) : n ? -errno : -ETIMEDOUT;
	}
	return code;
}

/* Take the proof of the listener and answer it; false: it does not know the token. */
static bool answer_proof(struct greeting *g, const char *token, const char *words, int *ret_code)
{
	char proof[GREETING_WORD + 1] = "", own[GREETING_WORD + 1] = "-";
	bool is_right;

	if (sscanf(words, "%32s %32s", proof, g->numbers[1]) != 2 || !is_greeting_number(g->numbers[1]))
		return false;
	is_right = is_proof(proof, token, "listener", g);
	if (is_right)
		make_proof(token, "recorder", g, own);
	*ret_code = send_line(g->fd, own);
	if (!*ret_code && is_right)
		*ret_code = read_answer(g);
	return is_right;
}

static struct error *connection_failed(int code, const char *name)
{
	if (code == -ECONNRESET || code == -EPIPE)
		return error_hint(error_new(ECONNRESET, "%s ended the connection before the recording "
					    "began", name),
				  "A listener accepts one recorder; perhaps it has another one");
	if (code == -ETIMEDOUT)
		return error_hint(error_errno(ETIMEDOUT, "No answer comes from %s", name),
				  "'ktrace script --listen ADDRESS' answers");
	return error_errno(-code, "Cannot read the answer of %s", name);
}

struct error *greeting_send(int fd, const char *name, const char *token)
{
	struct greeting g = { .fd = fd };
	bool is_known = !token, is_other;
	const char *words;
	int code = token ? make_number(g.numbers[0]) : 0;

	if (!code)
		code = send_line(fd, token ? g.numbers[0] : "-");
	if (!code)
		code = read_answer(&g);
	words = code ? NULL : words_of(g.line, &is_other);
	if (words && token && strchr(words, ' ')) {
		is_known = answer_proof(&g, token, words, &code);
		words = is_known && !code ? words_of(g.line, &is_other) : "";
	}
	if (code)
		return connection_failed(code, name);
	if (!words && !is_other)
		return error_hint(error_new(EPROTO, "The program that listens at %s is not ktrace",
					    name),
				  "Start 'ktrace script --listen ADDRESS' there");
	if (!words || !strcmp(words, "version"))
		return error_hint(error_new(EPROTO, "%s is of another version of ktrace", name),
				  "-o - through a pipe works between versions");
	if (!strcmp(words, "ok") && is_known)
		return NULL;
	return error_hint(error_new(EACCES, "%s does not %s the token, and nothing was recorded", name,
				    is_known ? "take" : "know"),
			  "Give the listener's token with --token FILE or %s", TOKEN_VARIABLE);
}

static struct error *greeting_failed(int code)
{
	if (code == -ECONNRESET)
		return error_new(ECONNRESET, "it ended before its greeting");
	return error_new(EPROTO, "it is not a ktrace recorder");
}

static struct error *refuse_token(const struct greeting *g)
{
	send_line(g->fd, "token");
	return error_new(EACCES, "its token is missing or wrong");
}

/* Send our proof and our number. */
static int send_proof(struct greeting *g, const char *token, const char *number)
{
	char words[2 * GREETING_WORD + 2];
	int code = make_number(g->numbers[1]);

	if (code)
		return code;
	memcpy(g->numbers[0], number, GREETING_WORD + 1);
	make_proof(token, "listener", g, words);
	words[GREETING_WORD] = ' ';
	memcpy(words + GREETING_WORD + 1, g->numbers[1], GREETING_WORD + 1);
	return send_line(g->fd, words);
}

bool greeting_advance(struct greeting *g, const char *token, struct error **ret)
{
	int code = read_line(g);
	const char *words;
	bool is_other;

	if (code == -EAGAIN)
		return false;
	words = code ? NULL : words_of(g->line, &is_other);
	*ret = NULL;
	if (code || (!words && !is_other)) {
		*ret = greeting_failed(code);
	} else if (!words) {
		send_line(g->fd, "version");
		*ret = error_new(EPROTO, "it is of another version of ktrace");
	} else if (token && !*g->numbers[1] && is_greeting_number(words)) {
		code = send_proof(g, token, words);
		if (!code)
			return false;
	} else if (token && (!*g->numbers[1] || !is_proof(words, token, "recorder", g))) {
		*ret = refuse_token(g);
	} else {
		code = send_line(g->fd, "ok");
	}
	if (!*ret && code)
		*ret = error_new(-code, "it ended after its greeting");
	return true;
}

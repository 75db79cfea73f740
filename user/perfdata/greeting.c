// SPDX-License-Identifier: GPL-2.0
#include "perfdata/greeting.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/strbuf.h"

#define GREETING	"ktrace-stream "
#define VERSION		"1"
#define LINE_MAX_BYTES	512

/* A listener that reads greetings one by one gives each recorder less than this. */
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
			return error_hint(error_new(EINVAL, "The token of %s has a character that is "
						    "not printed", from),
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
 * Read one line, behind which nothing may stand yet.  The newline is replaced by a NUL.  Returns 0
 * or -errno; -EPROTO: there is more, or too much.
 */
static int read_line(int fd, char *line, int (*wait)(void *data, int fd), void *data)
{
	size_t len = 0;

	for (;;) {
		int code = wait(data, fd);
		char *newline;
		ssize_t n;

		if (code)
			return code;
		n = recv(fd, line + len, LINE_MAX_BYTES - len, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n ? -errno : -ECONNRESET;
		newline = memchr(line + len, '\n', n);
		len += n;
		if (newline) {
			*newline = '\0';
			return newline + 1 == line + len && strlen(line) + 1 == len ? 0 : -EPROTO;
		}
		if (len == LINE_MAX_BYTES)
			return -EPROTO;
	}
}

static int wait_for_answer(void *data, int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int n;

	(void)data;
	do
		n = interrupt_poll(&pollfd, 1, ANSWER_MS);
	while (n < 0 && errno == EINTR && !interrupt_signal());
	return n > 0 ? 0 : n ? -errno : -ETIMEDOUT;
}

struct error *greeting_send(int fd, const char *name, const char *token)
{
	const char *word, *begin = GREETING VERSION " ";
	char line[LINE_MAX_BYTES];
	int code = send_line(fd, token ? token : "-");

	if (!code)
		code = read_line(fd, line, wait_for_answer, NULL);
	if (code == -ECONNRESET || code == -EPIPE)
		return error_hint(error_new(ECONNRESET, "%s ended the connection before the recording "
					    "began", name),
				  "A listener takes one recorder; perhaps it has another one");
	if (code == -ETIMEDOUT)
		return error_hint(error_errno(ETIMEDOUT, "No answer comes from %s", name),
				  "'ktrace script --listen ADDRESS' gives one");
	if (code)
		return error_errno(-code, "Cannot read the answer of %s", name);
	if (strncmp(line, begin, strlen(begin)))
		return error_hint(error_new(EPROTO, "What listens at %s is not ktrace", name),
				  "'ktrace script --listen ADDRESS' is what listens");
	word = line + strlen(begin);
	if (!strcmp(word, "ok"))
		return NULL;
	if (!strcmp(word, "token"))
		return error_hint(error_new(EACCES, "%s does not take the token, and nothing was "
					    "recorded", name),
				  "--token FILE or %s gives the one of the listener",
				  TOKEN_VARIABLE);
	return error_hint(error_new(EPROTO, "%s is of another version of ktrace", name),
			  "-o - through a pipe works between versions");
}

/* Takes as long wherever the first difference is. */
static bool tokens_equal(const char *a, const char *b)
{
	char padded_a[TOKEN_MAX + 1] = "", padded_b[TOKEN_MAX + 1] = "";
	volatile unsigned char difference = strlen(a) > TOKEN_MAX || strlen(b) > TOKEN_MAX;

	if (difference)
		return false;
	memcpy(padded_a, a, strlen(a));
	memcpy(padded_b, b, strlen(b));
	for (size_t i = 0; i < sizeof(padded_a); i++)
		difference |= padded_a[i] ^ padded_b[i];
	return !difference;
}

struct error *greeting_check(int fd, const char *token, int (*wait)(void *data, int fd),
			     void *data)
{
	char line[LINE_MAX_BYTES], *version, *word;
	int code = read_line(fd, line, wait, data);

	if (code == -ETIMEDOUT)
		return error_new(ETIMEDOUT, "it said nothing for too long");
	if (code == -ECONNRESET)
		return error_new(ECONNRESET, "it ended before its greeting");
	if (code == -EINTR)
		return error_new(EINTR, "a signal came");
	if (code || strncmp(line, GREETING, strlen(GREETING)))
		return error_new(EPROTO, "it is no ktrace recorder");
	version = line + strlen(GREETING);
	word = strchr(version, ' ');
	if (!word || word - version != (ptrdiff_t)strlen(VERSION) ||
	    strncmp(version, VERSION, strlen(VERSION))) {
		send_line(fd, "version");
		return error_new(EPROTO, "it is of another version of ktrace");
	}
	if (token && !tokens_equal(word + 1, token)) {
		send_line(fd, "token");
		return error_new(EACCES, "its token is missing or wrong");
	}
	code = send_line(fd, "ok");
	return code ? error_new(-code, "it ended after its greeting") : NULL;
}

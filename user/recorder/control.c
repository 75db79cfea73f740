// SPDX-License-Identifier: GPL-2.0
#include "recorder/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/log.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "terminal/word_list.h"

/* More than the length of perf's longest command. */
#define CONTROL_BYTES	4096

static const char *const control_words[] = {
	[CONTROL_ENABLE] = "enable", [CONTROL_DISABLE] = "disable", [CONTROL_PING] = "ping",
	[CONTROL_STOP] = "stop", [CONTROL_SNAPSHOT] = "snapshot",
};

void control_close(struct control *control)
{
	if (control->owned && control->fd >= 0)
		close(control->fd);
	if (control->owned && control->ack >= 0)
		close(control->ack);
	*control = (struct control)CONTROL_INIT;
}

static struct error *control_open_number(const char *text, int *ret)
{
	unsigned long long number;

	if (!parse_u64(text, &number) || number > INT_MAX)
		return error_new(EINVAL, "--control fd: takes numbers of descriptors, not '%s'", text);
	if (fcntl(number, F_GETFD) < 0)
		return error_hint(error_errno(errno, "There is no descriptor %s (--control)", text),
				  "The program that starts ktrace opens it, as in: ktrace stat --control "
				  "fd:10 ... 10<>pipe");
	*ret = number;
	return NULL;
}

/*
 * As in perf, it is opened for both directions, so that opening does not wait for the other side.
 */
static struct error *control_open_fifo(const char *path, int *ret)
{
	*ret = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return *ret >= 0 ? NULL : error_hint(error_errno(errno, "Cannot open %s (--control)", path),
					     "mkfifo creates it");
}

static struct error *control_open_one(const struct control *control, const char *text, int *ret)
{
	return control->owned ? control_open_fifo(text, ret) : control_open_number(text, ret);
}

struct error *control_open(const char *text, struct control *ret)
{
	_cleanup_(control) struct control control = CONTROL_INIT;
	_cleanup_free_ char *first = NULL;
	struct error *err;
	const char *comma;

	control.owned = !strncmp(text, "fifo:", strlen("fifo:"));
	if (!control.owned && strncmp(text, "fd:", strlen("fd:")))
		return error_hint(error_new(EINVAL, "--control takes fd:CTL[,ACK] or fifo:CTL[,ACK], not "
					    "'%s'", text),
				  "As in: mkfifo ctl; ktrace stat -D -1 --control fifo:ctl ...");
	text = strchr(text, ':') + 1;
	comma = strchr(text, ',');
	first = comma ? strndup(text, comma - text) : strdup(text);
	if (!first)
		return &error_no_memory;
	err = control_open_one(&control, first, &control.fd);
	if (!err && comma)
		err = control_open_one(&control, comma + 1, &control.ack);
	if (err)
		return err;
	*ret = control;
	control = (struct control)CONTROL_INIT;
	return NULL;
}

static struct error *control_do(struct control *control, const char *word, control_fn function,
				void *data)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	unsigned int row = word_find(WORDS(control_words), word);
	struct error *err;

	if (row == WORD_NONE) {
		word_add_names(WORDS(control_words), " and ", &names);
		log_warning("--control takes %s, not '%s'", strbuf_str(&names), word);
		return NULL;
	}
	log_debug("Command of --control: %s", word);
	err = function(data, row);
	/* A client that does not wait for the answer may have gone. */
	if (!err && control->ack >= 0 && fd_write_all(control->ack, "ack\n", 4))
		log_warning("Nobody reads the answer to '%s' (--control)", word);
	return err;
}

struct error *control_read(struct control *control, control_fn function, void *data)
{
	struct pollfd readable = { .fd = control->fd, .events = POLLIN };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	char bytes[CONTROL_BYTES + 1], *state;
	struct error *err = NULL;
	ssize_t len;

	if (control->fd < 0 || poll(&readable, 1, 0) <= 0 || !readable.revents)
		return NULL;
	len = read(control->fd, bytes, CONTROL_BYTES);
	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return NULL;
	if (len < 0)
		return error_errno(errno, "Cannot read commands (--control)");
	if (!len) {
		if (control->owned)
			close(control->fd);
		control->fd = -1;
		return NULL;
	}
	/* A command ends with a line end or a NUL, or with the end of a write. */
	for (ssize_t i = 0; i < len; i++)
		bytes[i] = bytes[i] ? bytes[i] : '\n';
	strbuf_add(&text, bytes, len);
	if (text.failed)
		return &error_no_memory;
	for (char *word = strtok_r(text.data, "\n", &state); !err && word;
	     word = strtok_r(NULL, "\n", &state))
		err = control_do(control, word, function, data);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "perfdata/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/monotonic.h"
#include "lib/socket_address.h"
#include "perfdata/greeting.h"

/* For a recorder to greet, in all. */
#define GREETING_MS	5000

const char *listener_address, *listener_token_file;

static const int listener_signals[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t listener_caught;

struct listener {
	struct socket_address address;
	char *token;		/* NULL: none is wanted */
	int fd;			/* -1: none */
	bool is_bound;		/* a Unix socket has a file, which is ours */
	struct sigaction before[ARRAY_SIZE(listener_signals)];
	sigset_t mask;		/* that was before */
};

static void listener_on_signal(int number)
{
	listener_caught = number;
}

/* The signals are handled only while we wait, so that none comes in between unseen. */
static void listener_init(struct listener *listener)
{
	struct sigaction action = { .sa_handler = listener_on_signal };
	sigset_t set;

	*listener = (struct listener){ .fd = -1 };
	listener_caught = 0;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(listener_signals); i++) {
		sigaddset(&set, listener_signals[i]);
		sigaction(listener_signals[i], NULL, &listener->before[i]);
		if (listener->before[i].sa_handler != SIG_IGN)
			sigaction(listener_signals[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &set, &listener->mask);
}

static void listener_deinit(struct listener *listener)
{
	if (listener->is_bound)
		unlink(socket_address_path(&listener->address));
	if (listener->fd >= 0)
		close(listener->fd);
	free(listener->token);
	for (size_t i = 0; i < ARRAY_SIZE(listener_signals); i++)
		sigaction(listener_signals[i], &listener->before[i], NULL);
	sigprocmask(SIG_SETMASK, &listener->mask, NULL);
	if (listener_caught)
		raise(listener_caught);
}
DEFINE_CLEANUP(listener, struct listener, listener_deinit)

/* Returns 0 when @fd is readable, or -errno.  @timeout_ms below 0: for ever. */
static int listener_wait(const struct listener *listener, int fd, int64_t timeout_ms)
{
	const struct timespec timeout = {
		.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000,
	};
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int n;

	do
		n = ppoll(&pollfd, 1, timeout_ms < 0 ? NULL : &timeout, &listener->mask);
	while (n < 0 && errno == EINTR && !listener_caught);
	return n > 0 ? 0 : n ? -errno : -ETIMEDOUT;
}

/* A socket that a killed process left refuses connections; one that is busy is not waited for. */
static bool remove_stale(const struct socket_address *address)
{
	const char *path = socket_address_path(address);
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	return path && fd >= 0 && !lstat(path, &st) && S_ISSOCK(st.st_mode) &&
	       connect(fd, (const struct sockaddr *)&address->storage, address->size) &&
	       errno == ECONNREFUSED && !unlink(path);
}

static struct error *listener_bind(struct listener *listener)
{
	struct socket_address *address = &listener->address;
	const struct sockaddr *to = (const struct sockaddr *)&address->storage;
	int code;

	listener->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return error_errno(errno, "Cannot make a socket for %s", listener_address);
	if (socket_address_path(address))
		/* The file of the socket gets this mode: other users have no business there. */
		fchmod(listener->fd, 0600);
	else
		setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	code = bind(listener->fd, to, address->size) ? errno : 0;
	if (code == EADDRINUSE && remove_stale(address))
		code = bind(listener->fd, to, address->size) ? errno : 0;
	listener->is_bound = !code && socket_address_path(address);
	if (!code && listen(listener->fd, 4))
		code = errno;
	if (code)
		return error_errno(code, "Cannot listen at %s", listener_address);
	/* Port 0 becomes another one. */
	if (!listener->is_bound)
		getsockname(listener->fd, (struct sockaddr *)&address->storage,
			    &(socklen_t){ sizeof(address->storage) });
	return NULL;
}

static struct error *listener_open(struct listener *listener)
{
	struct error *err = socket_address_parse(listener_address, &listener->address);

	if (!err)
		err = token_read(listener_token_file, &listener->token);
	if (!err && !listener->token && !socket_address_path(&listener->address))
		err = error_hint(error_new(EINVAL, "All users of this machine can connect to %s, so a "
					   "token has to tell the recorder", listener_address),
				 "Write one to a file with 'head -c 16 /dev/urandom | base64' for "
				 "--token FILE on both sides, or use unix:PATH");
	return err ? err : listener_bind(listener);
}

struct greeting_wait {
	const struct listener *listener;
	int64_t end;
};

static int wait_for_greeting(void *data, int fd)
{
	const struct greeting_wait *wait = data;
	int64_t left = wait->end - monotonic_ms();

	return left > 0 ? listener_wait(wait->listener, fd, left) : -ETIMEDOUT;
}

/* Accept one connection; *ret stays -1 if it is no recorder that may send. */
static struct error *accept_one(struct listener *listener, int *ret)
{
	struct greeting_wait wait = { listener, monotonic_ms() + GREETING_MS };
	_cleanup_close_ int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
	struct error *err;

	if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
		return NULL;
	if (fd < 0)
		return error_errno(errno, "Cannot listen at %s", listener_address);
	err = greeting_check(fd, listener->token, wait_for_greeting, &wait);
	if (!err)
		*ret = take_fd(fd);
	else if (!listener_caught)
		log_warning("A connection was refused: %s.", err->message);
	error_free(err);
	return NULL;
}

static struct error *listener_accept(int *ret)
{
	_cleanup_(listener) struct listener listener;
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct error *err;
	int fd = -1;

	listener_init(&listener);
	err = listener_open(&listener);
	if (err)
		return err;
	socket_address_add(&listener.address, &name);
	log_notice("Waiting for a recorder: 'ktrace record -o %s'", strbuf_str(&name));
	while (!err && fd < 0) {
		int code = listener_wait(&listener, listener.fd, -1);

		if (code || listener_caught)
			return error_new(EINTR, "No recorder came to %s", listener_address);
		err = accept_one(&listener, &fd);
	}
	*ret = fd;
	return err;
}

struct error *listener_open_input(int *ret)
{
	if (listener_address)
		return listener_accept(ret);
	*ret = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return *ret < 0 ? error_errno(errno, "Cannot open standard input") : NULL;
}

const char *listener_input_name(void)
{
	return listener_address ? listener_address : "standard input";
}

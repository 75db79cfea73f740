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

/* The time in which a recorder must complete its greeting. */
#define GREETING_MS	5000

/* The most connections that are greeted side by side; when more come, the oldest one is dropped. */
#define PEERS_MAX	64

const char *listener_address, *listener_token_file;

static const int listener_signals[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t listener_caught;

struct listener {
	struct socket_address address;
	char *token;		/* NULL: no token is required */
	int fd;			/* -1: none */
	bool is_bound;		/* a Unix socket has a file, which we remove */
	struct sigaction before[ARRAY_SIZE(listener_signals)];
	sigset_t mask;		/* the mask before */
	struct peer {
		struct greeting greeting;
		uint64_t end;	/* deadline of its greeting, by monotonic_ms() */
	} peers[PEERS_MAX];	/* the oldest first */
	size_t nr_peers;
};

static void listener_on_signal(int number)
{
	listener_caught = number;
}

/* The signals are blocked except while we wait, so that none is missed. */
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
	for (size_t i = 0; i < listener->nr_peers; i++)
		close(listener->peers[i].greeting.fd);
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

/* Remove the file of a Unix socket if connections to it are refused: its process was killed. */
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
		return error_errno(errno, "Cannot create a socket for %s", listener_address);
	if (socket_address_path(address))
		/* The file of the socket gets this mode, so that other users cannot connect. */
		fchmod(listener->fd, 0600);
	else
		setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	code = bind(listener->fd, to, address->size) ? errno : 0;
	if (code == EADDRINUSE && remove_stale(address))
		code = bind(listener->fd, to, address->size) ? errno : 0;
	listener->is_bound = !code && socket_address_path(address);
	if (!code && listen(listener->fd, SOMAXCONN))
		code = errno;
	if (code)
		return error_errno(code, "Cannot listen at %s", listener_address);
	/* For port 0 the kernel chose a port. */
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
		err = error_hint(error_new(EINVAL, "All users of this machine can connect to %s, "
					   "so the recorder has to send a token", listener_address),
				 "Write one to a file with 'head -c 16 /dev/urandom | base64' for "
				 "--token FILE on both sides, or use unix:PATH");
	return err ? err : listener_bind(listener);
}

/* Finish with a peer.  @err is the reason to refuse it; NULL: *ret becomes its descriptor. */
static void peer_end(struct listener *listener, size_t nth, struct error *err, int *ret)
{
	struct peer *peer = &listener->peers[nth];

	if (err) {
		log_warning("A connection was refused: %s.", err->message);
		close(peer->greeting.fd);
	} else {
		*ret = peer->greeting.fd;
	}
	error_free(err);
	listener->nr_peers--;
	memmove(peer, peer + 1, (listener->nr_peers - nth) * sizeof(*peer));
}

static struct error *accept_peer(struct listener *listener)
{
	int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? NULL :
			error_errno(errno, "Cannot listen at %s", listener_address);
	if (listener->nr_peers == PEERS_MAX)
		peer_end(listener, 0, error_new(ETIMEDOUT, "it sent nothing while others "
						"connected"), NULL);
	listener->peers[listener->nr_peers++] =
		(struct peer){ .greeting.fd = fd, .end = monotonic_ms() + GREETING_MS };
	return NULL;
}

/* Wait until data comes, or the oldest peer's time is over; 0 or -errno. */
static int listener_wait(const struct listener *listener, struct pollfd *fds)
{
	int64_t left = listener->nr_peers ?
		       (int64_t)(listener->peers[0].end - monotonic_ms()) : 0;
	struct timespec timeout = { 0 };
	int n;

	if (left > 0)
		timeout = (struct timespec){ left / 1000, left % 1000 * 1000000 };
	for (size_t i = 0; i < listener->nr_peers; i++)
		fds[i] = (struct pollfd){ .fd = listener->peers[i].greeting.fd, .events = POLLIN };
	fds[listener->nr_peers] = (struct pollfd){ .fd = listener->fd, .events = POLLIN };
	do
		n = ppoll(fds, listener->nr_peers + 1, listener->nr_peers ? &timeout : NULL,
			  &listener->mask);
	while (n < 0 && errno == EINTR && !listener_caught);
	return n < 0 ? -errno : 0;
}

/* Go on with all peers until one may send; *ret becomes its descriptor. */
static struct error *listener_turn(struct listener *listener, int *ret)
{
	struct pollfd fds[PEERS_MAX + 1];
	int code = listener_wait(listener, fds);
	size_t nr = listener->nr_peers;

	if (code || listener_caught)
		return error_new(EINTR, "No recorder connected to %s", listener_address);
	/* From the last to the first, because removing one moves those behind it. */
	for (size_t i = nr; i-- && *ret < 0;) {
		struct peer *peer = &listener->peers[i];
		struct error *err = NULL;

		if (fds[i].revents ? greeting_advance(&peer->greeting, listener->token, &err) :
				     peer->end <= monotonic_ms())
			peer_end(listener, i, fds[i].revents ? err :
				 error_new(ETIMEDOUT, "it sent nothing for too long"), ret);
	}
	return *ret < 0 && fds[nr].revents ? accept_peer(listener) : NULL;
}

static struct error *listener_accept(int *ret)
{
	_cleanup_(listener) struct listener listener;
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct error *err;

	*ret = -1;
	listener_init(&listener);
	err = listener_open(&listener);
	if (err)
		return err;
	socket_address_add(&listener.address, &name);
	log_notice("Waiting for a recorder: 'ktrace record -o %s'", strbuf_str(&name));
	while (!err && *ret < 0)
		err = listener_turn(&listener, ret);
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

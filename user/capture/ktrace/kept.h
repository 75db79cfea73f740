/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kept sessions of the ktrace device: they have a name, and go on without the process that has set
 * them up.  Whoever opens one reads on where the last reader has stopped.
 */
#ifndef KTRACE_CAPTURE_KTRACE_KEPT_H
#define KTRACE_CAPTURE_KTRACE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/backend.h"
#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "lib/error.h"
#include "record/event.h"
#include "record/ledger.h"
#include "record/module_event.h"

struct kept_info {
	char name[33];
	uid_t uid;		/* whose it is */
	bool running;
	pid_t reader;		/* the process that has it open; 0: nobody */
	uint64_t age;		/* since it is kept, ns */
};

struct kept_list {
	struct kept_info *items;	/* the oldest first; owned */
	size_t nr, alloc;
};

struct error *kept_list_read(struct kept_list *ret);
void kept_list_deinit(struct kept_list *list);
DEFINE_CLEANUP(kept_list, struct kept_list, kept_list_deinit)

/*
 * The operation `keep` of the backend: name the session, which must be described; @name NULL: it
 * is not to be kept after all.
 */
struct error *kept_keep(struct capture *capture, const char *name);

/* A session that was opened by its name. */
struct kept_session {
	int fd;
	bool running, overwrite;
	unsigned int pages;	/* of each ring */
	size_t nr_events;
	struct cpumap cpus;	/* that have a ring */
	int clockid;
	void *description;	/* what describe() has stored; NULL: nothing; owned */
	size_t description_size;
	/* Without a description, what the module tells; [nr_events]; owned. */
	struct module_event *module_events;
};

#define KEPT_SESSION_INIT { .fd = -1 }

/* Open it.  @ret, which is KEPT_SESSION_INIT before, has to be released also on error. */
struct error *kept_open(const char *name, struct kept_session *ret);
/* Stop and forget a session without looking at what it has recorded. */
struct error *kept_end(const char *name);
void kept_session_deinit(struct kept_session *session);
DEFINE_CLEANUP(kept_session, struct kept_session, kept_session_deinit)

/*
 * A capture of what @session, whose descriptor goes to it, records.  @events are those of its
 * description.  It is for drain() and the rest from start() on, which was called long ago; stop()
 * stops the session if it @ends, and otherwise only the reading.  @device is the device's backend,
 * capture_backend_find("ktrace").
 */
struct error *kept_capture(struct kept_session *session, const struct capture_backend *device,
			   struct event_list *events, bool ends, struct capture **ret);

/* What drain() has given is stored, so the next reader need not get it. */
void kept_release(struct capture *capture);

/* Sum up all since the session began; exact once it is stopped. */
struct error *kept_totals(struct capture *capture, struct ledger *ret);

/* The session ends when the capture is closed. */
struct error *kept_forget(struct capture *capture);

#endif

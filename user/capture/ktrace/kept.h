/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kept sessions of the ktrace device.  They have a name, and continue without the process that has
 * set them up.  A process that opens one reads on from the position of the last reader.
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
	uid_t uid;		/* its owner */
	bool running;
	pid_t reader;		/* the process that has it open; 0: none */
	uint64_t age;		/* since it was kept, ns */
};

struct kept_list {
	struct kept_info *items;	/* the oldest first; owned */
	size_t nr, alloc;
};

struct error *kept_list_read(struct kept_list *ret);
void kept_list_deinit(struct kept_list *list);
DEFINE_CLEANUP(kept_list, struct kept_list, kept_list_deinit)

/*
 * The operation `keep` of the backend: name the session, which must be described.  @name NULL:
 * cancel this.
 */
struct error *kept_keep(struct capture *capture, const char *name);

/* A session that was opened by its name. */
struct kept_session {
	int fd;
	bool running, overwrite;
	unsigned int pages;	/* of each ring */
	size_t nr_events;
	struct cpumap cpus;	/* CPUs with a ring */
	int clockid;
	void *description;	/* stored by describe(); NULL: none; owned */
	size_t description_size;
	/* Without a description, the module's data about events; [nr_events]; owned. */
	struct module_event *module_events;
};

#define KEPT_SESSION_INIT { .fd = -1 }

/* Open it.  Set @ret to KEPT_SESSION_INIT before, and release it also on error. */
struct error *kept_open(const char *name, struct kept_session *ret);
/* Stop and remove a session without reading its records. */
struct error *kept_end(const char *name);
void kept_session_deinit(struct kept_session *session);
DEFINE_CLEANUP(kept_session, struct kept_session, kept_session_deinit)

/*
 * A capture of the records of @session; it owns the session's descriptor.  @events are those of its
 * description.  It supports drain() and later operations, because start() was called long ago.  If
 * @ends, stop() stops the session, otherwise only the reading.  @device is the device's backend,
 * capture_backend_find("ktrace").
 */
struct error *kept_capture(struct kept_session *session, const struct capture_backend *device,
			   struct event_list *events, bool ends, struct capture **ret);

/* Report that the records from drain() are stored, so that the next reader does not get them. */
void kept_release(struct capture *capture);

/* The sums since the beginning of the session; exact once it is stopped. */
struct error *kept_totals(struct capture *capture, struct ledger *ret);

/* End the session when the capture is closed. */
struct error *kept_forget(struct capture *capture);

#endif

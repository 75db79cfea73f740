// SPDX-License-Identifier: GPL-2.0
#include "capture/ktrace/kept.h"

#include <errno.h>
#include <linux/ktrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/ktrace/device.h"
#include "capture/ktrace/device_capture.h"
#include "lib/array.h"
#include "lib/monotonic.h"

/* The most words of a CPU mask, as in the module. */
#define CPU_WORDS 512

_Static_assert(sizeof(((struct kept_info *)0)->name) == KTRACE_KEEP_NAME + 1, "length of a name");

static struct error *too_old(void)
{
	return error_hint(error_new(ENOTTY, "The ktrace module that is loaded is too old to keep "
				    "sessions"), "Load the module that came with this ktrace");
}

struct error *kept_list_read(struct kept_list *ret)
{
	struct ktrace_kept_info info = { .size = sizeof(info) };
	_cleanup_close_ int fd = -1;
	struct ktrace_info module;
	uint64_t now = clock_ns(CLOCK_BOOTTIME);
	struct error *err;

	*ret = (struct kept_list){ 0 };
	err = device_open(&fd, &module);
	for (; !err && !ioctl(fd, KTRACE_IOC_KEPT_INFO, &info); info.nth++) {
		struct kept_info item = {
			.uid = info.uid, .running = info.flags & KTRACE_KEPT_RUNNING,
			.reader = info.reader, .age = now > info.since ? now - info.since : 0,
		};

		memcpy(item.name, info.name, KTRACE_KEEP_NAME);
		if (!array_push(ret, item))
			return &error_no_memory;
	}
	if (err)
		return err;
	if (errno == ENOTTY)
		return too_old();
	return errno == ENOENT ? NULL : error_errno(errno, "The ktrace module does not list its "
						    "kept sessions");
}

void kept_list_deinit(struct kept_list *list)
{
	free(list->items);
	*list = (struct kept_list){ 0 };
}

static struct error *keep_error(int code, const char *name)
{
	switch (code) {
	case ENOTTY:
		return too_old();
	case EINVAL:
		return error_hint(error_new(code, "A session cannot have the name '%s'", name),
				  "A name has up to %d letters, digits, '_', '-' and '.', and does "
				  "not begin with '-' or '.'", KTRACE_KEEP_NAME - 1);
	case EEXIST:
		return error_hint(error_new(code, "There is a session %s already", name),
				  "'ktrace session stop %s' ends it", name);
	case ENOSPC:
		return error_hint(error_new(code, "The ktrace module keeps at most %d sessions",
					    KTRACE_KEEP_MAX),
				  "'ktrace session list' shows them, 'ktrace session stop' ends one");
	case EPERM:
		return error_hint(error_new(code, "The rings of a session that outlives its process "
					    "may not be larger than kernel.perf_event_mlock_kb"),
				  "Give it a smaller -m, or run ktrace with CAP_IPC_LOCK");
	default:
		return error_errno(code, "The ktrace module cannot keep the session %s", name);
	}
}

static bool to_name(char to[KTRACE_KEEP_NAME], const char *name)
{
	memset(to, 0, KTRACE_KEEP_NAME);
	if (strlen(name) >= KTRACE_KEEP_NAME)
		return false;
	memcpy(to, name, strlen(name));
	return true;
}

/* Recall the setup of a session from the module; with the description only if there is @data. */
static int ask_recall(int fd, struct ktrace_recall *recall, uint64_t *words, void *data,
		      size_t bytes)
{
	*recall = (struct ktrace_recall){
		.size = sizeof(*recall),
		.cpus_bytes = CPU_WORDS * sizeof(*words), .cpus = (uintptr_t)words,
		.bytes = bytes, .data = (uintptr_t)data,
	};
	return ioctl(fd, KTRACE_IOC_RECALL, recall) ? errno : 0;
}

struct error *kept_keep(struct capture *capture, const char *name)
{
	struct ktrace_keep keep = { .size = sizeof(keep) };
	uint64_t words[CPU_WORDS];
	int fd = to_device(capture)->fd;
	struct ktrace_recall recall;
	int code;

	if (!name)
		return ioctl(fd, KTRACE_IOC_FORGET) ?
			error_errno(errno, "The ktrace module cannot forget the session") : NULL;
	code = ask_recall(fd, &recall, words, NULL, 0);
	if (code)
		return keep_error(code, name);
	if (!recall.bytes)
		return error_hint(error_new(ENODATA, "The session %s could not be read later, "
					    "because the ktrace module has not stored the "
					    "description of its events",
					    name), "-v shows the reason");
	if (!to_name(keep.name, name))
		return keep_error(EINVAL, name);
	return ioctl(fd, KTRACE_IOC_KEEP, &keep) ? keep_error(errno, name) : NULL;
}

static struct error *kept_open_error(int code, const char *name)
{
	switch (code) {
	case ENOTTY:
		return too_old();
	case EINVAL:
	case ENOENT:
		return error_hint(error_new(ENOENT, "There is no session %s", name),
				  "'ktrace session list' shows the sessions, 'ktrace record "
				  "--detach NAME' starts one");
	case EBUSY:
		return error_hint(error_new(code, "Another process reads the session %s", name),
				  "'ktrace session list' shows that process; ending it loses no "
				  "records");
	case EPERM:
		return error_hint(error_new(code, "The session %s belongs to another user", name),
				  "Run ktrace as that user, or as root");
	default:
		return error_errno(code, "The ktrace module cannot open the session %s", name);
	}
}

static struct error *kept_take_cpus(const uint64_t *words, struct cpumap *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < CPU_WORDS; i++)
		nr += __builtin_popcountll(words[i]);
	ret->cpus = calloc(nr + 1, sizeof(*ret->cpus));
	if (!ret->cpus)
		return &error_no_memory;
	for (uint32_t cpu = 0; cpu < CPU_WORDS * 64; cpu++)
		if (words[cpu / 64] >> cpu % 64 & 1)
			ret->cpus[ret->nr++] = cpu;
	return NULL;
}

/*
 * Query the events of a session that was not described.  False: a recording cannot have such
 * events.
 */
static bool ask_events(struct kept_session *session)
{
	for (size_t i = 0; i < session->nr_events; i++) {
		struct ktrace_event_info info = { .size = sizeof(info), .index = i };

		if (ioctl(session->fd, KTRACE_IOC_EVENT_INFO, &info) ||
		    info.id != KTRACE_ID_BASE + i || info.flags & KTRACE_EVENT_INFO_COUNTED)
			return false;
		session->module_events[i] = (struct module_event){
			.config = info.config, .id = info.id, .sample_type = info.sample_type,
			.fields = info.fields, .user_strings = info.user_strings,
		};
	}
	return session->nr_events;
}

static struct error *recall_events(const char *name, struct kept_session *session)
{
	session->module_events = calloc(session->nr_events + 1, sizeof(*session->module_events));
	if (!session->module_events)
		return &error_no_memory;
	if (ask_events(session))
		return NULL;
	return error_hint(error_new(ENODATA, "The session %s belongs to another program, and has "
				    "no description of its events", name),
			  "That program can read it; 'ktrace session stop --discard %s' ends it", name);
}

static struct error *recall_session(const char *name, struct kept_session *ret)
{
	uint64_t words[CPU_WORDS] = { 0 };
	struct ktrace_recall recall;
	int code = ask_recall(ret->fd, &recall, words, NULL, 0);
	struct error *err;

	if (!code && recall.bytes) {
		ret->description = malloc(recall.bytes);
		if (!ret->description)
			return &error_no_memory;
		ret->description_size = recall.bytes;
		code = ask_recall(ret->fd, &recall, words, ret->description, recall.bytes);
	}
	if (code)
		return kept_open_error(code, name);
	ret->running = recall.flags & KTRACE_RECALL_RUNNING;
	ret->overwrite = recall.flags & KTRACE_RECALL_OVERWRITE;
	ret->pages = recall.pages;
	ret->nr_events = recall.nr_events;
	ret->clockid = recall.clockid;
	err = ret->description ? NULL : recall_events(name, ret);
	return err ? err : kept_take_cpus(words, &ret->cpus);
}

static struct error *open_by_name(const char *name, int *ret_fd)
{
	struct ktrace_kept_open open = { .size = sizeof(open) };
	_cleanup_close_ int fd = -1;
	struct ktrace_info info;
	struct error *err;

	err = device_open(&fd, &info);
	if (err)
		return err;
	if (!to_name(open.name, name))
		return kept_open_error(EINVAL, name);
	*ret_fd = ioctl(fd, KTRACE_IOC_KEPT_OPEN, &open);
	return *ret_fd < 0 ? kept_open_error(errno, name) : NULL;
}

struct error *kept_open(const char *name, struct kept_session *ret)
{
	struct error *err = open_by_name(name, &ret->fd);

	return err ? err : recall_session(name, ret);
}

struct error *kept_end(const char *name)
{
	_cleanup_(kept_session) struct kept_session session = KEPT_SESSION_INIT;
	struct error *err = open_by_name(name, &session.fd);

	if (err)
		return err;
	if (ioctl(session.fd, KTRACE_IOC_STOP) || ioctl(session.fd, KTRACE_IOC_FORGET))
		return error_errno(errno, "The ktrace module cannot end the session %s", name);
	return NULL;
}

void kept_session_deinit(struct kept_session *session)
{
	if (session->fd >= 0)
		close(session->fd);
	cpumap_deinit(&session->cpus);
	free(session->description);
	free(session->module_events);
	*session = (struct kept_session)KEPT_SESSION_INIT;
}

/* The ids of a session grow with the module's indexes. */
static struct error *number_events(struct device_capture *c, size_t nr_events)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->events->nr; i++) {
		struct event *event = c->events->items[i];
		uint64_t id = event->nr_ids ? event->ids[0] : 0;

		if (event->nr_ids != 1 || id < KTRACE_ID_BASE || id - KTRACE_ID_BASE >= UINT16_MAX)
			return error_new(EBADMSG, "The session has an event %s that the ktrace module "
					 "cannot have recorded", event->name);
		capture_backend_take(c->base.backend, event);
		if (id - KTRACE_ID_BASE >= c->nr_device)
			c->nr_device = id - KTRACE_ID_BASE + 1;
	}
	c->is_alone = c->events->nr == 1 &&
		      !(c->events->items[0]->attr.sample_type & PERF_SAMPLE_IDENTIFIER);
	c->device = calloc(c->nr_device + 1, sizeof(*c->device));
	if (!c->device)
		return &error_no_memory;
	for (size_t i = 0; i < c->events->nr; i++)
		c->device[c->events->items[i]->ids[0] - KTRACE_ID_BASE].index = 1;
	for (size_t i = 0; i < c->nr_device; i++)
		if (c->device[i].index)
			c->device[i].index = nr++;
	if (nr != nr_events)
		return error_new(EBADMSG, "The session has %zu events, but its description has %zu",
				 nr_events, nr);
	return NULL;
}

struct error *kept_capture(struct kept_session *session, const struct capture_backend *device,
			   struct event_list *events, bool ends, struct capture **ret)
{
	_cleanup_(device) struct device_capture *c = calloc(1, sizeof(*c));
	struct error *err;

	if (!c)
		return &error_no_memory;
	c->base.backend = device;
	c->events = events;
	c->fd = session->fd;
	session->fd = -1;
	c->present = session->cpus;
	session->cpus = (struct cpumap){ 0 };
	c->cpus = &c->present;
	c->overwrite = session->overwrite;
	c->stopped = !session->running;
	err = number_events(c, session->nr_events);
	if (!err)
		err = kept_reading_start(c, ends);
	if (!err)
		err = device_alloc_rings(c, session->pages);
	if (!err)
		err = device_map_rings(c, session->pages);
	if (err)
		return err;
	*ret = &take_ptr(c)->base;
	return NULL;
}

void kept_release(struct capture *capture)
{
	struct device_capture *c = to_device(capture);

	for (size_t i = 0; !c->overwrite && i < c->cpus->nr; i++) {
		struct ktrace_ring_tail *tail = c->rings[i].tail;

		/* Pairs with the kernel's load of the tail, as in ring_flush(). */
		__atomic_store_n((uint64_t *)&tail->data_tail, c->rings[i].taken, __ATOMIC_RELEASE);
	}
}

struct error *kept_totals(struct capture *capture, struct ledger *ret)
{
	const struct device_capture *c = to_device(capture);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < c->events->nr; i++)
		for (size_t nth = 0; !err && nth < c->cpus->nr; nth++) {
			struct ktrace_stats stats;
			struct ledger_row row;

			err = device_read_stats(c, c->events->items[i], nth, &stats, &row);
			if (!err)
				err = ledger_add(ret, &row);
		}
	return err;
}

struct error *kept_forget(struct capture *capture)
{
	return kept_keep(capture, NULL);
}

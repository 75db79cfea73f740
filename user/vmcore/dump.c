// SPDX-License-Identifier: GPL-2.0
#include "vmcore/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/ktrace.h>
#include <linux/ktrace_dump.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/base64.h"
#include "lib/strbuf.h"
#include "vmcore/session_formats.h"

/* More than any kernel has: larger numbers in a damaged text mean nothing. */
#define MAX_CPUS	8192
#define MAX_SESSIONS	4096
#define MAX_EVENTS	65536	/* of a session, by their number in tracefs */

/* A line that is looked at is not longer than this. */
#define MAX_LINE	2048

struct parsing {
	struct dump *dump;
	/* The record whose lines come. */
	struct strbuf record;
	struct dump_session *session;	/* its own; NULL: no record has begun */
	unsigned int cpu;
};

static struct vmcore_session *base_of(struct dump *dump, const struct dump_session *session)
{
	return &dump->table.items[session - dump->items];
}

static void dump_forget(struct dump *dump)
{
	for (size_t i = 0; i < dump->nr; i++) {
		for (size_t k = 0; k < dump->items[i].nr; k++)
			free((char *)dump->items[i].items[k].name);
		free(dump->items[i].items);
	}
	free(dump->items);
	session_table_deinit(&dump->table);
	*dump = (struct dump){ 0 };
}

void dump_deinit(struct dump *dump)
{
	dump_forget(dump);
}

/* The session must have a number below MAX_SESSIONS. */
static struct dump_session *session_numbered(struct dump *dump, unsigned int number)
{
	const struct dump_session session = { .number = number };
	const struct vmcore_session base = { .is_partial = true };

	for (size_t i = 0; i < dump->nr; i++)
		if (dump->items[i].number == number)
			return &dump->items[i];
	if (!array_push(&dump->table, base) || !array_push(dump, session))
		return NULL;
	return &dump->items[dump->nr - 1];
}

/* The letters of "BYTES#SUM", if they are as they were printed; otherwise NULL. */
static const char *checked_bytes(const char *text, size_t *ret_len)
{
	const char *mark = strchr(text, '#');
	unsigned int sum, own = 0;

	if (!mark || sscanf(mark, "#%4x", &sum) != 1 || strlen(mark) < 5)
		return NULL;
	for (const char *p = text; p < mark; p++)
		own = own * 31 + (unsigned char)*p;
	*ret_len = mark - text;
	return (own & 0xffff) == sum ? text : NULL;
}

static struct vmcore_ring *ring_of(struct vmcore_session *session, unsigned int cpu)
{
	struct vmcore_ring *grown;

	for (size_t i = 0; i < session->nr_rings; i++)
		if (session->rings[i].cpu == cpu)
			return &session->rings[i];
	grown = reallocarray(session->rings, session->nr_rings + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	session->rings = grown;
	grown[session->nr_rings] = (struct vmcore_ring){ .cpu = cpu };
	return &grown[session->nr_rings++];
}

/* Keep a record that is complete. */
static struct error *dump_keep_record(struct parsing *p)
{
	struct vmcore_ring *ring = ring_of(base_of(p->dump, p->session), p->cpu);
	char *grown = ring ? realloc(ring->data, ring->size + p->record.len) : NULL;

	if (!grown)
		return &error_no_memory;
	memcpy(grown + ring->size, p->record.data, p->record.len);
	ring->data = grown;
	ring->size += p->record.len;
	p->session->found++;
	p->session = NULL;
	return NULL;
}

/* Add a line's bytes of a record. */
static struct error *dump_add_bytes(struct parsing *p, const char *text)
{
	struct perf_event_header header;
	size_t len;

	text = checked_bytes(text, &len);
	if (!text || !base64_add_decoded(&p->record, text, len)) {
		p->session = NULL;
		return p->record.failed ? &error_no_memory : NULL;
	}
	if (p->record.len < sizeof(header))
		return NULL;
	memcpy(&header, p->record.data, sizeof(header));
	if (header.size < sizeof(header) || p->record.len > header.size)
		p->session = NULL;
	return p->session && p->record.len == header.size ? dump_keep_record(p) : NULL;
}

static struct error *dump_parse_record(struct parsing *p, const char *line)
{
	unsigned int number, cpu;
	const char *bytes = strrchr(line, ' ');

	p->session = NULL;
	if (!bytes || sscanf(line, "%u [%u]", &number, &cpu) != 2 || cpu >= MAX_CPUS ||
	    number >= MAX_SESSIONS)
		return NULL;
	p->session = session_numbered(p->dump, number);
	if (!p->session)
		return &error_no_memory;
	p->cpu = cpu;
	strbuf_reset(&p->record);
	return dump_add_bytes(p, bytes + 1);
}

static bool device_has_records(uint64_t sample_type)
{
	sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER);
	return sample_type == KTRACE_SAMPLE_TYPE || sample_type == KTRACE_SAMPLE_TYPE_COMPACT ||
	       sample_type == KTRACE_SAMPLE_TYPE_ALONE;
}

static struct error *dump_parse_event(struct parsing *p, const char *line)
{
	struct module_event event = { 0 };
	struct dump_session *session;
	unsigned int number;
	int at = 0;

	if (sscanf(line, "event %u %" SCNx64 " config %" SCNx64 " type %" SCNx64 " fields %" SCNx64
		   " strings %" SCNu32 " %n", &number, &event.id, &event.config, &event.sample_type,
		   &event.fields, &event.user_strings, &at) != 6 || !at ||
	    !device_has_records(event.sample_type) ||
	    event.id < KTRACE_ID_BASE || number >= MAX_SESSIONS)
		return NULL;
	p->session = NULL;
	session = session_numbered(p->dump, number);
	if (!session)
		return &error_no_memory;
	for (size_t i = 0; i < session->nr; i++)
		if (session->items[i].id == event.id)
			return NULL;
	if (session->nr == MAX_EVENTS)
		return NULL;
	if (strcmp(line + at, "-") && !(event.name = strdup(line + at)))
		return &error_no_memory;
	return array_push(session, event) ? NULL : &error_no_memory;
}

static struct error *dump_parse_session(struct parsing *p, const char *line)
{
	struct dump_session *session;
	uint64_t told, held;
	unsigned int number;
	int pid, clockid;

	if (sscanf(line, "session %u pid %d clock %d records %" SCNu64 " of %" SCNu64, &number, &pid,
		   &clockid, &told, &held) != 5 || number >= MAX_SESSIONS)
		return NULL;
	p->session = NULL;
	session = session_numbered(p->dump, number);
	if (!session)
		return &error_no_memory;
	session->clockid = clockid;
	session->told = told;
	session->held = held;
	base_of(p->dump, session)->pid = pid;
	return NULL;
}

static struct error *dump_parse_end(struct parsing *p, const char *line, const char *path)
{
	bool begins = !strncmp(line, "begin", 5);
	unsigned int version;
	char release[65];

	if (sscanf(line, begins ? "begin %u %64s" : "end %u %64s", &version, release) != 2)
		return NULL;
	if (version != KTRACE_DUMP_VERSION)
		return error_hint(error_new(EPROTONOSUPPORT, "The records in %s have version %u, which "
					    "this ktrace does not know", path, version),
				  "Use the ktrace that came with that module");
	if (begins)
		dump_forget(p->dump);
	p->session = NULL;
	p->dump->is_whole = !begins;
	memcpy(p->dump->table.release, release, sizeof(release));
	return NULL;
}

static struct error *dump_parse_line(struct parsing *p, const char *line, const char *path)
{
	if (!strncmp(line, "begin ", 6) || !strncmp(line, "end ", 4))
		return dump_parse_end(p, line, path);
	if (!strncmp(line, "session ", 8))
		return dump_parse_session(p, line);
	if (!strncmp(line, "event ", 6))
		return dump_parse_event(p, line);
	if (!strncmp(line, "+ ", 2))
		return p->session ? dump_add_bytes(p, line + 2) : NULL;
	return dump_parse_record(p, line);
}

bool dump_is_in(const char *text, size_t len)
{
	return len && memmem(text, len, KTRACE_DUMP_PREFIX, sizeof(KTRACE_DUMP_PREFIX) - 1);
}

struct error *dump_parse(const char *text, size_t len, const char *path, struct dump *ret)
{
	static const char prefix[] = KTRACE_DUMP_PREFIX;
	struct parsing p = { .dump = ret, .record = STRBUF_INIT };
	const char *end = text + len, *next;
	struct error *err = NULL;
	char line[MAX_LINE];

	*ret = (struct dump){ 0 };
	for (; text < end && !err; text = next) {
		const char *at = memmem(text, end - text, prefix, sizeof(prefix) - 1);
		size_t size;

		if (!at)
			break;
		at += sizeof(prefix) - 1;
		size = strcspn(at, "\r\n");
		next = at + size;
		if (size >= sizeof(line))
			continue;
		memcpy(line, at, size);
		line[size] = '\0';
		err = dump_parse_line(&p, line, path);
	}
	strbuf_deinit(&p.record);
	if (!err && !ret->nr)
		err = error_hint(error_new(ENODATA, "%s has no records of a kernel that has died", path),
				 "The module prints them if its parameter dump_on_panic says how many");
	return err;
}

static struct error *dump_describe_one(const struct dump_session *session,
				       const struct description *like, struct vmcore_session *base)
{
	struct error *err;

	if (!session->nr)
		return NULL;
	err = session_formats_describe(base, session->items, session->nr, session->clockid, like);
	if (err)
		return err;
	base->events = calloc(session->nr, sizeof(*base->events));
	if (!base->events)
		return &error_no_memory;
	base->nr_events = session->nr;
	for (size_t i = 0; i < session->nr; i++) {
		base->events[i].id = session->items[i].id;
		base->events[i].counts = calloc(base->nr_rings + 1, sizeof(struct vmcore_counts));
		if (!base->events[i].counts)
			return &error_no_memory;
	}
	return NULL;
}

struct error *dump_describe(struct dump *dump, const struct description *like)
{
	struct error *err = session_formats_check(dump->table.release, like);

	for (size_t i = 0; i < dump->nr && !err; i++)
		err = dump_describe_one(&dump->items[i], like, &dump->table.items[i]);
	return err;
}

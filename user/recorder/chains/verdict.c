// SPDX-License-Identifier: GPL-2.0
#include "recorder/chains/chains.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/synthesize.h"
#include "lib/array.h"
#include "record/header.h"
#include "session/callchain.h"
#include "session/machine.h"
#include "session/session.h"

/* At most one of so many samples may lose callers by frame pointers. */
#define DIFFER_ONE_OF	33

/* At most one of so many samples may have a cut stack. */
#define CUT_ONE_OF	20

/* A binary with at least one of so many losses is named. */
#define NAMED_ONE_OF	10

/* The number of frames around main() or a thread's function in a statically linked program. */
#define START_FRAMES	2

struct chain_binary {
	const struct dso *dso;
	uint32_t losses;	/* samples where the caller of its function is lost */
};

struct verdict_maker {
	struct session_consumer consumer;
	struct record_source source;
	const struct strbuf *parts[3];	/* records, one after the other */
	size_t part, at;
	const struct event_list *events;
	struct chain_verdict *verdict;
	ARRAY_OF(struct chain_binary) binaries;
};

static enum record_status verdict_next(struct record_source *source, struct record *ret,
				       struct error **err)
{
	struct verdict_maker *m = container_of(source, struct verdict_maker, source);
	const struct perf_event_header *header;

	while (m->part < ARRAY_SIZE(m->parts) && m->at >= m->parts[m->part]->len) {
		m->part++;
		m->at = 0;
	}
	if (m->part == ARRAY_SIZE(m->parts))
		return RECORD_END;
	header = (const void *)(m->parts[m->part]->data + m->at);
	m->at += (header->size + 7) & ~7;
	*ret = (struct record){ .header = header };
	ret->event = event_list_find_record(m->events, header);
	if (ret->event)
		ret->time = event_record_time(ret->event, header);
	return RECORD_OK;
}

static const struct record_source_ops verdict_source_ops = { .next = verdict_next };

static struct chain_binary *binary_of(struct verdict_maker *m, const struct dso *dso)
{
	struct chain_binary binary = { .dso = dso };

	for (size_t i = 0; i < m->binaries.nr; i++)
		if (m->binaries.items[i].dso == dso)
			return &m->binaries.items[i];
	return array_push(&m->binaries, binary) ? &m->binaries.items[m->binaries.nr - 1] : NULL;
}

static const struct dso *dso_at(const struct session_record *r, uint64_t ip)
{
	const struct map *map = maps_find(r->maps, ip);

	return map ? map->dso : NULL;
}

/* Whether a binary contains the code that calls main() and the functions of threads. */
static bool starts_threads(const struct dso *dso)
{
	return dso && dso->short_name &&
	       (!strncmp(dso->short_name, "libc.", 5) || !strncmp(dso->short_name, "libc-", 5) ||
		!strncmp(dso->short_name, "ld-", 3) || !strncmp(dso->short_name, "libpthread", 10));
}

/*
 * The number of relevant frames.  The outermost ones are irrelevant: the code that calls main() and
 * the functions of threads, which is in libc, and _start, which calls it.
 */
static size_t nr_that_matter(const struct session_record *r, const uint64_t *ips, size_t nr)
{
	size_t n = nr;

	if (n > 1 && !starts_threads(dso_at(r, ips[n - 1])) &&
	    starts_threads(dso_at(r, ips[n - 2])))
		n--;
	while (n && starts_threads(dso_at(r, ips[n - 1])))
		n--;
	if (n == nr && nr > START_FRAMES)
		n = nr - START_FRAMES;
	return n ? n : nr;
}

/* Whether the outermost frame is the beginning of a program or a thread. */
static bool is_outermost(const struct session_record *r, const uint64_t *ips, size_t nr)
{
	static const char *const names[] = { "_start", "clone", "__clone", "clone3", "__clone3" };
	struct place place;

	machine_find(r->machine, r->maps, PERF_RECORD_MISC_USER, ips[nr - 1], &place);
	for (size_t i = 0; place.symbol && i < ARRAY_SIZE(names); i++)
		if (!strcmp(place.symbol->name, names[i]))
			return true;
	return starts_threads(dso_at(r, ips[nr - 1])) ||
	       (nr > 1 && starts_threads(dso_at(r, ips[nr - 2])));
}

/* The number of unwound frames, innermost first, that frame pointers found, too. */
static size_t nr_equal(const struct sample *s, const uint64_t *ips, size_t nr)
{
	uint64_t i = 0;
	size_t n = 0;

	while (i < s->nr_callchain && s->callchain[i] != (uint64_t)PERF_CONTEXT_USER)
		i++;
	/* Unwound return addresses are inside the call. */
	for (i++; i < s->nr_callchain && n < nr && s->callchain[i] == ips[n] + (n > 0); i++)
		n++;
	return n;
}

static struct error *verdict_sample(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct verdict_maker *m = container_of(consumer, struct verdict_maker, consumer);
	uint64_t ips[CALLCHAIN_DEPTH];
	uint64_t room = r->event->attr.sample_stack_user;
	struct chain_binary *binary;
	size_t nr, same;

	if (!r->maps || !r->sample.user_regs || !r->sample.user_stack_size)
		return NULL;
	nr = machine_unwind(r->machine, r->maps, r->event, &r->sample, ips, CALLCHAIN_DEPTH);
	if (!nr)
		return NULL;
	m->verdict->samples++;
	for (size_t i = 0; i < nr; i++) {
		const struct dso *dso = dso_at(r, ips[i]);

		if (dso && !binary_of(m, dso))
			return &error_no_memory;
	}
	if (nr < CALLCHAIN_DEPTH && r->sample.user_stack_size + sizeof(uint64_t) > room &&
	    !is_outermost(r, ips, nr))
		m->verdict->cut++;
	same = nr_equal(&r->sample, ips, nr);
	if (same >= nr_that_matter(r, ips, nr))
		return NULL;
	m->verdict->differ++;
	binary = binary_of(m, dso_at(r, ips[same ? same - 1 : 0]));
	if (!binary)
		return &error_no_memory;
	binary->losses++;
	return NULL;
}

DEFINE_COMPARISON(by_losses, struct chain_binary, array_order(y->losses, x->losses))

static void verdict_name_binaries(struct verdict_maker *m)
{
	struct chain_verdict *v = m->verdict;
	size_t nr = 0, at = 0;

	v->binaries = m->binaries.nr;
	if (!v->differ)
		return;
	array_sort(&m->binaries, by_losses);
	while (nr < m->binaries.nr && nr < 3 &&
	       m->binaries.items[nr].losses * NAMED_ONE_OF >= v->differ)
		nr++;
	for (size_t i = 0; i < nr; i++) {
		const struct dso *dso = m->binaries.items[i].dso;

		at += snprintf(v->names + at, sizeof(v->names) - at, "%s%.64s",
			       !i ? "" : i + 1 < nr ? ", " : " and ",
			       dso && dso->short_name ? dso->short_name : "memory without a file");
	}
}

static void verdict_decide(struct chain_verdict *v)
{
	if (!v->samples)
		v->way = CHAINS_UNDECIDED;
	else if (v->differ * DIFFER_ONE_OF <= v->samples)
		v->way = CHAINS_FRAME_POINTERS;
	else
		v->way = v->cut * CUT_ONE_OF <= v->samples ? CHAINS_STACKS : CHAINS_WIDE_STACKS;
}

struct text_sink {
	struct record_sink sink;
	struct strbuf *text;
};

static struct error *text_write(struct record_sink *sink, const struct record_span *span)
{
	strbuf_add(container_of(sink, struct text_sink, sink)->text, span->data, span->size);
	return NULL;
}

static const struct record_sink_ops text_ops = { .write = text_write };

/* Collect the current maps of the samples' processes: they may be older than the recording. */
static struct error *know_processes(struct event_list *events, const struct strbuf *samples,
				    struct strbuf *ret)
{
	struct text_sink sink = { { &text_ops }, ret };
	ARRAY_OF(pid_t) pids = { 0 };
	struct error *err;

	for (size_t at = 0; at < samples->len; ) {
		const struct perf_event_header *header = (const void *)(samples->data + at);
		const struct event *event = event_list_find_record(events, header);
		struct sample sample;
		size_t i = 0;

		at += header->size;
		if (!event || !sample_decode(event, header, &sample))
			continue;
		while (i < pids.nr && pids.items[i] != sample.pid)
			i++;
		if (i == pids.nr && !array_push(&pids, sample.pid)) {
			free(pids.items);
			return &error_no_memory;
		}
	}
	err = pids.nr ? synthesize_tasks(events, pids.items, pids.nr, true, &sink.sink) : NULL;
	free(pids.items);
	return err ? err : ret->failed ? &error_no_memory : NULL;
}

struct error *chain_verdict_make(struct event_list *events, const struct strbuf *records,
				 const struct strbuf *samples, struct chain_verdict *ret)
{
	const struct symbol_options options = { .vmlinux = NULL };
	_cleanup_(strbuf) struct strbuf known = STRBUF_INIT;
	_cleanup_(machine) struct machine *machine = NULL;
	struct header header = { 0 };
	struct verdict_maker maker = {
		.consumer.sample = verdict_sample,
		.source.ops = &verdict_source_ops,
		.parts = { &known, records, samples },
		.events = events, .verdict = ret,
	};
	struct session session = { .source = &maker.source, .events = events };
	struct formats *formats = NULL;
	struct error *err;

	*ret = (struct chain_verdict){ 0 };
	err = header_init_local(&header);
	if (!err)
		err = machine_create(&header, &options, &machine);
	if (!err)
		err = formats_create(&formats);
	session.machine = machine;
	session.formats = formats;
	if (!err)
		err = know_processes(events, samples, &known);
	if (!err)
		err = session_run(&session, &maker.consumer);
	verdict_name_binaries(&maker);
	verdict_decide(ret);
	free(maker.binaries.items);
	formats_destroy(formats);
	header_deinit(&header);
	return err;
}

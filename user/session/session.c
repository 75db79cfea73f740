// SPDX-License-Identifier: GPL-2.0
#include "session/session.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "record/body.h"
#include "record/device_lost.h"
#include "record/header.h"
#include "record/origin.h"
#include "session/deferred_chains.h"
#include "session/group_read.h"
#include "session/merge.h"

/* The state between session_start() and session_finish(). */
struct session_steps {
	struct deferred_chains *chains;	/* NULL: no event has deferred chains */
	struct merge *merge;
	struct record_source *source;	/* the merge's, or the session's */
	size_t nr_events;	/* number of known events; more come in a pipe */
	bool wants_spans;
	struct group_read *reads;
	struct processes *processes;	/* NULL: the caller's */
	ARRAY_OF(struct processes *) hosts;	/* the tasks of all hosts but the first */
	struct session_rings rings;
};

/* Find the format of a tracepoint, which is looked up once per event. */
static const struct event_format *session_find_format(struct session *session,
						      const struct event *event)
{
	struct event *known;

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	if (!event->format) {
		known = session->events->items[event->index];
		known->format = formats_find(session->formats, event->attr.config);
	}
	return event->format;
}

/* Find the task that a record other than a sample describes. */
static void find_subject(const struct perf_event_header *header, struct session_record *r)
{
	const struct body_subject *subject = body_of(header, struct body_subject);
	const struct body_task *task = body_of(header, struct body_task);

	r->pid = r->sample.pid;
	r->tid = r->sample.tid;
	switch (header->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (task) {
			r->pid = task->pid;
			r->tid = task->tid;
		}
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
		if (subject) {
			r->pid = subject->pid;
			r->tid = subject->tid;
		}
		break;
	}
}

static struct error *session_deliver(struct session *session, struct session_consumer *consumer,
				     struct session_record *r)
{
	if (!consumer->sample)
		return NULL;
	r->format = session_find_format(session, r->event);
	r->pid = r->sample.pid;
	r->tid = r->sample.tid;
	r->comm = processes_comm(r->processes, r->pid, r->tid);
	if (r->machine)
		r->maps = processes_maps(r->processes, r->pid, r->tid);
	return consumer->sample(consumer, r);
}

/* Deliver one sample for each counter that has moved. */
static struct error *deliver_values(struct session *session, struct session_consumer *consumer,
				    struct session_record *r, struct group_read *reads)
{
	struct sample_value values[MAX_GROUP];
	uint64_t enabled, running, delta;
	struct error *err = NULL;
	size_t nr;

	nr = sample_values(r->event, &r->sample, values, MAX_GROUP, &enabled, &running);
	for (size_t i = 0; i < nr && !err; i++) {
		const struct event *event = event_list_find_id(session->events, values[i].id);

		if (!event) {
			session->corrupt++;
			continue;
		}
		err = group_read_advance(reads, values[i].id, values[i].value, &delta);
		if (err || !delta)
			continue;
		r->event = event;
		r->sample.id = values[i].id;
		r->sample.period = delta;
		err = session_deliver(session, consumer, r);
	}
	return err;
}

/* Remember when the ring of a sample had room. */
static struct error *note_ring(struct session *session, const struct session_record *r)
{
	struct session_steps *steps = session->steps;
	size_t at = (size_t)r->sample.cpu * 2 + !!r->event->source;

	if (r->sample.cpu < 0 || r->sample.cpu >= HEADER_CPUS_MAX)
		return NULL;
	if (!array_at(&steps->rings, at, 0))
		return &error_no_memory;
	steps->rings.items[at] = r->sample.time;
	return NULL;
}

/* Find the time of the loss that a LOST record reports. */
static void find_loss(struct session *session, struct session_record *r)
{
	const struct session_steps *steps = session->steps;
	const struct body_device_lost *device = device_lost_body(r->event, r->record.header);
	size_t source = r->event && r->event->source;
	size_t at = (size_t)r->sample.cpu * 2 + source;

	r->loss = (struct session_loss){ .until = r->sample.time, .of_event = device };
	if (device && device->first) {
		r->loss.since = device->first;
		r->loss.until = device->last;
	} else if (r->sample.cpu >= 0) {
		r->loss.since = at < steps->rings.nr ? steps->rings.items[at] : 0;
	} else {
		/* It may be any ring, also the one that has stored nothing for the longest time. */
		r->loss.since = r->sample.time;
		for (size_t i = source; i < steps->rings.nr; i += 2)
			if (steps->rings.items[i] && r->loss.since > steps->rings.items[i])
				r->loss.since = steps->rings.items[i];
	}
	if (r->event)
		r->format = session_find_format(session, r->event);
}

static struct error *handle_sample(struct session *session, struct session_consumer *consumer,
				   struct session_record *r, struct group_read *reads)
{
	const struct perf_event_attr *attr;
	struct error *err;

	if (!r->event || !sample_decode(r->event, r->record.header, &r->sample)) {
		session->corrupt++;
		return NULL;
	}
	session->samples++;
	err = note_ring(session, r);
	if (err)
		return err;
	/* Tasks inside a guest are unknown: the task is the host's that runs the guest. */
	if (r->sample.cpumode == PERF_RECORD_MISC_GUEST_KERNEL ||
	    r->sample.cpumode == PERF_RECORD_MISC_GUEST_USER) {
		session->guests++;
		return NULL;
	}
	attr = &r->event->attr;
	if (attr->sample_type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_ID)
		return deliver_values(session, consumer, r, reads);
	return session_deliver(session, consumer, r);
}

static void count_lost(struct session *session, const struct perf_event_header *header)
{
	const struct body_lost *lost = body_of(header, struct body_lost);
	const struct body_lost_samples *samples = body_of(header, struct body_lost_samples);

	if (header->type == PERF_RECORD_LOST && lost)
		session->lost += lost->lost;
	if (header->type == PERF_RECORD_LOST_SAMPLES && samples)
		session->lost += samples->lost;
}

/* Count records that the session's consumers do not get. */
static void count_unread(struct session *session, const struct perf_event_header *header)
{
	const struct body_aux *aux = body_of(header, struct body_aux);
	const struct body_auxtrace_info *info = body_of(header, struct body_auxtrace_info);

	if (header->type == PERF_RECORD_AUX && aux)
		session->aux_bytes += aux->size;
	if (header->type == RECORD_AUXTRACE_INFO && info)
		session->aux_type = info->type;
	if (header->type == RECORD_STAT || header->type == RECORD_STAT_ROUND ||
	    header->type == RECORD_SCHEDSTAT_CPU)
		session->counts++;
}

/* Find the event of a count from `perf stat record`. */
static const struct event *find_counter(const struct session *session,
					const struct perf_event_header *header)
{
	const struct body_stat *stat = body_of(header, struct body_stat);

	if (header->type != RECORD_STAT || !stat)
		return NULL;
	return event_list_find_id(session->events, stat->id);
}

static struct error *handle_other(struct session *session, struct session_consumer *consumer,
				  struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;
	struct error *err;

	count_lost(session, header);
	count_unread(session, header);
	err = consumer->before ? consumer->before(consumer, r->record.time) : NULL;
	if (!err)
		err = processes_apply(r->processes, &r->record);
	if (!err && r->machine)
		err = machine_apply(r->machine, r->processes, &r->record);
	if (err || !consumer->other)
		return err;
	r->sample = (struct sample){ .pid = -1, .tid = -1, .cpu = -1 };
	if (header->type >= RECORD_USER_TYPE_START)
		r->event = find_counter(session, header);
	else if (r->event)
		sample_id_decode(r->event, header, &r->sample);
	if (header->type == PERF_RECORD_LOST)
		find_loss(session, r);
	find_subject(header, r);
	r->comm = processes_comm(r->processes, r->pid, r->tid);
	return consumer->other(consumer, r);
}

/* Find the tasks and the machine of a record's host. */
static struct error *find_host(struct session *session, struct session_record *r)
{
	const struct origin *origin = r->record.origin;
	struct session_steps *steps = session->steps;

	r->origin = origin ? origin->name : NULL;
	r->processes = session->processes;
	r->machine = session->machine;
	if (!origin || !origin->host)
		return NULL;
	while (steps->hosts.nr < origin->host) {
		struct processes *processes;
		struct error *err = processes_create(&processes);

		if (err)
			return err;
		if (!array_push(&steps->hosts, processes)) {
			processes_destroy(processes);
			return &error_no_memory;
		}
	}
	r->processes = steps->hosts.items[origin->host - 1];
	if (session->machine)
		r->machine = machine_of_host(session->machine, origin->host);
	return NULL;
}

static struct error *deliver_span(struct session *session, struct session_consumer *consumer)
{
	struct session_span span = {
		.events = session->events,
		.processes = session->processes,
	};

	merge_take_span(session->steps->merge, &span.samples);
	session->samples += span.samples.nr;
	return consumer->span(consumer, &span);
}

static struct error *session_join_chains(struct session_steps *steps, const struct record *first)
{
	struct error *err = deferred_chains_create(steps->source, first, &steps->chains);

	if (!err)
		steps->source = deferred_chains_source(steps->chains);
	return err;
}

/*
 * Choose the way of the records by the events that are known now.  Those of a pipe are known when
 * its first record comes, @record.  *ret_again: the source gives it again.
 */
static struct error *session_see_events(struct session *session, const struct record *record,
					bool *ret_again)
{
	struct session_steps *steps = session->steps;

	*ret_again = false;
	/* Consumers in the order of the file get its records unchanged. */
	if (session->in_file_order || steps->chains || steps->nr_events == session->events->nr)
		return NULL;
	steps->nr_events = session->events->nr;
	*ret_again = deferred_chains_are_in(session->events);
	merge_want_spans(steps->merge, steps->wants_spans && !*ret_again);
	return *ret_again ? session_join_chains(steps, record) : NULL;
}

struct error *session_step(struct session *session, struct session_consumer *consumer,
			   bool *ret_more)
{
	struct session_steps *steps = session->steps;
	struct session_record r;
	struct error *err = NULL;
	bool again;

	*ret_more = false;
	if (session->stop && *session->stop)
		return NULL;
	switch (record_source_next(steps->source, &r.record, &err)) {
	case RECORD_OK:
		err = session_see_events(session, &r.record, &again);
		*ret_more = again;
		if (err || again)
			return err;
		break;
	case RECORD_SPAN:
		*ret_more = true;
		return deliver_span(session, consumer);
	case RECORD_END:
	case RECORD_LATER:
		return NULL;
	case RECORD_FAILED:
		/* If a wait for data was given up, an incomplete record is left. */
		if (session->stop && *session->stop) {
			error_free(err);
			return NULL;
		}
		return err;
	}
	*ret_more = true;
	r.event = r.record.event;
	r.events = session->events;
	r.maps = NULL;
	r.waker = NULL;
	r.task_state = NULL;
	r.format = NULL;
	r.rings = &steps->rings;
	err = find_host(session, &r);
	if (err)
		return err;
	if (r.record.header->type == PERF_RECORD_SAMPLE)
		return handle_sample(session, consumer, &r, steps->reads);
	return handle_other(session, consumer, &r);
}

struct error *session_start(struct session *session)
{
	struct session_steps *steps = calloc(1, sizeof(*steps));
	struct error *err;
	bool again;

	if (!steps)
		return &error_no_memory;
	session->steps = steps;
	err = merge_create(session->source, &steps->merge);
	if (!err)
		steps->source = session->in_file_order ? session->source :
							 merge_source(steps->merge);
	if (!err)
		err = session_see_events(session, NULL, &again);
	if (!err)
		err = group_read_create(&steps->reads);
	if (!err && !session->processes) {
		err = processes_create(&steps->processes);
		session->processes = steps->processes;
	}
	if (err)
		session_finish(session);
	return err;
}

void session_finish(struct session *session)
{
	struct session_steps *steps = session->steps;

	if (!steps)
		return;
	if (steps->merge)
		session->inversions = merge_inversions(steps->merge);
	if (steps->processes)
		session->processes = NULL;
	processes_destroy(steps->processes);
	for (size_t i = 0; i < steps->hosts.nr; i++)
		processes_destroy(steps->hosts.items[i]);
	free(steps->hosts.items);
	free(steps->rings.items);
	group_read_destroy(steps->reads);
	deferred_chains_destroy(steps->chains);
	merge_destroy(steps->merge);
	free(steps);
	session->steps = NULL;
}

struct error *session_run(struct session *session, struct session_consumer *consumer)
{
	struct error *err = session_start(session);
	bool more = true;

	if (!err && consumer->span && !session->in_file_order && !session->steps->chains) {
		session->steps->wants_spans = true;
		merge_want_spans(session->steps->merge, session->events->nr);
		/* Looking ahead in the file costs less than processing record by record. */
		record_source_look_ahead(session->source);
	}
	while (!err && more)
		err = session_step(session, consumer, &more);
	if (consumer->finish) {
		struct error *last = consumer->finish(consumer);

		if (err)
			error_free(last);
		else
			err = last;
	}
	session_finish(session);
	return err;
}
